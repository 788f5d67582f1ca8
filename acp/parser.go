package acp

import (
	"bytes"
	"strconv"

	"github.com/acpwire/acpwire/gen/wire"
)

// A Pending is a request that a response may answer.
type Pending struct {
	// Method is what the request called. It is nil for an extension whose result is any value.
	Method *wire.Method
	// Result is decoded into. If nil, a new value of the method's result is.
	Result wire.Unmarshaler
}

// A Parser parses the frames of one sender. Create it with [NewParser] and set the fields before its first use; then it is safe for concurrent use if Pending is.
type Parser struct {
	// Pending returns the request of the other side that has this id and has no answer yet. If nil, no request is pending.
	Pending func(id wire.RequestID) (Pending, bool)
	// Decode are the options for params and results.
	Decode wire.DecodeOptions

	methods map[string]entry
	from    wire.Side
}

// An entry is what a method name stands for.
type entry struct {
	name                  string
	request, notification *wire.Method
}

// NewParser returns a parser of what the side from sends, or of what either side sends if from is [wire.BothSides]. The extensions are known besides the
// methods of the surface and win over them.
func NewParser(surface *wire.Surface, from wire.Side, extensions ...*wire.Method) *Parser {
	p := &Parser{methods: make(map[string]entry, len(surface.Methods)), from: from}
	for _, list := range [][]*wire.Method{surface.Methods, extensions} {
		for _, m := range list {
			e := p.methods[m.Name]
			e.name = m.Name
			if m.IsNotification() {
				e.notification = m
			} else {
				e.request = m
			}
			p.methods[m.Name] = e
		}
	}
	return p
}

// Members of the envelope, as bits.
const (
	memberJSONRPC = iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
)

// A parse is the state of reading one frame.
type parse struct {
	*Parser
	d    *wire.Decoder
	line []byte
	f    *Frame

	entry    entry
	known    bool // entry is one
	idAt     int
	methodAt int
	bodyAt   int // the params or result, to be read again once their type is known; -1 if read
	pending  Pending
	answers  bool // pending is one
	looked   bool
	extra    []wire.Violation
}

// Parse parses one line, without its line end, into f. It never fails: what is wrong is in f.Violations. f.Raw and f.Method may alias line; decoded values do not.
// Params and results are decoded in the same pass where what decides their type stands before them.
func (p *Parser) Parse(line []byte, f *Frame) {
	*f = Frame{}
	d := wire.NewDecoder(line, &p.Decode)
	r := parse{Parser: p, d: d, line: line, f: f, bodyAt: -1}
	switch d.Peek() {
	case '{':
		r.object()
	case '[':
		d.Skip()
		d.EOF()
		r.envelope(0, "", "expected one object; ACP has no batches")
	default:
		d.Skip()
		d.EOF()
		r.envelope(0, "", "expected an object")
	}
	r.report()
	d.Release()
}

func (r *parse) object() {
	d := r.d
	o, ok := d.Object("frame")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "jsonrpc":
			d.Field(&o, memberJSONRPC)
			r.version()
		case "id":
			d.Field(&o, memberID)
			r.id()
		case "method":
			d.Field(&o, memberMethod)
			r.method()
		case "params":
			d.Field(&o, memberParams)
			r.params(o.Has(memberID), o.Has(memberMethod))
		case "result":
			d.Field(&o, memberResult)
			r.result(o.Has(memberID))
		case "error":
			d.Field(&o, memberError)
			r.failure(o.Has(memberID))
		default:
			d.Unknown(&o)
		}
	}
	d.End(&o)
	d.EOF()
	if !d.Fatal() {
		r.finish(&o)
	}
}

func (r *parse) version() {
	at := r.d.Start()
	if r.d.Peek() == '"' {
		if s, ok := r.d.Text(); string(s) == "2.0" || !ok {
			return
		}
	} else {
		r.d.Skip()
	}
	r.envelope(at, "/jsonrpc", `expected "2.0"`)
}

func (r *parse) id() {
	d := r.d
	r.idAt = d.Start()
	d.Skip()
	if d.Fatal() {
		return
	}
	text := r.line[r.idAt:d.Offset()]
	if n, ok := smallInt(text); ok {
		r.f.ID, r.f.HasID = wire.IntID(n), true
		return
	}
	var id wire.RequestID
	if _, err := wire.Decode(text, &id, &r.Decode); err == nil {
		r.f.ID, r.f.HasID = id, true
		return
	}
	r.f.ID, r.f.HasID = wire.RequestID{}, false
	r.envelope(r.idAt, "/id", "expected a string, an integer of 64 bits or null")
}

