package wire

import (
	"math/bits"
	"strconv"
	"strings"
)

// An Object is the state of reading one object with known members.
type Object struct {
	// Name is the name of the current member. It is valid until the next call of Key.
	Name []byte

	at    int    // offset of Name
	seen  uint64 // fields met, by index
	base  int    // start of the object's unknown names in Decoder.names
	start int
	outer scope
	tags  [2]string
	ntags int
	open  bool // between "{" and the first Key
}

// Object enters the object that comes next, as a value of the definition def. If there is none it records that and skips what is there; the Object then has
// no members and lacks nothing.
func (d *Decoder) Object(def string) (o Object, ok bool) {
	o.tags, o.ntags = d.tags, d.ntags
	d.ntags = 0
	if d.peek() != '{' {
		outer := d.scope
		d.scope = scope{def, d.pos}
		d.Mismatch("object (" + def + ")")
		d.scope = outer
		return o, false
	}
	o.start, o.base, o.outer = d.pos, len(d.names), d.scope
	if !d.enter() {
		return o, false
	}
	d.scope = scope{def, o.start}
	o.open = true
	return o, true
}

// Key goes to the next member of o and reads its name; the caller must then read its value. It reports false at the end of the object.
func (d *Decoder) Key(o *Object) bool {
	switch c := d.peek(); {
	case c == '}':
		d.pos++
		d.depth--
		d.names = d.names[:o.base]
		return false
	case o.open:
		o.open = false
	case c == ',':
		d.pos++
	default:
		if d.fatal == nil {
			d.unexpected(`"," or "}"`)
		}
		return false
	}
	o.Name, o.at = d.name()
	return d.fatal == nil
}

// Field notes that the current member is the field of that index, which is below 64, and records a duplicate.
func (d *Decoder) Field(o *Object, index int) {
	if bit := uint64(1) << (index & 63); o.seen&bit == 0 {
		o.seen |= bit
	} else {
		d.duplicate(o.at)
	}
}

// Unknown skips the value of a member that the schema does not name. The tag of a variant is none: it has been read already.
func (d *Decoder) Unknown(o *Object) {
	for i := range o.ntags {
		if string(o.Name) == o.tags[i] {
			d.Field(o, 63-i)
			d.Skip()
			return
		}
	}
	d.addName(o.Name, o.at, o.base)
	d.unknown++
	if len(d.unknowns) < d.limit {
		d.unknowns = append(d.unknowns, o.at)
	}
	d.Skip()
}

// End leaves o after its last member.
func (d *Decoder) End(o *Object) { d.scope = o.outer }

// Require records a violation for each field of required, a set of bits, that o has not met. names are the wire names by index, starting at base.
func (d *Decoder) Require(o *Object, required uint64, base int, def string, names []string) {
	missing := required << base &^ o.seen
	if missing == 0 || d.fatal != nil {
		return
	}
	for missing != 0 {
		i := bits.TrailingZeros64(missing)
		missing &= missing - 1
		d.missing(o.start, names[i-base], def)
	}
}

func (d *Decoder) missing(at int, name, def string) {
	d.addIssue(issue{at: at, keyword: "required", schema: "#/$defs/" + def + "/required", msg: "missing required " + strconv.Quote(name) + " (" + def + ")"})
}

// Within changes the definition that schema paths name, for the members of a definition that is flattened into another, and returns a function's worth of
// state for [Decoder.Back].
func (d *Decoder) Within(def string) string {
	outer := d.scope.def
	d.scope.def = def
	return outer
}

// Back undoes Within.
func (d *Decoder) Back(def string) { d.scope.def = def }

// Has reports whether a field index of o was met.
func (o *Object) Has(index int) bool { return o.seen>>(index&63)&1 != 0 }

