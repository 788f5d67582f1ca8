// An agent without a model on the official SDK, for acpcheck test: node suite-agent.mjs. Its slash commands are those of tools/acpagent that the suite uses without a
// prompt map. It asks before it writes or runs anything, does nothing that the client has not offered, and ends a turn when it is cancelled.
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { Readable, Writable } from "node:stream";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";

const breath = 20; // chunks between two looks at what comes in
const slowTurn = 60_000;
const pageSize = 10;
const modes = [
  { id: "ask", name: "Ask" },
  { id: "code", name: "Code" },
];
const sessions = new Map();
let client = {}; // its capabilities
let calls = 0;
let created = 0;

const configOptions = (session) => [
  { id: "mode", name: "Mode", category: "mode", type: "select", currentValue: session.mode, options: modes.map(({ id, name }) => ({ value: id, name })) },
  ...(client.session?.configOptions?.boolean ? [{ id: "brave", name: "Brave", type: "boolean", currentValue: session.brave }] : []),
];
const setup = (session) => ({ modes: { currentModeId: session.mode, availableModes: modes }, configOptions: configOptions(session) });

function find(id, { open = true } = {}) {
  const session = sessions.get(id);
  if (session === undefined || (open && !session.open)) throw acp.RequestError.resourceNotFound(id);
  return session;
}

// A Turn is one prompt at work.
class Turn {
  constructor({ client: peer, signal }, session) {
    this.peer = peer;
    this.session = session;
    this.stopped = new AbortController();
    signal.addEventListener("abort", () => this.stopped.abort("$/cancel_request"), { once: true });
    this.cancelled = new Promise((resolve) => this.stopped.signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  }

  get over() {
    return this.stopped.signal.aborted;
  }

  // request returns the answer, or undefined if the turn is cancelled before it comes.
  async request(method, params) {
    const answer = this.peer.request(method, { sessionId: this.session.id, ...params });
    answer.catch(() => {}); // it may come too late
    return await Promise.race([answer, this.cancelled]);
  }

  async update(update) {
    this.session.history.push(update);
    await this.peer.notify("session/update", { sessionId: this.session.id, update });
  }

  say(text, kind = "agent_message_chunk") {
    return this.update({ sessionUpdate: kind, content: { type: "text", text } });
  }

  // tool runs work as a tool call, after asking for permission.
  async tool(title, kind, work, more = {}) {
    const toolCallId = `call-${++calls}`;
    const end = (status) => this.update({ sessionUpdate: "tool_call_update", toolCallId, status });
    await this.update({ sessionUpdate: "tool_call", toolCallId, title, kind, status: "pending", ...more });
    try {
      if (!(await this.allowed(toolCallId, title))) return await end("failed");
      await this.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
      await work(toolCallId);
      await end(this.over ? "failed" : "completed");
    } catch (error) {
      await end("failed");
      await this.say(`failed: ${error.message}`);
    }
  }

  async allowed(toolCallId, title) {
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    const answer = await this.request("session/request_permission", { toolCall: { toolCallId, title }, options });
    return !this.over && answer.outcome.outcome === "selected" && answer.outcome.optionId === "yes";
  }
}

// runCommand gives its terminal back whatever happens.
async function runCommand(turn, line) {
  const [command, ...args] = line.split(" ");
  const sessionId = turn.session.id;
  const { terminalId } = await turn.peer.request("terminal/create", { sessionId, command, args, cwd: turn.session.cwd });
  const terminal = { sessionId, terminalId };
  try {
    await turn.request("terminal/wait_for_exit", terminal);
    if (turn.over) await turn.peer.request("terminal/kill", terminal);
    const { output } = await turn.peer.request("terminal/output", terminal);
    if (!turn.over) await turn.say(output);
  } finally {
    await turn.peer.request("terminal/release", terminal);
  }
}

async function everyUpdate(turn) {
  const { session } = turn;
  await turn.say("a thought", "agent_thought_chunk");
  await turn.update({ sessionUpdate: "plan", entries: [{ content: "send updates", priority: "high", status: "in_progress" }] });
  const toolCallId = `call-${++calls}`;
  await turn.update({ sessionUpdate: "tool_call", toolCallId, title: "Look", kind: "search", status: "pending", locations: [{ path: join(session.cwd, "x"), line: 1 }] });
  await turn.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  await turn.update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content: [{ type: "content", content: { type: "text", text: "found" } }] });
  await turn.update({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "echo", description: "say TEXT", input: { hint: "TEXT" } }] });
  await turn.update({ sessionUpdate: "current_mode_update", currentModeId: session.mode });
  await turn.update({ sessionUpdate: "config_option_update", configOptions: configOptions(session) });
  await turn.update({ sessionUpdate: "session_info_update", title: "Every kind" });
  await turn.update({ sessionUpdate: "usage_update", used: 1, size: 100, cost: { amount: 0.01, currency: "EUR" } });
  if (client.session?.notices) await turn.update({ sessionUpdate: "notice", severity: "info", title: "All is well" });
  if (client.session?.compaction) {
    const compactionId = "compaction";
    await turn.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
    await turn.update({ sessionUpdate: "compaction_summary_chunk", compactionId, content: { type: "text", text: "short" } });
    await turn.update({ sessionUpdate: "compaction_update", compactionId, status: "completed" });
  }
}

