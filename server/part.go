package server

// A Part is one piece of a user's prompt. It is one of [*TextPart], [*ImagePart], [*AudioPart], [*DocumentPart], [*ResourcePart].
//
//sumtype:decl
type Part interface{ isPart() }

// A TextPart is text the user wrote, Markdown at most.
type TextPart struct{ Text string }

// An ImagePart is an image given inline, or by URI with Data empty.
type ImagePart struct {
	MIMEType string
	// Data is the decoded image file.
	Data []byte
	URI  string
}

// An AudioPart is sound given inline.
type AudioPart struct {
	MIMEType string
	// Data is the decoded audio file.
	Data []byte
}

// A DocumentPart is a document whose contents came with the prompt: the user's client has read it for the engine, unsaved changes included.
type DocumentPart struct {
	URI      string
	MIMEType string
	// Path is the absolute path of a file URI, or empty.
	Path string
	// Lines is the range that a fragment such as #L12-L20 names.
	Lines LineRange
	// Text is the contents of a text document; Data of any other. One of them is set.
	Text string
	Data []byte
}

// A ResourcePart is a link to something the engine may read if it needs to.
type ResourcePart struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	// Path is the absolute path of a file URI, or empty.
	Path string
	// Lines is the range that a fragment such as #L12-L20 names.
	Lines LineRange
	// Size is in bytes; zero is unknown.
	Size int64
}

// A LineRange is a range of 1-based lines, both ends included. The zero value is the whole file.
type LineRange struct{ First, Last int }

func (*TextPart) isPart()     {}
func (*ImagePart) isPart()    {}
func (*AudioPart) isPart()    {}
func (*DocumentPart) isPart() {}
func (*ResourcePart) isPart() {}
