package conform_test

import (
	"fmt"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

func ExampleChecker() {
	c := conform.New(&conform.Options{Skip: []string{"INIT-7"}})
	for _, frame := range []struct {
		from wire.Side
		line string
	}{
		{wire.ClientSide, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`},
		{wire.AgentSide, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`},
		{wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}`},
	} {
		for _, f := range c.Frame(frame.from, []byte(frame.line)) {
			fmt.Println(f)
		}
	}
	// Output: frame 3 (see 2): error SESS-4 by client: /method: session/load needs the capability loadSession, which is not advertised
}
