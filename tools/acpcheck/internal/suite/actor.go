package suite

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// The places of a client's command line. AgentPlace stands for a command, as one word for a shell, that starts the agent; an argument that is AgentWords stands for
// the same, word by word; PromptPlace stands for what the client is to say.
const (
	AgentPlace  = "{agent}"
	AgentWords  = "{agent...}"
	PromptPlace = "{prompt}"
)

// connectionID is the scenario of all that belongs to no other.
const connectionArea, connectionName = "client", "connection"

// A ClientScenario is one test of a client: what the agent does in the turn of a prompt that names it.
type ClientScenario struct {
	// Area and Name choose it, joined by a slash, and are what the prompt says.
	Area, Name string
	// Doc says what is tested, in one line.
	Doc string

	// turn plays the agent. It returns how the turn ends; empty is end_turn.
	turn func(t *turn) acpv1.StopReason
}

// An actor is what a scene is in the test of a client: the agent.
type actor struct {
	*party
	opts      *Options
	scenarios []ClientScenario
	caps      *acpv1.ClientCapabilities // nil before the handshake
	dirs      map[string]string         // of sessions
	cancelled map[string]int            // frames of session/cancel, by sessions
	results   map[string]*Result
	ranges    map[string][2]int   // the frames of each scenario
	forgiven  map[string][]string // rules whose warnings do not count in a scenario
}

// A turn is a prompt at work.
type turn struct {
	*actor
	session, dir string
	prompt       *message
}

// RunClient goes through the scenarios for clients. If the command has a PromptPlace, it is run once for each, otherwise once: then its prompts decide which
// scenarios happen. The error says why it could not go on, a [*acp.StartError] if the client cannot be started; what was found until then is in the report.
func RunClient(ctx context.Context, o *Options) (*Report, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	chosen, err := Choose(clientIndex(ClientScenarios()), opts.Suites)
	if err != nil {
		return nil, err
	}
	patience := newPatience()
	if slices.ContainsFunc(opts.Command, func(w string) bool { return strings.Contains(w, PromptPlace) }) {
		return runAll(ctx, opts, chosen, func(ctx context.Context, s *Scenario) ([]Result, error) {
			return converse(ctx, opts, patience, []Scenario{*s}, s.ID())
		})
	}
	all := []Scenario{{Area: connectionArea, Name: connectionName}}
	return runAll(ctx, opts, all, func(ctx context.Context, _ *Scenario) ([]Result, error) {
		return converse(ctx, opts, patience, chosen, "")
	})
}

// clientIndex are the scenarios without what they do.
func clientIndex(all []ClientScenario) []Scenario {
	var index []Scenario
	for _, c := range all {
		index = append(index, Scenario{Area: c.Area, Name: c.Name, Doc: c.Doc})
	}
	return index
}

// ClientIndex returns the scenarios for clients, to choose from and to list.
func ClientIndex() []Scenario { return clientIndex(ClientScenarios()) }

