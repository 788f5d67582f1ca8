package wire

// The types here decode the way generated code does: required and optional members, leniency, a tagged union, a member of unions with a default.

// A note is a message.
type note struct {
	Title  string
	Level  *uint64
	Tags   []string
	Body   body
	Due    Nullable[int64]
	Labels map[string]string
	Meta   Meta
}

var noteNames = []string{"title", "level", "tags", "body", "due", "labels", "_meta"}

func (x *note) UnmarshalWire(d *Decoder) {
	*x = note{}
	o, ok := d.Object("Note")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "title":
			d.Field(&o, 0)
			x.Title = d.MinString(1)
		case "level":
			d.Field(&o, 1)
			m := d.Mark()
			if !d.Null() {
				x.Level = new(d.Uint(9, "uint4"))
			}
			if d.Repair(m, Defaulted) {
				x.Level = nil
			}
		case "tags":
			d.Field(&o, 2)
			m := d.Mark()
			if d.NullEmpty() {
				x.Tags = []string{}
			} else {
				x.Tags = decodeTags(d)
			}
			if d.Repair(m, Defaulted) {
				x.Tags = nil
			}
		case "body":
			d.Field(&o, 3)
			x.Body = decodeBody(d)
		case "due":
			d.Field(&o, 4)
			if d.ExplicitNull() {
				x.Due = Null[int64]()
			} else {
				x.Due = Value(d.Int(-1<<31, 1<<31-1, "int32"))
			}
		case "labels":
			d.Field(&o, 5)
			x.Labels = decodeLabels(d)
		case "_meta":
			d.Field(&o, 6)
			m := d.Mark()
			if !d.Null() {
				x.Meta = d.RawObject()
			}
			if d.Repair(m, Defaulted) {
				x.Meta = nil
			}
		default:
			d.Unknown(&o)
		}
	}
	d.Require(&o, 0b1001, 0, "Note", noteNames)
	d.End(&o)
}

func decodeTags(d *Decoder) []string {
	l, ok := d.List()
	if !ok {
		return nil
	}
	out := []string{}
	for d.Next(&l) {
		m := d.Mark()
		v := d.String()
		if d.Repair(m, Skipped) {
			continue
		}
		out = append(out, v)
	}
	return out
}

func decodeLabels(d *Decoder) map[string]string {
	m, ok := d.Map()
	if !ok {
		return nil
	}
	out := map[string]string{}
	for d.NextMember(&m) {
		name := string(m.Name)
		out[name] = d.String()
	}
	return out
}

// A body is a closed union by the tag "type".
type body interface{ isBody() }

type (
	text struct {
		Text string
		Kind string
	}
	list    struct{ Items []body }
	unknown struct {
		Tag string
		Raw Raw
	}
)

func (*text) isBody()    {}
func (*list) isBody()    {}
func (*unknown) isBody() {}

func decodeBody(d *Decoder) body {
	tag, ok := d.Tag("Body", "type")
	if !ok {
		return nil
	}
	switch string(tag) {
	case "text":
		v := new(text)
		v.UnmarshalWire(d)
		return v
	case "list":
		v := new(list)
		v.UnmarshalWire(d)
		return v
	}
	if d.KeepUnknown("Body", "type") {
		return &unknown{string(tag), d.Raw()}
	}
	d.UnknownTag("Body", "type", "text", "list")
	return nil
}

func (x *text) UnmarshalWire(d *Decoder) {
	*x = text{}
	o, ok := d.Object("Text")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "text":
			d.Field(&o, 0)
			x.Text = d.String()
		case "kind":
			d.Field(&o, 1)
			at := d.Start()
			if s, ok := d.Text(); ok {
				switch string(s) {
				case "plain", "rich":
					x.Kind = string(s)
				default:
					d.NotOneOf(at, "Kind", "plain", "rich")
				}
			}
		default:
			d.Unknown(&o)
		}
	}
	d.Require(&o, 1, 0, "Text", []string{"text", "kind"})
	d.End(&o)
}

func (x *list) UnmarshalWire(d *Decoder) {
	*x = list{}
	o, ok := d.Object("List")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "items":
			d.Field(&o, 0)
			x.Items = decodeList(d, func() body { return decodeBody(d) })
		default:
			d.Unknown(&o)
		}
	}
	d.Require(&o, 1, 0, "List", []string{"items"})
	d.End(&o)
}
