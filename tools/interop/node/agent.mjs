// The official SDK as an agent that a test moves: node agent.mjs OPTIONS
//
// OPTIONS is JSON: "transcript", the file to write every frame to; "capabilities", the agentCapabilities; "cancelled", how a prompt that got $/cancel_request is
// answered: "result" or "error".
//
// A prompt's text is a JSON list of what to do in the turn, one after the other:
//
//	{"update": {...}}                        send a session update; it is replayed by session/load if "history" is true
//	{"call": METHOD, "params": {...}}        call the client and wait for the answer; "abandon": true sends $/cancel_request at once, and waits all the same
//	{"notify": METHOD, "params": {...}}      send a notification
//	{"repeat": N, "update": {...}}           send an update N times, with "%d" in it replaced by the number
//	{"wait": "cancel"}                       wait until the turn is cancelled
//	{"line": TEXT}                           write a line that need not be a frame
//	{"stop": REASON}                         what the turn ends with
//	{"throw": {"code", "message", "data"}}   end the turn with an error
//
// Params get the sessionId. The extension request _interop/answers returns the answers to the calls so far; _interop/complaints what the SDK wrote to the console.
import * as acp from "@agentclientprotocol/sdk";
import { recordedStream } from "./transcript.mjs";

const options = JSON.parse(process.argv[2]);
const complaints = [];
console.error = (...args) => complaints.push(args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" "));

const { stream, writeLine } = recordedStream(options.transcript, "a2c", process.stdout, process.stdin);

const pageSize = 2;
const modes = [
  { id: "slow", name: "Slow" },
  { id: "fast", name: "Fast", description: "As fast as can be" },
];
const sessions = new Map();
const answers = [];

function create(cwd) {
  const session = { id: `sdk-session-${sessions.size + 1}`, cwd, active: true, mode: "slow", brave: false, history: [] };
  sessions.set(session.id, session);
  return session;
}

function find(id, { active = true } = {}) {
  const session = sessions.get(id);
  if (session === undefined || (active && !session.active)) throw acp.RequestError.resourceNotFound(id);
  return session;
}

const configOptions = ({ mode, brave }) => [
  { id: "speed", name: "Speed", category: "mode", type: "select", currentValue: mode, options: [{ group: "all", name: "All", options: modes.map(({ id, name }) => ({ value: id, name })) }] },
  { id: "brave", name: "Brave", type: "boolean", currentValue: brave },
];
const setup = (session) => ({ modes: { currentModeId: session.mode, availableModes: modes }, configOptions: configOptions(session) });

async function answerOf(client, { call, params, abandon }, sessionId) {
  const abort = new AbortController();
  const answer = client.request(call, { sessionId, ...params }, { cancellationSignal: abort.signal });
  if (abandon) abort.abort();
  try {
    return { result: await answer };
  } catch ({ code, message, data }) {
    return { error: { code, message, data } };
  }
}

async function act(action, { client, session, turn }) {
  const sessionId = session.id;
  if ("repeat" in action) {
    const update = JSON.stringify(action.update);
    for (let i = 0; i < action.repeat; i++) await client.notify("session/update", { sessionId, update: JSON.parse(update.replaceAll("%d", String(i))) });
  } else if ("update" in action) {
    if (action.history) session.history.push(action.update);
    await client.notify("session/update", { sessionId, update: action.update });
  } else if ("call" in action) {
    answers.push(await answerOf(client, action, sessionId));
  } else if ("notify" in action) {
    await client.notify(action.notify, action.params);
  } else if ("wait" in action) {
    await new Promise((resolve) => (turn.aborted ? resolve() : turn.addEventListener("abort", resolve, { once: true })));
  } else if ("line" in action) {
    writeLine(action.line);
  } else if ("throw" in action) {
    throw new acp.RequestError(action.throw.code, action.throw.message, action.throw.data);
  } else if (!("stop" in action)) {
    throw acp.RequestError.invalidParams({ action });
  }
}

async function prompt({ params, client, signal }) {
  const session = find(params.sessionId);
  const turn = (session.turn = new AbortController());
  signal.addEventListener("abort", () => turn.abort("$/cancel_request"), { once: true });
  const actions = JSON.parse(params.prompt[0].text);
  try {
    for (const action of actions) await act(action, { client, session, turn: turn.signal });
  } finally {
    session.turn = undefined;
  }
  if (turn.signal.reason === "$/cancel_request" && options.cancelled === "error") throw acp.RequestError.requestCancelled();
  return { stopReason: turn.signal.aborted ? "cancelled" : (actions.find(({ stop }) => stop)?.stop ?? "end_turn") };
}

function list({ params }) {
  const all = [...sessions.values()].filter(({ cwd }) => params.cwd == null || cwd === params.cwd);
  const from = params.cursor == null ? 0 : Number(params.cursor);
  const page = all.slice(from, from + pageSize).map(({ id, cwd }) => ({ sessionId: id, cwd, title: `Title of ${id}`, updatedAt: "2026-01-02T03:04:05Z" }));
  return { sessions: page, ...(from + pageSize < all.length && { nextCursor: String(from + pageSize) }) };
}

function setOption({ params }) {
  const session = find(params.sessionId);
  if (params.configId === "speed" && modes.some(({ id }) => id === params.value)) session.mode = params.value;
  else if (params.configId === "brave" && params.type === "boolean") session.brave = params.value;
  else throw acp.RequestError.invalidParams({ configId: params.configId });
  return { configOptions: configOptions(session) };
}

const { agent: methods } = acp.methods;
acp
  .agent({ name: "acpwire-interop" })
  .onRequest(methods.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: options.capabilities,
    agentInfo: { name: "sdk-agent", version: "1" },
    authMethods: [{ id: "login", name: "Log in" }],
  }))
  .onRequest(methods.authenticate, ({ params }) => {
    if (params.methodId !== "login") throw acp.RequestError.invalidParams({ methodId: params.methodId });
    return {};
  })
  .onRequest(methods.logout, () => ({}))
  .onRequest(methods.session.new, ({ params }) => {
    const session = create(params.cwd);
    return { sessionId: session.id, ...setup(session) };
  })
  .onRequest(methods.session.load, async ({ params, client }) => {
    const session = find(params.sessionId, { active: false });
    for (const update of session.history) await client.notify("session/update", { sessionId: session.id, update });
    session.active = true;
    return setup(session);
  })
  .onRequest(methods.session.resume, ({ params }) => {
    const session = find(params.sessionId, { active: false });
    session.active = true;
    return setup(session);
  })
  .onRequest(methods.session.list, list)
  .onRequest(methods.session.close, ({ params }) => {
    const session = find(params.sessionId);
    session.turn?.abort("session/close");
    session.active = false;
    return {};
  })
  .onRequest(methods.session.delete, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(methods.session.setMode, ({ params }) => {
    const session = find(params.sessionId);
    if (!modes.some(({ id }) => id === params.modeId)) throw acp.RequestError.invalidParams({ modeId: params.modeId });
    session.mode = params.modeId;
    return {};
  })
  .onRequest(methods.session.setConfigOption, setOption)
  .onRequest(methods.session.prompt, prompt)
  .onNotification(methods.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort("session/cancel"))
  .onRequest("*", ({ method, params }) => {
    if (method === "_interop/echo") return { params: params ?? null };
    if (method === "_interop/answers") return { answers };
    if (method === "_interop/complaints") return { complaints };
    throw acp.RequestError.methodNotFound(method);
  })
  .connect(stream);
