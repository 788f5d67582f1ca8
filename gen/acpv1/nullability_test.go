package acpv1

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// TestAbsence says how Go values without a value are written.
func TestAbsence(t *testing.T) {
	for _, test := range []struct {
		name  string
		value wire.Marshaler
		want  string
	}{
		{"required nil slice", &NewSessionRequest{Cwd: "/a"}, `{"cwd":"/a","mcpServers":[]}`},
		{"required nil slice of strings", &MCPServerStdio{Name: "n", Command: "/c"}, `{"name":"n","command":"/c","args":[],"env":[]}`},
		{"required empty slice", &Plan{Entries: []PlanEntry{}}, `{"entries":[]}`},
		{"required nil slice of a variant", &SessionNotification{SessionID: "s", Update: &Plan{}}, `{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}`},
		{"required nil slice as a union", &SessionConfigSelect{CurrentValue: "v", Options: SessionConfigUngroupedOptions(nil)}, `{"currentValue":"v","options":[]}`},
		{"optional nil slice", &ToolCallUpdate{ToolCallID: "c"}, `{"toolCallId":"c"}`},
		{"optional empty slice", &ToolCallUpdate{ToolCallID: "c", Content: []ToolCallContent{}, Locations: []ToolCallLocation{}}, `{"toolCallId":"c","content":[],"locations":[]}`},
		{"optional empty slice of strings", &CreateTerminalRequest{SessionID: "s", Command: "c", Args: []string{}}, `{"sessionId":"s","command":"c","args":[]}`},
		{"nil map", &ElicitationSchema{}, `{}`},
		{"empty map", &ElicitationSchema{Properties: map[string]ElicitationPropertySchema{}}, `{"properties":{}}`},
		{"required empty string", &TextContent{}, `{"text":""}`},
		{"optional empty string", &Implementation{Title: new("")}, `{"name":"","title":"","version":""}`},
		{"empty strings in a list", &SessionInfo{Cwd: "/a", AdditionalDirectories: []string{"", ""}}, `{"sessionId":"","cwd":"/a","additionalDirectories":["",""]}`},
		{"required false", &TerminalOutputResponse{}, `{"output":"","truncated":false}`},
		{"optional false", &PromptCapabilities{Image: new(false)}, `{"image":false}`},
		{"required zero", &UsageUpdate{}, `{"used":0,"size":0}`},
		{"optional zero", &ReadTextFileRequest{Path: "/a", Line: new(uint32(0))}, `{"sessionId":"","path":"/a","line":0}`},
		{"optional empty object", &ClientCapabilities{Session: &ClientSessionCapabilities{}}, `{"session":{}}`},
		{"empty meta", &LogoutResponse{Meta: wire.Meta("{}")}, `{"_meta":{}}`},
		{"raw null", &ToolCall{ToolCallID: "c", RawInput: wire.Raw("null")}, `{"toolCallId":"c","title":"","rawInput":null}`},
		{"request id", &CancelRequestNotification{}, `{"requestId":null}`},
		{"three states: absent", &SessionInfoUpdate{}, `{}`},
		{"three states: null", &SessionInfoUpdate{Title: wire.Null[string]()}, `{"title":null}`},
		{"three states: empty", &SessionInfoUpdate{Title: wire.Value(""), UpdatedAt: wire.Value("t")}, `{"title":"","updatedAt":"t"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := wire.Marshal(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(b)); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
			if def := definition(t, typeName(test.value)); !verdict(t, def, b) {
				t.Errorf("the oracle refuses %s as %s", b, def)
			}
		})
	}
}

// TestNull says what becomes of null, and of what is near it.
func TestNull(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     wire.Message
		nulls    int
		out      string
	}{
		{"optional string", `{"name":"n","title":null,"version":"1"}`, &Implementation{Name: "n", Version: "1"}, 1, `{"name":"n","version":"1"}`},
		{"optional empty string", `{"name":"n","title":"","version":"1"}`, &Implementation{Name: "n", Title: new(""), Version: "1"}, 0, `{"name":"n","title":"","version":"1"}`},
		{"optional integer", `{"sessionId":"s","path":"/a","line":null,"limit":null}`, &ReadTextFileRequest{SessionID: "s", Path: "/a"}, 2, `{"sessionId":"s","path":"/a"}`},
		{"optional object", `{"text":"t","annotations":null}`, &TextContent{Text: "t"}, 1, `{"text":"t"}`},
		{"optional enum", `{"toolCallId":"c","kind":null,"status":null}`, &ToolCallUpdate{ToolCallID: "c"}, 2, `{"toolCallId":"c"}`},
		{"optional list", `{"toolCallId":"c","content":null,"locations":[]}`, &ToolCallUpdate{ToolCallID: "c", Locations: []ToolCallLocation{}}, 1, `{"toolCallId":"c","locations":[]}`},
		{"optional union", `{"name":"n","description":"d","input":null}`, &AvailableCommand{Name: "n", Description: "d"}, 1, `{"name":"n","description":"d"}`},
		{"meta", `{"_meta":null}`, &LogoutRequest{}, 1, `{}`},
		{"old text", `{"path":"/a","oldText":null,"newText":"n"}`, &Diff{Path: "/a", NewText: "n"}, 1, `{"path":"/a","newText":"n"}`},
		{"empty old text", `{"path":"/a","oldText":"","newText":"n"}`, &Diff{Path: "/a", OldText: new(""), NewText: "n"}, 0, `{"path":"/a","oldText":"","newText":"n"}`},
		{"config options", `{"sessionId":"s","modes":null,"configOptions":null}`, &NewSessionResponse{SessionID: "s"}, 2, `{"sessionId":"s"}`},
		{"no config options", `{"sessionId":"s","configOptions":[]}`, &NewSessionResponse{SessionID: "s", ConfigOptions: []SessionConfigOption{}}, 0, `{"sessionId":"s","configOptions":[]}`},
		{"form content", `{"action":"accept","content":null}`, &CreateElicitationResponse{Action: &ElicitationAcceptAction{}}, 1, `{"action":"accept"}`},
		{
			"at every level", `{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"","priority":"low","status":"pending","_meta":null}],"_meta":null},"_meta":null}`,
			&SessionNotification{SessionID: "s", Update: &Plan{Entries: []PlanEntry{{Priority: "low", Status: "pending"}}}}, 3,
			`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"","priority":"low","status":"pending"}]}}`,
		},
		{"title that is cleared", `{"title":null}`, &SessionInfoUpdate{Title: wire.Null[string]()}, 0, `{"title":null}`},
		{"title that stays", `{"updatedAt":"t"}`, &SessionInfoUpdate{UpdatedAt: wire.Value("t")}, 0, `{"updatedAt":"t"}`},
		{"title that is set", `{"title":"Leap years"}`, &SessionInfoUpdate{Title: wire.Value("Leap years")}, 0, `{"title":"Leap years"}`},
		{"title that is empty", `{"title":""}`, &SessionInfoUpdate{Title: wire.Value("")}, 0, `{"title":""}`},
		{
			"raw", `{"toolCallId":"c","title":"t","rawInput":null,"rawOutput":null}`,
			&ToolCall{ToolCallID: "c", Title: "t", RawInput: wire.Raw("null"), RawOutput: wire.Raw("null")}, 0, `{"toolCallId":"c","title":"t","rawInput":null,"rawOutput":null}`,
		},
		{"raw of an update", `{"toolCallId":"c","rawInput":null}`, &ToolCallUpdate{ToolCallID: "c", RawInput: wire.Raw("null")}, 0, `{"toolCallId":"c","rawInput":null}`},
		{"error data", `{"code":1,"message":"m","data":null}`, &Error{Code: 1, Message: "m", Data: wire.Raw("null")}, 0, `{"code":1,"message":"m","data":null}`},
		{"within raw values", `{"code":1,"message":"m","data":{"a":null}}`, &Error{Code: 1, Message: "m", Data: wire.Raw(`{"a":null}`)}, 0, `{"code":1,"message":"m","data":{"a":null}}`},
		{"request id", `{"requestId":null}`, &CancelRequestNotification{}, 0, `{"requestId":null}`},
		{
			"member that the schema does not know", `{"action":"_later","until":null}`,
			&CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "_later", Extra: []wire.Member{{Name: "until", Value: wire.Raw("null")}}}}, 0, `{"action":"_later","until":null}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := messageCodec(test.want)
			v, report, err := got.decode([]byte(test.in), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(test.want), v, exactly); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(wire.Report{Nulls: test.nulls}, report); diff != "" {
				t.Errorf("report mismatch (-want +got)\n%s", diff)
			}
			b, err := wire.Marshal(test.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.out, string(b)); diff != "" {
				t.Errorf("encoded: mismatch (-want +got)\n%s", diff)
			}
			for _, b := range [][]byte{[]byte(test.in), b} {
				if def := definition(t, typeName(test.want)); !verdict(t, def, b) {
					t.Errorf("the oracle refuses %s as %s", b, def)
				}
			}
		})
	}
}