// Tag looks ahead for the string member tag of the object that comes next, which is a value of the union def, and returns its value; the position stays. If
// there is no such object or tag it records that, skips the value and reports false.
func (d *Decoder) Tag(def, tag string) (value []byte, ok bool) {
	value, at, state := d.lookTag(tag)
	switch state {
	case tagFound:
		d.pushTag(tag)
		return value, true
	case tagMissing:
		d.missing(d.pos, tag, def)
	case tagNotString:
		d.addIssue(issue{at: at, keyword: "type", schema: "#/$defs/" + def, msg: "expected string (tag of " + def + ")"})
	case tagNoObject:
		outer := d.scope
		d.scope = scope{def, d.pos}
		d.Mismatch("object (" + def + ")")
		d.scope = outer
		return nil, false
	}
	d.Skip()
	return nil, false
}

// OptionalTag is [Decoder.Tag] for a union with a default variant. found is false if the tag is missing or not a string; the value is then left to the default
// variant. ok is false if there is no object.
func (d *Decoder) OptionalTag(def, tag string) (value []byte, found, ok bool) {
	value, _, state := d.lookTag(tag)
	if state == tagNoObject {
		d.Tag(def, tag)
		return nil, false, false
	}
	return value, state == tagFound, true
}

// Tagged says that the object that comes next is a variant whose tag is that member: the member is known and may be passed over.
func (d *Decoder) Tagged(tag string) { d.pushTag(tag) }

func (d *Decoder) pushTag(tag string) {
	if d.ntags < len(d.tags) {
		d.tags[d.ntags] = tag
		d.ntags++
	}
}

// UnknownTag records that the value of tag, which Tag has found, is none of the variants of def, and skips the object.
func (d *Decoder) UnknownTag(def, tag string, known ...string) {
	_, at, _ := d.lookTag(tag)
	d.ntags = 0
	d.Skip()
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: "discriminator", schema: "#/$defs/" + def, msg: "unknown " + strconv.Quote(tag) + " (" + def + "), expected " + oneOf(known)})
	}
}

// KeepUnknown reports whether unknown variants of the closed union def are kept, and notes the repair.
func (d *Decoder) KeepUnknown(def, tag string) bool {
	if d.keep {
		d.addFix(fix{at: d.pos, action: Kept, msg: "unknown " + strconv.Quote(tag) + " (" + def + ")"})
		d.ntags = 0
	}
	return d.keep
}

// NotOneOf records that the string just read, which starts at offset at, is none of the values of the enum def.
func (d *Decoder) NotOneOf(at int, def string, values ...string) {
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: "enum", schema: "#/$defs/" + def, msg: "unknown " + def + ", expected " + oneOf(values)})
	}
}

// NoVariant records that the next value fits no variant of the union def, and skips it.
func (d *Decoder) NoVariant(def, want string) {
	d.peek()
	at := d.pos
	d.ntags = 0
	d.Skip()
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: "anyOf", schema: "#/$defs/" + def, msg: "expected " + want + " (" + def + ")"})
	}
}

// Start returns where the next value starts.
func (d *Decoder) Start() int {
	d.peek()
	return d.pos
}

// oneOf lists values as JSON strings; a lone value stands for itself.
func oneOf(values []string) string {
	var b strings.Builder
	if len(values) > 1 {
		b.WriteString("one of ")
	}
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(v))
	}
	return b.String()
}

type tagState int

const (
	tagFound tagState = iota
	tagMissing
	tagNotString
	tagNoObject
)

// Since returns a copy of what was read since offset, in which a lenient decode has replaced lone surrogates.
func (d *Decoder) Since(offset int) Raw {
	if d.fatal != nil {
		return nil
	}
	raw := Raw(d.buf[offset:d.pos]).Clone()
	if d.replaced > 0 {
		replaceSurrogates(raw)
	}
	return raw
}

// Extra reads the value of a member that an unknown variant keeps.
func (d *Decoder) Extra(o *Object) Member {
	for i := range o.ntags {
		if string(o.Name) == o.tags[i] {
			d.Unknown(o)
			return Member{}
		}
	}
	d.addName(o.Name, o.at, o.base)
	name := string(o.Name)
	return Member{Name: name, Value: d.Raw()}
}
