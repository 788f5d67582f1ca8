package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
)

// A permission decides about requests for permission.
type permission struct {
	policy  string      // of --permission
	input   *lineReader // nil: there is nobody to ask
	printer *view.Printer
	notes   *notes

	asking sync.Mutex // one question at a time
}

// The kinds that allow and that reject, the least far-reaching first.
var (
	allowing  = []acpv1.PermissionOptionKind{acpv1.PermissionOptionKindAllowOnce, acpv1.PermissionOptionKindAllowAlways}
	rejecting = []acpv1.PermissionOptionKind{acpv1.PermissionOptionKindRejectOnce, acpv1.PermissionOptionKindRejectAlways}
)

// decide returns the option that is chosen. If none of them will do, it is an error: the outcome "cancelled" is for cancelled turns only.
func (p *permission) decide(ctx context.Context, request *acpv1.RequestPermissionRequest) (*acpv1.PermissionOption, error) {
	var chosen *acpv1.PermissionOption
	switch {
	case p.policy == permitAllow:
		if chosen = choose(request.Options, allowing); chosen == nil {
			return nil, acp.Errorf(acp.CodeInvalidParams, "none of the options allows it")
		}
		return chosen, nil
	case p.policy == permitAsk && p.input != nil:
		var err error
		if chosen, err = p.ask(ctx, request); chosen != nil || err != nil {
			return chosen, err
		}
	case p.policy == permitAsk:
		p.notes.warn("permission refused, because standard input is no terminal; see --permission")
	}
	if chosen = choose(request.Options, rejecting); chosen == nil {
		return nil, acp.Errorf(acp.CodeInvalidParams, "it is not allowed, and none of the options says so")
	}
	return chosen, nil
}

// choose returns the first option of the first kind that there is.
func choose(options []acpv1.PermissionOption, kinds []acpv1.PermissionOptionKind) *acpv1.PermissionOption {
	for _, kind := range kinds {
		for i := range options {
			if options[i].Kind == kind {
				return &options[i]
			}
		}
	}
	return nil
}

// ask asks the user. It returns nil if the answer is a plain no, or standard input has ended.
func (p *permission) ask(ctx context.Context, request *acpv1.RequestPermissionRequest) (*acpv1.PermissionOption, error) {
	p.asking.Lock()
	defer p.asking.Unlock()
	release := p.printer.Hold()
	defer release()
	p.input.forget()
	p.notes.print(question(request))
	for {
		line, err := p.input.read(ctx)
		switch {
		case ctx.Err() != nil:
			p.notes.print("\n")
			return nil, ctx.Err()
		case err != nil: // nobody is there any more
			return nil, nil
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		n, err := strconv.Atoi(answer)
		allow := choose(request.Options, allowing)
		switch {
		case err == nil && n >= 1 && n <= len(request.Options):
			return &request.Options[n-1], nil
		case slices.Contains([]string{"y", "yes"}, answer) && allow != nil:
			return allow, nil
		case slices.Contains([]string{"n", "no", ""}, answer):
			return nil, nil
		}
		p.notes.print(fmt.Sprintf("Type a number from 1 to %d, y or n: ", len(request.Options)))
	}
}

func question(request *acpv1.RequestPermissionRequest) string {
	title := string(request.ToolCall.ToolCallID)
	if request.ToolCall.Title != nil {
		title = *request.ToolCall.Title
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe agent asks for permission: %s\n", view.OneLine(title))
	for i, o := range request.Options {
		fmt.Fprintf(&b, "  %d  %s\n", i+1, view.OneLine(o.Name))
	}
	fmt.Fprintf(&b, "Your answer (1-%d, y, n): ", len(request.Options))
	return b.String()
}

// A lineReader reads lines, and lets those who wait for one go without it. The read that they leave behind is the next one's.
type lineReader struct {
	src io.Reader
	buf *bufio.Reader

	mu      sync.Mutex
	pending chan line // nil: nobody reads
}

type line struct {
	text string
	err  error
}

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, buf: bufio.NewReader(src)}
}

func (l *lineReader) isTerminal(h *host) bool { return h.isTerminal(l.src) }

// read returns the next line. Without a line end it is not one.
func (l *lineReader) read(ctx context.Context) (string, error) {
	l.mu.Lock()
	if l.pending == nil {
		pending := make(chan line, 1)
		l.pending = pending
		go func() {
			text, err := l.buf.ReadString('\n')
			pending <- line{text, err}
		}()
	}
	pending := l.pending
	l.mu.Unlock()
	select {
	case got := <-pending:
		l.mu.Lock()
		l.pending = nil
		l.mu.Unlock()
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// forget drops a line that came after whoever asked for it had gone, so that it does not answer another question.
func (l *lineReader) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.pending:
		l.pending = nil
	default:
	}
}