// TestNullRefused says where null is no value.
func TestNullRefused(t *testing.T) {
	for _, test := range []struct {
		name, in string
		into     wire.Message
		pointer  string
	}{
		{"whole", `null`, new(PromptRequest), ""},
		{"required string", `{"sessionId":"s","path":null,"content":""}`, new(WriteTextFileRequest), "/path"},
		{"required list", `{"cwd":"/a","mcpServers":null}`, new(NewSessionRequest), "/mcpServers"},
		{"required object", `{"sessionId":"s","toolCall":null,"options":[]}`, new(RequestPermissionRequest), "/toolCall"},
		{"required union", `{"sessionId":"s","update":null}`, new(SessionNotification), "/update"},
		{"element", `{"sessionId":"s","prompt":[null]}`, new(PromptRequest), "/prompt/0"},
		{"value of a map", `{"id":"i","name":"n","env":{"A":null}}`, new(AuthMethodTerminal), "/env/A"},
		{"optional list", `{"sessionId":"s","command":"c","args":null}`, new(CreateTerminalRequest), "/args"},
		{"optional capability", `{"image":null}`, new(PromptCapabilities), "/image"},
		{"optional object", `{"protocolVersion":1,"clientCapabilities":null}`, new(InitializeRequest), "/clientCapabilities"},
		{"optional enum", `{"toolCallId":"c","title":"t","kind":null}`, new(ToolCall), "/kind"},
		{"tag", `{"sessionId":"s","update":{"sessionUpdate":null}}`, new(SessionNotification), "/update/sessionUpdate"},
		{"value of a form", `{"content":{"a":null}}`, new(ElicitationAcceptAction), "/content/a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := wire.Decode([]byte(test.in), test.into, nil)
			if err == nil {
				t.Fatalf("decoded as %+v", test.into)
			}
			if list := violations(t, err); len(list) != 1 || list[0].Pointer != test.pointer || list[0].Rule != wire.RuleSchema {
				t.Errorf("got\n%swant one at %q", summary(list), test.pointer)
			}
			if def := definition(t, typeName(test.into)); verdict(t, def, []byte(test.in)) {
				t.Errorf("the oracle accepts %s as %s", test.in, def)
			}
		})
	}
}