// smallInt parses a number in plain digits that cannot overflow.
func smallInt(text []byte) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func (r *parse) method() {
	d := r.d
	r.methodAt = d.Start()
	r.entry, r.known, r.f.Method = entry{}, false, ""
	if d.Peek() != '"' {
		d.Skip()
		r.envelope(r.methodAt, "/method", "expected a string")
		return
	}
	s, ok := d.Text()
	switch {
	case !ok:
	case len(s) == 0:
		r.envelope(r.methodAt, "/method", "expected the name of a method")
	default:
		if r.entry, r.known = r.methods[string(s)]; r.known {
			r.f.Method = r.entry.name
		} else {
			r.f.Method = string(s)
		}
	}
}

// spec returns the row of the method table that the frame means. sure is false if that depends on an id that may still come.
func (r *parse) spec(hasID bool) (m *wire.Method, sure bool) {
	switch e := r.entry; {
	case e.request == nil:
		return e.notification, true
	case e.notification == nil:
		return e.request, true
	case hasID:
		return e.request, true
	default:
		return e.notification, false
	}
}

func (r *parse) params(hasID, hasMethod bool) {
	d := r.d
	at := d.Start()
	switch d.Peek() {
	case 'n':
		d.ExplicitNull()
		return
	case '{', '[':
	default:
		d.Skip()
		r.envelope(at, "/params", "expected an object")
		return
	}
	m, sure := r.spec(hasID)
	if hasMethod && sure && m != nil {
		r.decode(m, m.NewParams())
	} else {
		r.bodyAt = at
		d.Skip()
	}
	if !d.Fatal() {
		r.f.Raw = r.line[at:d.Offset()]
	}
}

// decode reads the value that comes next into v.
func (r *parse) decode(m *wire.Method, v wire.Unmarshaler) {
	r.f.Spec = m
	r.f.Value, _ = v.(wire.Message)
	r.bodyAt = -1
	v.UnmarshalWire(r.d)
}

func (r *parse) result(hasID bool) {
	at := r.d.Start()
	if hasID && r.find() && r.resultType() {
		r.answer()
	} else {
		r.bodyAt = at
		r.d.Skip()
	}
	if !r.d.Fatal() {
		r.f.Raw = r.line[at:r.d.Offset()]
	}
}

// find looks up the request that the frame answers.
func (r *parse) find() bool {
	if !r.looked && r.f.HasID && r.Pending != nil {
		r.looked = true
		r.pending, r.answers = r.Pending(r.f.ID)
	}
	return r.answers
}

func (r *parse) resultType() bool {
	return r.pending.Result != nil || r.pending.Method != nil && !r.pending.Method.IsNotification()
}

func (r *parse) answer() {
	v := r.pending.Result
	if v == nil {
		v = r.pending.Method.NewResult()
	}
	r.decode(r.pending.Method, v)
}

func (r *parse) failure(hasID bool) {
	if hasID {
		r.find() // also if nothing after it can be read: the request has had its answer
	}
	r.f.Error = new(Error)
	r.f.Error.UnmarshalWire(r.d)
}

func (r *parse) envelope(at int, pointer, msg string) { r.violation(RuleEnvelope, at, pointer, msg) }

func (r *parse) violation(rule wire.Rule, at int, pointer, msg string) {
	if r.d.Fatal() {
		return
	}
	v := wire.Violation{Rule: rule, Pointer: pointer, Offset: at, Message: msg}
	if pointer != "" {
		v.Got = wire.Excerpt(r.line, at)
	}
	r.extra = append(r.extra, v)
}

// report collects everything that was found.
func (r *parse) report() {
	if r.d.Valid() && r.extra == nil {
		r.f.Report, _ = r.d.Finish()
		return
	}
	fatal := r.d.Fatal()
	report, _ := r.d.Finish()
	if fatal {
		// What came before a syntax error is not certain either.
		*r.f = Frame{Report: report}
		r.hint()
		return
	}
	report.Violations = append(report.Violations, r.extra...)
	r.f.Report = report
	r.f.order()
}

// hint adds to a syntax error what people get wrong most often.
func (r *parse) hint() {
	v := &r.f.Violations[len(r.f.Violations)-1]
	switch line := bytes.TrimSpace(r.line); {
	case v.Pointer != "":
	case bytes.HasPrefix(bytes.ToLower(line[:min(len(line), 15)]), []byte("content-length:")):
		v.Message = "Content-Length header; ACP over stdio is one JSON object on each line, without headers"
	case bytes.HasPrefix(line, []byte("\xef\xbb\xbf")):
		v.Message = "byte order mark before the object"
	case v.Offset >= len(r.line):
		v.Message += "; a frame must be one line"
	}
}

// quoted returns name as a JSON string.
func quoted(name string) string { return strconv.Quote(name) }
