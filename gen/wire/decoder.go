package wire

import "sync"

// DefaultMaxDepth is how deep a value may nest if [DecodeOptions.MaxDepth] is zero.
const DefaultMaxDepth = 10000

// DefaultMaxViolations is how many violations a decode collects if [DecodeOptions.MaxViolations] is zero.
const DefaultMaxViolations = 64

// shareLimit is the largest input whose decoded strings share one copy of it. Larger inputs copy each string, so that keeping one
// short string never keeps a long frame alive.
const shareLimit = 8 << 10

// keepOut is the largest scratch memory for strings that stays in the pool.
const keepOut = 64 << 10

// DecodeOptions change how a value is decoded. The zero value is a strict decode.
type DecodeOptions struct {
	// Lenient applies the schema's x-deserialize-* tolerance, and replaces lone surrogates by U+FFFD. Every repair is reported. If false, decoding is strict.
	Lenient bool
	// KeepUnknownVariants keeps a variant that a closed union does not know as its Unknown type instead of rejecting it, and reports it as a
	// repair. It is for readers who must survive a newer peer. It has no effect unless Lenient is set.
	KeepUnknownVariants bool
	// MaxDepth bounds nesting. If zero, DefaultMaxDepth.
	MaxDepth int
	// MaxViolations bounds how many violations, and how many repairs, are collected; the rest is only counted. If zero, DefaultMaxViolations.
	MaxViolations int
}

// An Unmarshaler decodes itself from d, reporting violations to it. Every generated type is one.
type Unmarshaler interface {
	// UnmarshalWire reads one value from d and sets the receiver to it, which is unspecified if d finds the value invalid.
	UnmarshalWire(d *Decoder)
}

// A Decoder reads one JSON value from memory and checks it on the way. Generated code drives it; callers use [Decode] or, to decode parts of a
// frame, [NewDecoder], the reading methods, [Decoder.Finish] and [Decoder.Release].
//
// The reading methods never fail in a way the caller must check: a value of the wrong kind is recorded as a violation and skipped, and after a
// syntax error every method returns zero values until the input ends. A Decoder is not safe for concurrent use.
type Decoder struct {
	buf []byte
	pos int
	str string // shared copy of buf for strings, made on first use
	out []byte // scratch memory for the value of a string with escapes

	depth    int
	maxDepth int
	limit    int
	lenient  bool
	keep     bool

	scope  scope     // the definition being decoded, for schema paths
	tags   [2]string // tags of the variant about to be decoded
	ntags  int
	stack  []byte   // open containers while skipping
	names  [][]byte // names seen in open objects that are not known fields
	high   int      // most names there were at once
	bases  []int    // start of each open object's names while skipping
	maps   []nameMap
	fatal  *fault
	faults []fault
	issues []issue
	fixes  []fix

	failed   int // violations that stand, also those beyond the limit
	lost     lost
	unknown  int
	nulls    int
	unknowns []int // offsets of unknown members' names
	replaced int   // lone surrogates that a lenient decode has read
	read     int   // end of what was read before a Seek back
}

// lost counts what was found beyond the limit.
type lost struct{ faults, issues, fixes int }

