package server

import (
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// KindOf returns the kind of a tool by its name, for the tools that common agents have. Upper and lower case, hyphens and underscores make no difference. Any other
// tool is [Other], and so are all tools of MCP servers and tools that run others: read-only modes go by the kind, so a name that merely sounds harmless counts for
// nothing.
func KindOf(toolName string) ToolKind {
	if kind, ok := kinds[kindReplacer.Replace(strings.ToLower(toolName))]; ok {
		return kind
	}
	return Other
}

var kindReplacer = strings.NewReplacer("_", "", "-", "", " ", "")

var kinds = func() map[string]ToolKind {
	m := map[string]ToolKind{}
	for kind, names := range map[ToolKind]string{
		Read:       "read readfile readmanyfiles readmediafile notebookread view viewimage openfile listmcpresources readmcpresource todoread getinternaldocs clihelp",
		Edit:       "write writefile create createfile edit editfile multiedit notebookedit replace strreplace strreplacefile strreplaceeditor insert patch applypatch savememory",
		Delete:     "delete deletefile remove removefile rm",
		Move:       "move movefile rename renamefile mv",
		Search:     "search glob grep grepfiles grepsearch searchfilecontent list ls listdir listdirectory findfiles codesearch codebasesearch toolsearch lsp",
		Execute:    "bash bashoutput readbash writebash stopbash killbash killshell shell localshell runshellcommand exec execcommand unifiedexec writestdin runcommand terminal powershell",
		Think:      "think todowrite writetodos settodolist todolist updateplan reportintent askuser askuserquestion question requestuserinput",
		Fetch:      "fetch fetchurl webfetch websearch googlewebsearch searchweb",
		SwitchMode: "exitplanmode enterplanmode planexit planenter switchmode",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = kind
		}
	}
	return m
}()

// wireKind returns the kind in the protocol. A kind that it does not have is other.
func wireKind(k ToolKind) acpv1.ToolKind {
	if w := acpv1.ToolKind(k); w.Valid() {
		return w
	}
	return acpv1.ToolKindOther
}