const commands = {
  echo: (turn, text) => turn.say(text),
  think: (turn, text) => turn.say(text, "agent_thought_chunk"),
  updates: everyUpdate,
  async stream(turn, count) {
    for (let i = 0; i < Number(count) && !turn.over; i++) {
      await turn.say(`${i} `);
      if (i % breath === 0) await breathe();
    }
  },
  async slow(turn) {
    await turn.say("this takes a minute");
    await Promise.race([turn.cancelled, sleep(slowTurn, undefined, { ref: false })]);
  },
  async plan(turn) {
    const entries = (status) => ["look", "leap"].map((content) => ({ content, priority: "medium", status }));
    await turn.update({ sessionUpdate: "plan", entries: entries("pending") });
    await turn.update({ sessionUpdate: "plan", entries: entries("completed") });
  },
  async read(turn, path) {
    if (!client.fs?.readTextFile) return await turn.say("the client reads no files");
    const answer = await turn.request("fs/read_text_file", { path }).catch((error) => ({ content: `failed: ${error.message}` }));
    if (!turn.over) await turn.say(`${answer.content.length} characters`);
  },
  async write(turn, argument) {
    const [path, ...words] = argument.split(" ");
    if (!client.fs?.writeTextFile) return await turn.say("the client writes no files");
    await turn.tool(`Write ${path}`, "edit", () => turn.request("fs/write_text_file", { path, content: words.join(" ") }), { locations: [{ path }] });
  },
  async run(turn, line) {
    if (!client.terminal) return await turn.say("the client has no terminals");
    await turn.tool(`Run ${line}`, "execute", () => runCommand(turn, line));
  },
  ask: (turn) => turn.tool("Something", "other", async () => {}),
  async elicit(turn) {
    if (!client.elicitation?.form) return await turn.say("the client has no forms");
    const requestedSchema = { type: "object", properties: { color: { type: "string", enum: ["red", "blue"] } }, required: ["color"] };
    const answer = await turn.request("elicitation/create", { mode: "form", message: "Which color?", requestedSchema });
    if (!turn.over) await turn.say(answer.action);
  },
  async mode(turn, id) {
    if (!modes.some((mode) => mode.id === id)) return await turn.say(`there is no mode ${id}`);
    turn.session.mode = id;
    await turn.update({ sessionUpdate: "current_mode_update", currentModeId: id });
  },
  async fail() {
    throw acp.RequestError.internalError(undefined, "the turn was to fail");
  },
};

