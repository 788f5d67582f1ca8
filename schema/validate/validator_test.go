package validate_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/schema/validate"
)

func newValidator(t testing.TB, surface string) *validate.Validator {
	t.Helper()
	v, err := validate.New(surface)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// kindOf names the type of an error as a caller can tell it.
func kindOf(err error) string {
	var (
		data          *validate.DataError
		schemaError   *validate.SchemaError
		syntax        *validate.SyntaxError
		unknownMethod *validate.UnknownMethodError
		unknownDef    *validate.UnknownDefError
		limit         *validate.LimitError
	)
	// Wrapped, as a caller would.
	wrapped := fmt.Errorf("frame: %w", err)
	switch {
	case err == nil:
		return "valid"
	case errors.As(wrapped, &data):
		return "data"
	case errors.As(wrapped, &schemaError):
		return "schema"
	case errors.As(wrapped, &syntax):
		return "syntax"
	case errors.As(wrapped, &unknownMethod):
		return "method"
	case errors.As(wrapped, &unknownDef):
		return "def"
	case errors.As(wrapped, &limit):
		return "limit"
	}
	return fmt.Sprintf("%T", err)
}

// A verdict is a call's error and the kind it must be of.
type verdict struct {
	name string
	err  error
	want string
}

func checkVerdicts(t *testing.T, verdicts []verdict) {
	t.Helper()
	for _, test := range verdicts {
		t.Run(test.name, func(t *testing.T) {
			if got := kindOf(test.err); got != test.want {
				t.Errorf("got %s, want %s: %v", got, test.want, test.err)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	v := newValidator(t, "v1")
	params := func(method, raw string) error { return v.Params(method, []byte(raw)) }
	result := func(method, raw string) error { return v.Result(method, []byte(raw)) }
	checkVerdicts(t, []verdict{
		{"params valid", params("session/cancel", `{"sessionId":"s"}`), "valid"},
		{"params wrong", params("session/cancel", `{"sessionId":1}`), "data"},
		{"params absent", v.Params("session/list", nil), "valid"},
		{"params absent, something required", v.Params("session/cancel", nil), "data"},
		{"params null", params("session/list", " null "), "valid"},
		{"params null, something required", params("session/cancel", "null"), "data"},
		{"params array", params("session/list", `[]`), "data"},
		{"params scalar", params("session/list", `5`), "data"},
		{"params blank", params("session/list", " "), "syntax"},
		{"params of an unknown method", params("session/fly", `{}`), "method"},
		{"params of an extension", params("_own/thing", `{}`), "method"},
		{"params, case of the method", params("Session/list", `{}`), "method"},
		{"keys are case-sensitive", params("session/cancel", `{"SessionId":"s"}`), "data"},
		{"unknown properties are allowed", params("session/cancel", `{"sessionId":"s","x":1}`), "valid"},
		{"request params", v.ParamsOf(validate.KindRequest, "session/list", []byte(`{}`)), "valid"},
		{"request that is a notification", v.ParamsOf(validate.KindRequest, "session/cancel", []byte(`{"sessionId":"s"}`)), "method"},
		{"notification that is a request", v.ParamsOf(validate.KindNotification, "session/list", nil), "method"},
		{"result valid", result("session/load", `{}`), "valid"},
		{"result is judged by the result's definition", result("session/load", `{"modes":5}`), "data"},
		{"result null is no object", result("session/load", `null`), "data"},
		{"result absent", v.Result("session/load", nil), "syntax"},
		{"result of a notification", result("session/cancel", `{}`), "method"},
		{"error object", v.Error([]byte(`{"code":-32000,"message":"m","data":null}`)), "valid"},
		{"error object of an unlisted code", v.Error([]byte(`{"code":1,"message":""}`)), "valid"},
		{"error object without a message", v.Error([]byte(`{"code":1}`)), "data"},
		{"error code beyond int32", v.Error([]byte(`{"code":2147483648,"message":""}`)), "data"},
		{"definition", v.Def("ContentBlock", []byte(`{"type":"text","text":""}`)), "valid"},
		{"definition unknown", v.Def("Nothing", []byte(`{}`)), "def"},
		{"definition by pointer", v.Def("../$defs/ContentBlock", []byte(`{}`)), "def"},

		{"default variant takes a known tag that failed", params("session/new", `{"cwd":"/","mcpServers":[{"type":"http","name":"n","command":"c","args":[],"env":[]}]}`), "valid"},
		{"default variant of a config value", params("session/set_config_option", `{"sessionId":"s","configId":"c","type":"boolean","value":"v"}`), "valid"},
		{"unknown tag of a closed union", params("session/prompt", `{"sessionId":"s","prompt":[{"type":"_own"}]}`), "data"},
		{"unknown tag of an open union", result("elicitation/create", `{"action":"_own"}`), "valid"},
		{"known tag of an open union", result("elicitation/create", `{"action":"accept","content":5}`), "data"},
	})
}

func TestStrictJSON(t *testing.T) {
	v := newValidator(t, "v1")
	params := func(method, raw string) error { return v.Params(method, []byte(raw)) }
	deep := func(n int) string {
		return `{"_meta":{"d":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	checkVerdicts(t, []verdict{
		{"duplicate name", params("session/cancel", `{"sessionId":"s","sessionId":"s"}`), "syntax"},
		{"duplicate name, escaped, deep", params("session/cancel", `{"sessionId":"s","_meta":{"a":1,"\u0061":1}}`), "syntax"},
		{"invalid UTF-8", params("session/cancel", "{\"sessionId\":\"\xff\"}"), "syntax"},
		{"lone surrogate", params("session/cancel", `{"sessionId":"\ud800"}`), "syntax"},
		{"lone low surrogate in a name", params("session/cancel", `{"sessionId":"s","\udc00":1}`), "syntax"},
		{"surrogate pair", params("session/cancel", `{"sessionId":"\ud83d\ude00"}`), "valid"},
		{"byte order mark", params("session/list", "\ufeff{}"), "syntax"},
		{"trailing data", params("session/list", `{} {}`), "syntax"},
		{"trailing garbage", params("session/list", `{}x`), "syntax"},
		{"cut off", params("session/list", `{"cwd":"`), "syntax"},
		{"leading zero", params("$/cancel_request", `{"requestId":01}`), "syntax"},
		{"control character", params("session/cancel", "{\"sessionId\":\"\t\"}"), "syntax"},
		{"10000 levels", params("session/list", deep(9998)), "valid"},
		{"10001 levels", params("session/list", deep(9999)), "syntax"},
		{"as many values as allowed", params("session/list", `{"_meta":{"a":[`+strings.Repeat("0,", validate.MaxValues-4)+`0]}}`), "valid"},
		{"one value more", params("session/list", `{"_meta":{"a":[`+strings.Repeat("0,", validate.MaxValues-3)+`0]}}`), "limit"},
	})
}

func TestNumbers(t *testing.T) {
	v := newValidator(t, "v1")
	int64Field := func(n string) error { return v.Params("$/cancel_request", []byte(`{"requestId":`+n+`}`)) }
	uint32Field := func(n string) error {
		return v.Params("fs/read_text_file", []byte(`{"sessionId":"s","path":"/p","line":`+n+`}`))
	}
	uint64Field := func(n string) error {
		return v.Params("terminal/create", []byte(`{"sessionId":"s","command":"c","outputByteLimit":`+n+`}`))
	}
	uint16Field := func(n string) error { return v.Params("initialize", []byte(`{"protocolVersion":`+n+`}`)) }
	int32Field := func(n string) error { return v.Error([]byte(`{"message":"","code":` + n + `}`)) }
	double := func(n string) error { return v.Def("Cost", []byte(`{"currency":"EUR","amount":`+n+`}`)) }
	digits := strings.Repeat("1234567890", 20000)
	for name, test := range map[string]struct {
		judge          func(string) error
		valid, invalid []string
	}{
		"int64": {int64Field,
			[]string{"-9223372036854775808", "9223372036854775807", "9223372036854775807.0", "9223372036854775807.000e0", "1.0", "7e3", "-0", "0e999999999999999999999", "100e-2", "922337203685477580700e-2"},
			[]string{"-9223372036854775809", "9223372036854775808", "9223372036854775807.5", "9223372036854775807" + ".0000000000000000000000000000000000000000000000000000000000000000000000000000001",
				"1.5", "1e19", "1e400", "1e999999999999999999999", "1e-400", "1e-999999999999999999999", "5e-1", digits, "0." + digits}},
		"uint64": {uint64Field,
			[]string{"null", "0", "18446744073709551615", "18446744073709551615.0", "1844674407370955161500e-2", "0.0e-5"},
			[]string{"-1", "18446744073709551616", "-1e-400", "1e20", "-1e999999999"}},
		"uint32": {uint32Field, []string{"0", "4294967295", "42e8", "null"}, []string{"-1", "4294967296", "0.5", "43e8"}},
		"uint16": {uint16Field, []string{"0", "65535", "6.5535e4"}, []string{"-1", "65536", "65534.5", "null"}},
		"int32":  {int32Field, []string{"-2147483648", "2147483647"}, []string{"-2147483649", "2147483648"}},
		"double": {double, []string{"0", "-1.5", "1e400", "-1e999999999999999999999", "1e-999999999", digits, "0." + digits, digits + "e-" + digits[:50]}, []string{"null", `"1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range test.valid {
				if err := test.judge(n); err != nil {
					t.Errorf("%.60s: want valid, got %v", n, err)
				}
			}
			for _, n := range test.invalid {
				if err := test.judge(n); kindOf(err) != "data" {
					t.Errorf("%.60s: want a data error, got %v", n, err)
				}
			}
		})
	}
}

func TestMethods(t *testing.T) {
	v := newValidator(t, "v1")
	methods := v.Methods()
	for _, want := range []validate.Method{
		{Name: "session/prompt", Side: "agent", Kind: validate.KindRequest, Params: "PromptRequest", Result: "PromptResponse"},
		{Name: "fs/read_text_file", Side: "client", Kind: validate.KindRequest, Params: "ReadTextFileRequest", Result: "ReadTextFileResponse"},
		{Name: "session/update", Side: "client", Kind: validate.KindNotification, Params: "SessionNotification"},
		{Name: "session/cancel", Side: "agent", Kind: validate.KindNotification, Params: "CancelNotification"},
		{Name: "$/cancel_request", Side: "protocol", Kind: validate.KindNotification, Params: "CancelRequestNotification"},
	} {
		i := slices.IndexFunc(methods, func(m validate.Method) bool { return m.Name == want.Name })
		if i < 0 {
			t.Errorf("no method %s", want.Name)
		} else if diff := cmp.Diff(want, methods[i]); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	}
	if len(methods) != 25 {
		t.Errorf("%d methods, want 25", len(methods))
	}
	methods[0].Name = "changed"
	if v.Methods()[0].Name == "changed" {
		t.Error("a caller's change shows through")
	}
	if defs := v.Defs(); !slices.IsSorted(defs) || !slices.Contains(defs, "ContentBlock") {
		t.Errorf("definitions are not sorted or not complete: %v", defs)
	}
}

// In the unstable surfaces one name is a request and a notification.
func TestMethodOfTwoKinds(t *testing.T) {
	v := newValidator(t, "v1-unstable")
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"request", v.ParamsOf(validate.KindRequest, "mcp/message", nil), "MessageMcpRequest"},
		{"notification", v.ParamsOf(validate.KindNotification, "mcp/message", nil), "MessageMcpNotification"},
		{"unspecified is the request", v.Params("mcp/message", nil), "MessageMcpRequest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var wrong *validate.DataError
			if !errors.As(test.err, &wrong) || wrong.Definition != test.want {
				t.Errorf("want an error of %s, got %v", test.want, test.err)
			}
		})
	}
}

func TestUnknownSurface(t *testing.T) {
	if _, err := validate.New("v9"); !errors.Is(err, schema.ErrSurface) {
		t.Errorf("error %v does not wrap ErrSurface", err)
	}
}

// Every definition of every surface compiles, and judges something.
func TestAllDefinitionsCompile(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			t.Parallel()
			v := newValidator(t, surface)
			for _, name := range v.Defs() {
				if kind := kindOf(v.Def(name, []byte(`{}`))); kind != "valid" && kind != "data" {
					t.Errorf("%s: %s", name, kind)
				}
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	v := newValidator(t, "v1")
	defs := v.Defs()
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range defs {
				name := defs[(i+worker*len(defs)/16)%len(defs)]
				if kind := kindOf(v.Def(name, []byte(`[{}]`))); kind != "valid" && kind != "data" {
					t.Errorf("%s: %s", name, kind)
				}
			}
			for range 50 {
				err := v.Params("session/update", []byte(`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{}]}}`))
				var wrong *validate.DataError
				if !errors.As(err, &wrong) || len(wrong.Violations) != 3 {
					t.Errorf("want three violations, got %v", err)
				}
			}
		})
	}
	group.Wait()
}

// A list of nothing but wrong items is an error of bounded size, found in bounded time.
func TestManyWrongItems(t *testing.T) {
	v := newValidator(t, "v1")
	items := strings.Repeat("5,", validate.MaxValues/2)
	for name, err := range map[string]error{
		"items": v.Params("session/prompt", []byte(`{"sessionId":"s","prompt":[`+items+`5]}`)),
		"map": v.Def("AuthMethodTerminal", []byte(`{"id":"i","name":"n","env":{`+func() string {
			var b strings.Builder
			for i := range 10000 {
				fmt.Fprintf(&b, `"k%d":5,`, i)
			}
			return b.String()
		}()+`"":5}}`)),
	} {
		var wrong *validate.DataError
		if !errors.As(err, &wrong) || len(wrong.Violations) != validate.MaxWrongItems+1 {
			t.Errorf("%s: want %d violations and a note, got %v", name, validate.MaxWrongItems, err)
			continue
		}
		if last := wrong.Violations[len(wrong.Violations)-1].String(); !strings.Contains(last, "more may be wrong") {
			t.Errorf("%s: last violation is %q", name, last)
		}
	}
}

// The oracle must stay independent of what it judges.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if strings.Contains(path, "acpwire/gen") || strings.Contains(path, "httploader") {
			t.Errorf("imports %s", path)
		}
	}
}
