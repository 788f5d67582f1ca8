// Package terminal runs commands for an agent and keeps the end of their output. There is no terminal device: commands have no input, and their standard output
// and standard error are one.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

const (
	// DefaultLimit is how much output of a command is kept if the agent sets no limit, in bytes.
	DefaultLimit = 1 << 20
	// MaxLimit is the highest limit, in bytes. A higher one counts as this.
	MaxLimit = 8 << 20
	// MaxTerminals is how many terminals there may be that are not released.
	MaxTerminals = 128
)

var (
	// ErrUnknown says that there is no terminal of that name, or no longer.
	ErrUnknown = errors.New("no such terminal")
	// ErrTooMany says that MaxTerminals are not released.
	ErrTooMany = fmt.Errorf("more than %d terminals", MaxTerminals)
	// ErrClosed says that the manager is closed.
	ErrClosed = errors.New("no more terminals")
)

// A Watcher is told of all that happens in terminals. While a call does not return, the command has to wait as soon as it has written some more.
type Watcher interface {
	// Started: a command runs. It is called before the others.
	Started(id string, c Command)
	// Output: it has written text. Behind Exited, it is what the command has left behind that writes.
	Output(id, text string)
	// Exited: it has ended. It is called before anybody who waits for that goes on.
	Exited(id string, s Status)
}

// A Manager has the terminals of a session. It is safe for concurrent use.
type Manager struct {
	watcher Watcher

	mu        sync.Mutex
	last      int
	terminals map[string]*terminal
	closed    bool
}

// NewManager returns a manager without terminals.
func NewManager(w Watcher) *Manager {
	return &Manager{watcher: w, terminals: map[string]*terminal{}}
}

// Create starts a command and returns the id of its terminal, which no other will have. It does not wait for the command.
func (m *Manager) Create(c Command) (id string, err error) {
	t, err := m.start(c)
	if err != nil {
		return "", err
	}
	m.watcher.Started(t.id, c) // not under the mutex, which nobody may hold for long
	go t.copy()
	go t.wait()
	return t.id, nil
}

func (m *Manager) start(c Command) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil, ErrClosed
	case len(m.terminals) >= MaxTerminals:
		return nil, ErrTooMany
	}
	t, err := start("term-"+strconv.Itoa(m.last+1), c, m.watcher)
	if err != nil {
		return nil, err
	}
	m.last++
	m.terminals[t.id] = t
	return t, nil
}

func (m *Manager) find(id string) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.terminals[id]
	if t == nil {
		return nil, ErrUnknown
	}
	return t, nil
}

// Output returns the end of the output so far, whether its start was dropped, and how the command ended; nil while it runs.
func (m *Manager) Output(id string) (text string, truncated bool, s *Status, err error) {
	t, err := m.find(id)
	if err != nil {
		return "", false, nil, err
	}
	// In this order, so that with the status comes all output.
	s = t.ended()
	text, truncated = t.tail.read()
	return text, truncated, s, nil
}

// Wait waits until the command has ended, and returns how.
func (m *Manager) Wait(ctx context.Context, id string) (Status, error) {
	t, err := m.find(id)
	if err != nil {
		return Status{}, err
	}
	select {
	case <-t.done:
		return t.status, nil
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
}

// Kill ends the command and all it has started. The terminal stays.
func (m *Manager) Kill(id string) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	t.kill()
	return nil
}

// Release ends the command, if it runs, and all it has started, and forgets the terminal.
func (m *Manager) Release(id string) error {
	m.mu.Lock()
	t := m.terminals[id]
	delete(m.terminals, id)
	m.mu.Unlock()
	if t == nil {
		return ErrUnknown
	}
	t.release()
	return nil
}

// Close releases all terminals, and lets there be no more. It waits for their commands, unless ctx ends; all are killed in any case.
func (m *Manager) Close(ctx context.Context) {
	m.mu.Lock()
	m.closed = true
	all := m.terminals
	m.terminals = map[string]*terminal{}
	m.mu.Unlock()
	for _, t := range all {
		t.kill()
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		for _, t := range all {
			t.release()
		}
	}()
	select {
	case <-released:
	case <-ctx.Done():
	}
}