async function prompt(ctx) {
  const session = find(ctx.params.sessionId);
  if (session.turn) throw acp.RequestError.invalidParams({}, "the session has a turn");
  for (const content of ctx.params.prompt) session.history.push({ sessionUpdate: "user_message_chunk", content });
  const text = ctx.params.prompt.find(({ type }) => type === "text")?.text ?? "";
  const [, name, argument] = /^\/(\w+) ?([^]*)$/.exec(text) ?? [undefined, "echo", text];
  const turn = (session.turn = new Turn(ctx, session));
  try {
    if (name === "stop") return { stopReason: argument };
    await (commands[name] ?? commands.echo)(turn, argument);
  } finally {
    session.turn = undefined;
  }
  if (turn.stopped.signal.reason === "$/cancel_request") throw acp.RequestError.requestCancelled();
  return { stopReason: turn.over ? "cancelled" : "end_turn" };
}

function list({ params }) {
  const all = [...sessions.values()].filter(({ cwd }) => params.cwd == null || cwd === params.cwd);
  const from = params.cursor == null ? 0 : Number(params.cursor);
  if (!Number.isInteger(from)) throw acp.RequestError.invalidParams({ cursor: params.cursor });
  const page = all.slice(from, from + pageSize).map(({ id, cwd }) => ({ sessionId: id, cwd }));
  return { sessions: page, ...(from + pageSize < all.length && { nextCursor: String(from + pageSize) }) };
}

function setOption({ params }) {
  const session = find(params.sessionId);
  if (params.configId === "mode" && modes.some(({ id }) => id === params.value)) session.mode = params.value;
  else if (params.configId === "brave" && params.type === "boolean") session.brave = params.value;
  else throw acp.RequestError.invalidParams({ configId: params.configId });
  return { configOptions: configOptions(session) };
}

function setMode({ params }) {
  const session = find(params.sessionId);
  if (!modes.some(({ id }) => id === params.modeId)) throw acp.RequestError.invalidParams({ modeId: params.modeId });
  session.mode = params.modeId;
  return {};
}

function end(session) {
  session.turn?.stopped.abort("closed");
  session.open = false;
}

console.error = () => {}; // the SDK's remarks on what the suite sends it
const { agent: methods } = acp.methods;
const capabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
};
const connection = acp
  .agent({ name: "suite-agent" })
  .onRequest(methods.initialize, ({ params }) => {
    client = params.clientCapabilities ?? {};
    return { protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: capabilities, agentInfo: { name: "suite-agent", version: "1" }, authMethods: [{ id: "login", name: "Log in" }] };
  })
  .onRequest(methods.authenticate, ({ params }) => {
    if (params.methodId !== "login") throw acp.RequestError.invalidParams({ methodId: params.methodId });
    return {};
  })
  .onRequest(methods.session.new, ({ params }) => {
    const session = { id: `session-${++created}`, cwd: params.cwd, open: true, mode: "ask", brave: false, history: [] };
    sessions.set(session.id, session);
    return { sessionId: session.id, ...setup(session) };
  })
  .onRequest(methods.session.load, async ({ params, client: peer }) => {
    const session = find(params.sessionId, { open: false });
    for (const update of session.history) await peer.notify("session/update", { sessionId: session.id, update });
    session.open = true;
    return setup(session);
  })
  .onRequest(methods.session.resume, ({ params }) => {
    const session = find(params.sessionId, { open: false });
    session.open = true;
    return setup(session);
  })
  .onRequest(methods.session.list, list)
  .onRequest(methods.session.close, ({ params }) => (end(find(params.sessionId)), {}))
  .onRequest(methods.session.delete, ({ params }) => {
    if (sessions.has(params.sessionId)) end(sessions.get(params.sessionId));
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(methods.session.setMode, setMode)
  .onRequest(methods.session.setConfigOption, setOption)
  .onRequest(methods.session.prompt, prompt)
  .onNotification(methods.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.stopped.abort("session/cancel"))
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
process.exit(0);