// converse runs the client once. If prompt is not empty, everything belongs to that scenario.
func converse(ctx context.Context, opts *Options, patience *patience, chosen []Scenario, prompt string) (results []Result, err error) {
	dir, err := os.MkdirTemp("", "acpcheck-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	limit := scenes * opts.TurnTimeout * time.Duration(max(1, len(chosen)))
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	base := &scene{ctx: ctx, opts: opts, patience: patience, began: time.Now(), limit: limit, dir: dir, result: &Result{
		Area: connectionArea, Name: connectionName, Doc: "the client opens a connection and speaks as it should",
	}}
	a := &actor{opts: opts, scenarios: ClientScenarios(), dirs: map[string]string{}, cancelled: map[string]int{}, results: map[string]*Result{}, ranges: map[string][2]int{}, forgiven: map[string][]string{}}
	for i := range chosen {
		a.results[chosen[i].ID()] = &Result{Area: chosen[i].Area, Name: chosen[i].Name, Doc: chosen[i].Doc, Why: "the client did not send the prompt " + chosen[i].ID()}
	}
	if patience.isOver(launching) {
		base.skip("the client did not come to initialize in any of %d scenarios", enough)
	} else if err := a.launch(base, prompt); err != nil {
		return nil, err
	}
	if a.party != nil {
		a.serve(base)
	}
	return a.collect(base, chosen, prompt), nil
}

// launching is what [patience] calls it that a client starts and sends initialize.
const launching = "the start"

// serve answers the client until it has gone.
func (a *actor) serve(base *scene) {
	a.handlers = map[string]func(*message){
		acpv1.MethodInitialize: a.initialize, acpv1.MethodNewSession: a.newSession, acpv1.MethodPrompt: a.take,
		acpv1.MethodAuthenticate: func(m *message) { a.answer(m, object{}) },
	}
	a.observe = func(m *message) {
		if p := paramsOf[acpv1.CancelNotification](m); p != nil && a.cancelled[string(p.SessionID)] == 0 {
			a.cancelled[string(p.SessionID)] = m.n
		}
	}
	for !base.over {
		before := a.received()
		a.until(a.opts.TurnTimeout, func() bool { return false })
		if ended, _ := a.end(); ended || a.received() == before {
			break
		}
	}
	switch ended, err := a.end(); {
	case len(a.requests(acpv1.MethodInitialize)) > 0:
		base.patience.hasAnswered(launching)
	case ended:
		base.patience.wasSilent(launching)
		base.fail(ruleStart, a.link, 0, 0, "the client did not send initialize: %s", a.ending(err))
	default:
		base.patience.wasSilent(launching)
		base.fail(ruleStart, a.link, 0, 0, "the client did not send initialize within %v", a.opts.TurnTimeout)
	}
}

// collect returns the results of the scenarios, and that of the connection if it stands for itself.
func (a *actor) collect(base *scene, chosen []Scenario, prompt string) []Result {
	base.finish()
	var rest []Finding
	for _, f := range base.result.Findings {
		id := a.owner(f.Frame, prompt)
		if f.Warning && slices.Contains(a.forgiven[id], f.Rule) {
			continue
		}
		switch r := a.results[id]; {
		case r == nil:
			rest = append(rest, f)
		case !r.has(&f): // what the script itself has found
			r.Findings = append(r.Findings, f)
		}
	}
	base.result.Findings = rest
	base.result.settle()
	var results []Result
	if prompt == "" {
		results = append(results, *base.result)
	}
	for i := range chosen {
		r := a.results[chosen[i].ID()]
		r.Why = cmp.Or(base.result.Why, r.Why)
		r.Connections, r.Took = base.result.Connections, base.result.Took
		r.settle()
		results = append(results, *r)
	}
	return results
}

// owner returns the scenario that a frame belongs to.
func (a *actor) owner(n int, prompt string) string {
	if prompt != "" {
		return prompt
	}
	for id, r := range a.ranges {
		if n >= r[0] && n <= r[1] {
			return id
		}
	}
	return ""
}

func (a *actor) initialize(m *message) {
	a.caps = paramsOf[acpv1.InitializeRequest](m).GetClientCapabilities()
	a.answer(m, object{"protocolVersion": 1, "agentInfo": object{"name": "acpcheck", "version": "1"}, "authMethods": list{}, "agentCapabilities": object{
		"promptCapabilities": object{"image": true, "audio": true, "embeddedContext": true},
	}})
}

func (a *actor) newSession(m *message) {
	id := "acpcheck-session-" + text(len(a.dirs)+1)
	a.dirs[id] = paramsOf[acpv1.NewSessionRequest](m).Cwd
	a.answer(m, object{"sessionId": id})
}

// take runs the scenario that a prompt names.
func (a *actor) take(m *message) {
	p := paramsOf[acpv1.PromptRequest](m)
	t := &turn{actor: a, session: string(p.SessionID), dir: a.dirs[string(p.SessionID)], prompt: m}
	said := ""
	for _, b := range p.Prompt {
		if block, ok := b.(*acpv1.TextContent); ok {
			said += block.Text + "\n"
		}
	}
	i := slices.IndexFunc(a.scenarios, func(c ClientScenario) bool { return slices.Contains(strings.Fields(said), c.Area+"/"+c.Name) })
	if t.dir == "" || i < 0 {
		t.say("The prompt names no scenario. See acpcheck test-client --list.")
		a.answer(m, object{"stopReason": "end_turn"})
		return
	}
	t.play(&a.scenarios[i])
}

// play runs a scenario as a scene of its own, on the connection that there is.
func (t *turn) play(c *ClientScenario) {
	id := c.Area + "/" + c.Name
	outer := t.s
	result := t.results[id]
	if result == nil { // not chosen
		result = &Result{}
	}
	result.Why = ""
	t.s = &scene{ctx: outer.ctx, opts: outer.opts, patience: outer.patience, began: outer.began, limit: outer.limit, dir: outer.dir, result: result, parties: outer.parties}
	delete(t.cancelled, t.session)
	reason := c.turn(t)
	t.forgiven[id] = t.s.forgiven
	t.s = outer
	if reason == "" {
		reason = acpv1.StopReasonEndTurn
		if t.cancelled[t.session] > 0 {
			reason = acpv1.StopReasonCancelled
		}
	}
	if reason != failTurn {
		t.answer(t.prompt, object{"stopReason": string(reason)})
	}
	t.ranges[id] = [2]int{t.prompt.n, t.received()}
}

// failTurn is what a scenario returns that has answered the prompt itself.
const failTurn acpv1.StopReason = "-"

// launch starts the client and makes the connection to it, its standard streams, or, if the command has a place for an agent, what that agent's standard streams are
// connected with. There is no party if the client does not connect. The error says that it cannot be started.
func (a *actor) launch(s *scene, prompt string) error {
	command := slices.Clone(s.opts.Command)
	for i, w := range command {
		command[i] = strings.ReplaceAll(w, PromptPlace, prompt)
	}
	if !slices.ContainsFunc(command, func(w string) bool { return w == AgentWords || strings.Contains(w, AgentPlace) }) {
		p, err := spawn(s, command)
		if err != nil {
			return err
		}
		a.party = s.join(newLink(wire.AgentSide, p, s.began, s.opts.judge()), p)
		return nil
	}
	if len(s.opts.Bridge) == 0 {
		return errors.New("there is no command to stand for the agent")
	}
	socket := filepath.Join(s.dir, "agent.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	p, err := spawn(s, withAgent(command, append(slices.Clone(s.opts.Bridge), socket)))
	if err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, p) }() // what the client shows; it ends with the process
	conn := await(l, p, s.opts.TurnTimeout)
	if conn == nil {
		how := "it goes on without"
		if state := p.State(); state != nil {
			how = "it ended with " + state.String()
		}
		if line := lastLine(p.Stderr()); line != "" {
			how += "; the last that it wrote to standard error: " + line
		}
		_ = p.Close()
		s.patience.wasSilent(launching)
		s.fail(ruleStart, nil, 0, 0, "the client did not start the agent within %v: %s", s.opts.TurnTimeout, how)
		return nil
	}
	a.party = s.join(newLink(wire.AgentSide, conn, s.began, s.opts.judge()), p)
	// The client may wait for its agent to end, and that ends when it is told that nothing more comes.
	a.quit = func() {
		_ = conn.Close()
		_ = p.Close()
	}
	return nil
}

// await returns the connection that the process makes; nil if it ends or lets the time pass without.
func await(l net.Listener, p *acp.Process, limit time.Duration) net.Conn {
	accepted := make(chan struct{})
	defer close(accepted)
	go func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-accepted:
			return
		case <-p.Exited(): // it will not do so any more
		case <-timer.C:
		}
		_ = l.Close()
	}()
	conn, err := l.Accept()
	if err != nil {
		return nil
	}
	return conn
}

func spawn(s *scene, command []string) (*acp.Process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = s.opts.Dir
	return acp.Spawn(s.ctx, cmd, &acp.SpawnOptions{Grace: exitGrace, Stderr: s.opts.Stderr})
}

// withAgent puts the command of the agent in its places.
func withAgent(command, agent []string) []string {
	quoted := make([]string, len(agent))
	for i, w := range agent {
		quoted[i] = QuoteWord(w)
	}
	var words []string
	for _, w := range command {
		if w == AgentWords {
			words = append(words, agent...)
			continue
		}
		words = append(words, strings.ReplaceAll(w, AgentPlace, strings.Join(quoted, " ")))
	}
	return words
}