// TestExactNumbers takes the ends of each integer format, and integers that no double holds, through the codec.
func TestExactNumbers(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     wire.Message
		out      string // if not in
	}{
		{"uint16", `{"protocolVersion":65535}`, &InitializeRequest{ProtocolVersion: math.MaxUint16}, ""},
		{"uint32", `{"path":"/a","line":4294967295}`, &ToolCallLocation{Path: "/a", Line: new(uint32(math.MaxUint32))}, ""},
		{"uint64", `{"used":18446744073709551615,"size":9007199254740993}`, &UsageUpdate{Used: math.MaxUint64, Size: 1<<53 + 1}, ""},
		{"optional uint64", `{"sessionId":"s","command":"c","outputByteLimit":18446744073709551614}`, &CreateTerminalRequest{SessionID: "s", Command: "c", OutputByteLimit: new(uint64(math.MaxUint64 - 1))}, ""},
		{"int32", `{"code":-2147483648,"message":"m"}`, &Error{Code: math.MinInt32, Message: "m"}, ""},
		{"int64", `{"name":"n","size":-9223372036854775808,"uri":"u:"}`, &ResourceLink{Name: "n", Size: new(int64(math.MinInt64)), URI: "u:"}, ""},
		{
			"int64 limits", `{"minimum":-9007199254740993,"maximum":9223372036854775807,"default":9007199254740993}`,
			&IntegerPropertySchema{Minimum: new(int64(-1<<53 - 1)), Maximum: new(int64(math.MaxInt64)), Default: new(int64(1<<53 + 1))}, "",
		},
		{
			"integers of a form", `{"content":{"a":9223372036854775807,"b":9007199254740993}}`,
			&ElicitationAcceptAction{Content: map[string]ElicitationContentValue{"a": ElicitationInteger(math.MaxInt64), "b": ElicitationInteger(1<<53 + 1)}}, "",
		},
		{
			"numbers of a form", `{"content":{"a":9223372036854775808,"b":0.1,"c":1.0,"d":-0.5e1}}`,
			&ElicitationAcceptAction{Content: map[string]ElicitationContentValue{
				"a": ElicitationNumber(1 << 63), "b": ElicitationNumber(0.1), "c": ElicitationInteger(1), "d": ElicitationInteger(-5),
			}},
			`{"content":{"a":9223372036854776000,"b":0.1,"c":1,"d":-5}}`, // the same double, in fewer digits
		},
		{"integer with a point", `{"used":1.0,"size":7e3}`, &UsageUpdate{Used: 1, Size: 7000}, `{"used":1,"size":7000}`},
		{"integer with an exponent that shrinks it", `{"used":1230e-1,"size":0.5E1}`, &UsageUpdate{Used: 123, Size: 5}, `{"used":123,"size":5}`},
		{"uint64 with an exponent", `{"used":1844674407370955161.5e1,"size":0}`, &UsageUpdate{Used: math.MaxUint64}, `{"used":18446744073709551615,"size":0}`},
		{"minus zero", `{"used":-0,"size":-0.0}`, &UsageUpdate{}, `{"used":0,"size":0}`},
		{"double", `{"amount":5e-324,"currency":"EUR"}`, &Cost{Amount: math.SmallestNonzeroFloat64, Currency: "EUR"}, ""},
		{"large double", `{"minimum":1.7976931348623157e+308}`, &NumberPropertySchema{Minimum: new(math.MaxFloat64)}, ""},
		{"raw numbers", `{"code":0,"message":"","data":[1.0,1e400,0.10,123456789012345678901234567890]}`, &Error{Data: wire.Raw(`[1.0,1e400,0.10,123456789012345678901234567890]`)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := messageCodec(test.want)
			checkSame(t, c, []byte(test.in), test.want, exactly)
			b, err := wire.Marshal(test.want)
			if err != nil {
				t.Fatal(err)
			}
			out := test.out
			if out == "" {
				out = test.in
			}
			if diff := cmp.Diff(out, string(b)); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
			for _, b := range [][]byte{[]byte(test.in), b} {
				if def := definition(t, typeName(test.want)); !verdict(t, def, b) {
					t.Errorf("the oracle refuses %s as %s", b, def)
				}
			}
		})
	}
}