// A scope is a definition and where its value starts.
type scope struct {
	def   string
	start int
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// NewDecoder returns a decoder that reads b, from a pool. If opts is nil, the zero DecodeOptions. The decoder keeps b until Release and does not
// change it; decoded values never alias it.
func NewDecoder(b []byte, opts *DecodeOptions) *Decoder {
	d := decoders.Get().(*Decoder)
	d.buf = b
	d.maxDepth, d.limit = DefaultMaxDepth, DefaultMaxViolations
	if opts != nil {
		d.lenient, d.keep = opts.Lenient, opts.Lenient && opts.KeepUnknownVariants
		if opts.MaxDepth > 0 {
			d.maxDepth = opts.MaxDepth
		}
		if opts.MaxViolations > 0 {
			d.limit = opts.MaxViolations
		}
	}
	return d
}

// Release returns d to the pool. d must not be used afterwards; decoded values and reports stay valid.
func (d *Decoder) Release() {
	out := d.out
	if cap(out) > keepOut {
		out = nil
	}
	*d = Decoder{
		out: out, stack: empty(d.stack), bases: empty(d.bases), names: empty(d.names[:d.high]), maps: empty(d.maps),
		faults: empty(d.faults), issues: empty(d.issues), fixes: empty(d.fixes), unknowns: empty(d.unknowns),
	}
	decoders.Put(d)
}

// empty empties s without letting its backing array keep what it held, and gives up an array that grew out of the ordinary.
func empty[T any](s []T) []T {
	if cap(s) > 1024 {
		return nil
	}
	clear(s)
	return s[:0]
}

// truncate is s[:n] without letting the backing array keep the rest.
func truncate[T any](s []T, n int) []T {
	clear(s[n:])
	return s[:n]
}

// Decode decodes b into v and says what it found. The error is nil if b is valid, or was repaired by a lenient decode; otherwise it is an
// [*InvalidError] whose violations are those of the report. v's content is unspecified when the error is not nil.
func Decode(b []byte, v Unmarshaler, opts *DecodeOptions) (Report, error) {
	d := NewDecoder(b, opts)
	defer d.Release()
	v.UnmarshalWire(d)
	d.EOF()
	return d.Finish()
}

// EOF checks that nothing but white space follows.
func (d *Decoder) EOF() {
	if d.fatal != nil {
		return
	}
	d.space()
	if d.pos < len(d.buf) {
		d.syntax(d.pos, "unexpected data after the value")
	}
}

// Valid reports whether nothing wrong was found so far.
func (d *Decoder) Valid() bool {
	return d.fatal == nil && len(d.faults) == 0 && d.failed == 0
}

// Finish returns the report of everything decoded so far, and an [*InvalidError] if something in it is invalid.
func (d *Decoder) Finish() (Report, error) {
	r := Report{Unknown: d.unknown, Nulls: d.nulls}
	if d.Valid() && len(d.fixes) == 0 && d.unknown == 0 {
		return r, nil
	}
	omitted := d.describe(&r)
	if len(r.Violations) == 0 {
		return r, nil
	}
	return r, &InvalidError{Violations: r.Violations, Omitted: omitted}
}

// Offset returns the position of the next unread byte.
func (d *Decoder) Offset() int { return d.pos }

// Seek moves to offset, which an earlier Offset returned. It is for reading a part again, when what decides its type stood behind it.
func (d *Decoder) Seek(offset int) {
	if d.fatal == nil {
		d.read = max(d.read, d.pos)
		d.pos = offset
	}
}

// A Mark is a point to which a lenient decode can roll back.
type Mark struct {
	pos, failed, issues, fixes, unknown, nulls, unknowns int
	lost                                                 lost
}

// Mark notes the state before a value that leniency may replace. A strict decode notes nothing.
func (d *Decoder) Mark() (m Mark) {
	if d.lenient {
		m = d.mark()
	}
	return m
}

func (d *Decoder) mark() Mark {
	return Mark{d.pos, d.failed, len(d.issues), len(d.fixes), d.unknown, d.nulls, len(d.unknowns), d.lost}
}

// Repair reports whether the value since m is invalid and the decode is lenient. If so it forgets what was noted about the value (violations, inner
// repairs, unknown members, nulls; never that it is not JSON), and records that the value was replaced as action says; the caller then sets the replacement.
func (d *Decoder) Repair(m Mark, action Action) bool {
	return d.lenient && d.repair(&m, action)
}

func (d *Decoder) repair(m *Mark, action Action) bool {
	if d.failed == m.failed || d.fatal != nil {
		return false
	}
	why := "invalid value"
	if len(d.issues) > m.issues {
		why = d.issues[m.issues].msg
	}
	d.failed, d.unknown, d.nulls = m.failed, m.unknown, m.nulls
	d.lost.issues, d.lost.fixes = m.lost.issues, m.lost.fixes
	d.issues = truncate(d.issues, m.issues)
	d.fixes = truncate(d.fixes, m.fixes)
	d.unknowns = d.unknowns[:m.unknowns]
	d.addFix(fix{at: d.valueStart(m.pos), action: action, msg: why})
	return true
}

// valueStart skips the separators that stand before the value at pos.
func (d *Decoder) valueStart(pos int) int {
	for pos < len(d.buf) {
		switch d.buf[pos] {
		case ' ', '\t', '\r', '\n', ':', ',':
			pos++
		default:
			return pos
		}
	}
	return pos
}

func (d *Decoder) addFix(f fix) {
	if len(d.fixes) >= d.limit {
		d.lost.fixes++
		return
	}
	d.fixes = append(d.fixes, f)
}

func (d *Decoder) addIssue(i issue) {
	d.failed++
	if len(d.issues) >= d.limit {
		d.lost.issues++
		return
	}
	i.scope = d.scope
	d.issues = append(d.issues, i)
}
