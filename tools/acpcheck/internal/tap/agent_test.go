//go:build unix

package tap

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// agentEnv makes the test binary the agent that it names.
const agentEnv = "ACPCHECK_TAP_TEST_AGENT"

func TestMain(m *testing.M) {
	if kind := os.Getenv(agentEnv); kind != "" {
		os.Exit(agents[kind](os.Args[1:]))
	}
	os.Exit(m.Run())
}

// agents are the fake agents. Each returns its exit status.
var agents = map[string]func(args []string) int{
	"echo": func([]string) int {
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 9
		}
		return 0
	},
	"exit": func(args []string) int {
		status, err := strconv.Atoi(args[0])
		if err != nil {
			return 99
		}
		fmt.Fprintln(os.Stderr, "going")
		return status
	},
	"killed": func([]string) int {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	// answer answers each request, which has the line's number as its id.
	"answer": func([]string) int {
		s := bufio.NewScanner(os.Stdin)
		for id := 0; s.Scan(); id++ {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id)
		}
		return 0
	},
	// late speaks after its input has ended.
	"late": func([]string) int {
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(50 * time.Millisecond)
		fmt.Print("bye")
		return 4
	},
	// late0 speaks after its input has ended, and ends with status 0 whoever listens.
	"late0": func([]string) int {
		signal.Ignore(syscall.SIGPIPE)
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println(`{"jsonrpc":"2.0","method":"_bye"}`)
		return 0
	},
	// swallow answers nothing and ends with the status that it is told.
	"swallow": func(args []string) int {
		_, _ = io.Copy(io.Discard, os.Stdin)
		status, err := strconv.Atoi(args[0])
		if err != nil {
			return 99
		}
		return status
	},
	// held says that it is ready and waits for a signal; with it, it ends with status 0.
	"held": func([]string) int {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println(`{"jsonrpc":"2.0","method":"_ready"}`)
		<-c
		return 0
	},
	"noisy": func([]string) int {
		fmt.Println("loading model ...")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	},
	// spout writes until it cannot.
	"spout": func([]string) int {
		signal.Ignore(syscall.SIGPIPE)
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				return 5
			}
		}
	},
	"deaf": func([]string) int {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	},
	"terminates": func([]string) int {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("ready")
		<-c
		return 3
	},
	// leaves leaves a child behind that holds its output open, and says its process id.
	"leaves": func([]string) int {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), agentEnv+"=stays")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 99
		}
		fmt.Println(child.Process.Pid)
		return 0
	},
	"stays": func([]string) int { select {} },
}