func TestNumbersOutOfRange(t *testing.T) {
	for _, test := range []struct {
		name, in string
		into     wire.Message
		pointer  string
	}{
		{"uint16", `{"protocolVersion":65536}`, new(InitializeRequest), "/protocolVersion"},
		{"uint16 below", `{"protocolVersion":-1}`, new(InitializeRequest), "/protocolVersion"},
		{"uint32", `{"path":"/a","line":4294967296}`, new(ToolCallLocation), "/line"},
		{"uint64", `{"used":18446744073709551616,"size":0}`, new(UsageUpdate), "/used"},
		{"uint64 with an exponent", `{"used":1e20,"size":0}`, new(UsageUpdate), "/used"},
		{"uint64 below", `{"used":0,"size":-1}`, new(UsageUpdate), "/size"},
		{"int32", `{"code":2147483648,"message":""}`, new(Error), "/code"},
		{"int64", `{"maximum":9223372036854775808}`, new(IntegerPropertySchema), "/maximum"},
		{"fraction", `{"used":0.5,"size":0}`, new(UsageUpdate), "/used"},
		{"fraction far away", `{"used":1e-400,"size":0}`, new(UsageUpdate), "/used"},
		{"request id", `{"requestId":9223372036854775808}`, new(CancelRequestNotification), "/requestId"},
		{"request id with a fraction", `{"requestId":1.5}`, new(CancelRequestNotification), "/requestId"},
		{"integer as a string", `{"used":"1","size":0}`, new(UsageUpdate), "/used"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := wire.Decode([]byte(test.in), test.into, nil)
			if err == nil {
				t.Fatalf("decoded as %+v", test.into)
			}
			if list := violations(t, err); len(list) != 1 || list[0].Pointer != test.pointer {
				t.Errorf("got\n%swant one at %q", summary(list), test.pointer)
			}
			if def := definition(t, typeName(test.into)); verdict(t, def, []byte(test.in)) {
				t.Errorf("the oracle accepts %s as %s", test.in, def)
			}
		})
	}
}

