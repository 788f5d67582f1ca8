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
// scenarios happen. The error says why it could not; what was found is in the report.
func RunClient(ctx context.Context, o *Options) (*Report, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	all := ClientScenarios()
	chosen, err := Choose(clientIndex(all), opts.Suites)
	if err != nil {
		return nil, err
	}
	r := &Report{Command: opts.Command}
	add := func(results []Result) {
		for i := range results {
			r.Results = append(r.Results, results[i])
			if opts.Progress != nil {
				opts.Progress(&results[i])
			}
		}
	}
	if !slices.ContainsFunc(opts.Command, func(w string) bool { return strings.Contains(w, PromptPlace) }) {
		results, err := converse(ctx, opts, chosen, "")
		add(results)
		return r, err
	}
	for i := range chosen {
		results, err := converse(ctx, opts, chosen[i:i+1], chosen[i].ID())
		add(results)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return r, err
		}
	}
	return r, nil
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
func converse(ctx context.Context, opts *Options, chosen []Scenario, prompt string) (results []Result, err error) {
	dir, err := os.MkdirTemp("", "acpcheck-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, stop := context.WithTimeout(ctx, scenes*opts.TurnTimeout*time.Duration(max(1, len(chosen))))
	defer stop()
	base := &scene{ctx: ctx, opts: opts, began: time.Now(), dir: dir, result: &Result{
		Area: connectionArea, Name: connectionName, Doc: "the client opens a connection and speaks as it should",
	}}
	a := &actor{opts: opts, scenarios: ClientScenarios(), dirs: map[string]string{}, cancelled: map[string]int{}, results: map[string]*Result{}, ranges: map[string][2]int{}, forgiven: map[string][]string{}}
	for i := range chosen {
		a.results[chosen[i].ID()] = &Result{Area: chosen[i].Area, Name: chosen[i].Name, Doc: chosen[i].Doc, Why: "the client did not send the prompt " + chosen[i].ID()}
	}
	transport, quit, err := launch(base, prompt)
	if err != nil {
		base.fail(ruleStart, nil, 0, 0, "%v", err)
		quit()
	} else {
		a.party = base.join(newLink(wire.AgentSide, transport, base.began, opts.judge()), quit)
		a.serve(base)
	}
	return a.collect(base, chosen, prompt), nil
}

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
	if len(a.requests(acpv1.MethodInitialize)) == 0 {
		base.fail(ruleStart, a.link, 0, 0, "the client did not send initialize")
	}
	a.whole = true
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
		if id != "" && a.results[id] != nil {
			a.results[id].Findings = append(a.results[id].Findings, f)
		} else {
			rest = append(rest, f)
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
	t.s = &scene{ctx: outer.ctx, opts: outer.opts, began: outer.began, dir: outer.dir, result: result, parties: outer.parties}
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

// launch starts the client and returns the connection to it, and what ends it. The connection is the client's standard streams, or, if the command has a place for
// an agent, what that agent's standard streams are connected with.
func launch(s *scene, prompt string) (acp.Transport, func(), error) {
	command := slices.Clone(s.opts.Command)
	for i, w := range command {
		command[i] = strings.ReplaceAll(w, PromptPlace, prompt)
	}
	listens := slices.ContainsFunc(command, func(w string) bool { return w == AgentWords || strings.Contains(w, AgentPlace) })
	if !listens {
		p, err := spawn(s, command)
		if err != nil {
			return nil, func() {}, err
		}
		return p, func() {}, nil
	}
	if len(s.opts.Bridge) == 0 {
		return nil, func() {}, errors.New("there is no command to stand for the agent")
	}
	socket := filepath.Join(s.dir, "agent.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, func() {}, err
	}
	p, err := spawn(s, withAgent(command, append(slices.Clone(s.opts.Bridge), socket)))
	if err != nil {
		return nil, func() { _ = l.Close() }, err
	}
	go func() { _, _ = io.Copy(io.Discard, p) }() // what the client shows; it ends with the process
	quit := func() {
		_ = l.Close()
		_ = p.Close()
	}
	// A client that ends without having started the agent will not do so any more.
	go func() {
		<-p.Exited()
		_ = l.Close()
	}()
	stop := time.AfterFunc(s.opts.TurnTimeout, func() { _ = l.Close() })
	defer stop.Stop()
	conn, err := l.Accept()
	if err != nil {
		return nil, quit, errors.New("the client did not start the agent; its last words: " + cmp.Or(lastLine(p.Stderr()), "none"))
	}
	// The client may wait for its agent to end, and that ends when it is told that nothing more comes.
	return conn, func() { _ = conn.Close(); quit() }, nil
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
		quoted[i] = quoteWord(w)
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

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
