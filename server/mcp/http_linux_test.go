package mcp_test

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// fill makes a port one on which nobody can dial any more, because those who have are not accepted. Port 0 is one of its choice. It returns the URL.
func fill(t *testing.T, port int) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprint("127.0.0.1:", name.(*syscall.SockaddrInet4).Port)
	for range 8 {
		conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return "http://" + address
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Skip("the system accepts more connections than it was asked to")
	return ""
}

// TestDial gives up on a site that cannot be dialled, and leaves nothing that goes on dialling.
func TestDial(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			begun := time.Now()
			s, failures := mcp.Connect(t.Context(), []server.MCPServer{kind.server("web", fill(t, 0), "hunter22")}, &mcp.Options{ConnectTimeout: 200 * time.Millisecond, Grace: 50 * time.Millisecond})
			checkFailure(t, failures, context.DeadlineExceeded, "hunter22")
			_ = s.Close()
			nothingLeft(t)
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestCloseDials closes a session whose server would have to be dialled to tell it so, and cannot be.
func TestCloseDials(t *testing.T) {
	web := newSite(t, kinds[0].handler())
	s := connect(t, &mcp.Options{Grace: 50 * time.Millisecond}, kinds[0].server("web", web.URL, "k"))
	web.close()
	fill(t, web.Listener.Addr().(*net.TCPAddr).Port)
	begun := time.Now()
	_ = s.Close()
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("closing took %v", took)
	}
	nothingLeft(t)
}
