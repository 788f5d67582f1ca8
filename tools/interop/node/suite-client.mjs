// A client on the official SDK, for acpcheck test-client: node suite-client.mjs PROMPT COMMAND ARGS... It starts the agent, opens a session in a new directory, sends the
// prompt, and ends. It allows everything within that directory, and cancels the turn of a prompt that has the word "cancel" in it once the agent is at work.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { Terminals, readTextFile, writeTextFile } from "./environment.mjs";

const [prompt, command, ...args] = process.argv.slice(2);
const cwd = mkdtempSync(join(tmpdir(), "suite-client-"));
const terminals = new Terminals();
const abort = new AbortController();
const toCancel = prompt.includes("cancel");

// inside refuses a path that is not in the session's directory.
function inside(params) {
  const path = relative(cwd, params.path);
  if (path.startsWith("..") || isAbsolute(path)) throw acp.RequestError.invalidParams({ path: params.path });
  return params;
}

// decide waits, if the turn is to be cancelled, until it is; the question may come after that.
function decide({ options }) {
  if (abort.signal.aborted) return { outcome: { outcome: "cancelled" } };
  if (toCancel) return new Promise((resolve) => abort.signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }), { once: true }));
  return { outcome: options.length > 0 ? { outcome: "selected", optionId: options[0].optionId } : { outcome: "cancelled" } };
}

console.error = () => {}; // the SDK's remarks on what the suite sends it
const { session, fs, terminal, elicitation } = acp.methods.client;
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
let busy;
const working = new Promise((resolve) => (busy = resolve));
const connection = acp
  .client({ name: "suite-client" })
  .onRequest(session.requestPermission, ({ params }) => decide(params))
  .onRequest(fs.readTextFile, ({ params }) => readTextFile(inside(params)))
  .onRequest(fs.writeTextFile, ({ params }) => writeTextFile(inside(params)))
  .onRequest(terminal.create, ({ params }) => terminals.create(params))
  .onRequest(terminal.output, ({ params }) => terminals.output(params))
  .onRequest(terminal.waitForExit, ({ params }) => terminals.waitForExit(params))
  .onRequest(terminal.kill, ({ params }) => terminals.kill(params))
  .onRequest(terminal.release, ({ params }) => terminals.release(params))
  .onRequest(elicitation.create, () => ({ action: "decline" }))
  .onNotification(session.update, () => busy())
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const { agent } = connection;
try {
  await agent.request("initialize", {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "suite-client", version: "1" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, elicitation: { form: {} } },
  });
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  const turn = agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
  if (toCancel) {
    await working;
    await agent.notify("session/cancel", { sessionId });
    abort.abort();
  }
  await turn.catch(() => {}); // which may be what the prompt is for
} finally {
  terminals.killAll();
  child.stdin.end();
  await ended;
  rmSync(cwd, { recursive: true, force: true });
}
process.exit(0);