// TestRequestIDs repeats an id as it came.
func TestRequestIDs(t *testing.T) {
	for _, id := range []string{
		"1", "1.0", "10e-1", `"1"`, "null", "0", "-0", `""`, `"req-7"`, "9223372036854775807", "-9223372036854775808", "9007199254740993", "1E2", `"null"`,
	} {
		t.Run(id, func(t *testing.T) {
			in := []byte(`{"requestId":` + id + `}`)
			var n CancelRequestNotification
			if err := wire.Unmarshal(in, &n); err != nil {
				t.Fatal(err)
			}
			b, err := wire.Marshal(&n)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(in), string(b)); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
			if !verdict(t, "CancelRequestNotification", b) {
				t.Errorf("the oracle refuses %s", b)
			}
		})
	}
}

// TestRawBytes keeps what the schema leaves open byte for byte, within one line.
func TestRawBytes(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"spaces", `{ "b" : 1.50 , "a" : [ 1E2 ] }`, ""},
		{"escapes", `{"\u0061":"\u003c\/\u00fc\ud83e\ude90"}`, ""},
		{"markup", `{"a":"<&>"}`, ""},
		{"tabs", "{\t\"a\":\t1}", ""},
		{"line breaks", "{\r\n  \"a\": [1.0,\n 2]\n}", `{"a":[1.0,2]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.raw
			}
			var call ToolCall
			if err := wire.Unmarshal([]byte(`{"toolCallId":"c","title":"t","rawInput":`+test.raw+`,"_meta":`+test.raw+`}`), &call); err != nil {
				t.Fatal(err)
			}
			if string(call.RawInput) != test.raw || string(call.Meta) != test.raw {
				t.Errorf("got %s and %s, want %s", call.RawInput, call.Meta, test.raw)
			}
			b, err := wire.Marshal(&call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(`{"toolCallId":"c","title":"t","rawInput":`+want+`,"_meta":`+want+`}`, string(b)); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
		})
	}
}
