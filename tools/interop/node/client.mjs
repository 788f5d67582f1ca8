// The official SDK as the client of any agent: node client.mjs COMMAND ARGS... < PLAN > REPORT
//
// PLAN is JSON:
//
//	transcript     file to write every frame to
//	capabilities   clientCapabilities; handlers exist only for what is in there
//	permission     kind of the option to choose; "cancelled"; or "hold", which does not answer before the turn is cancelled
//	elicitation    the action to answer with: "accept", "decline" or "cancel"; and
//	content        what to fill in where a form is accepted
//	steps          list of {"method", "params"}, one after the other; further members of a step:
//	  notify       true: it is a notification
//	  cancel       "session/cancel" or "$/cancel_request": sent once the agent has sent "after" updates, 1 if that is not there, or waits for a held permission
//
// REPORT is JSON: of each step its result or error; what the SDK complained about on the console; how often the agent called what; how the agent ended.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";
import { Terminals, readTextFile, writeTextFile } from "./environment.mjs";
import { recordedStream } from "./transcript.mjs";

const stepTimeout = 20_000;
const exitTimeout = 5_000;

const plan = JSON.parse(await text(process.stdin));
const report = { steps: [], complaints: [], calls: {} };
console.error = (...args) => report.complaints.push(args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" "));

let wake = () => {}; // called when the agent does something that a cancellation waits for
let updates = 0;
let held = []; // answers permission requests that are on hold

function decide({ options }, signal) {
  const cancelled = { outcome: { outcome: "cancelled" } };
  if (plan.permission === "hold") {
    return new Promise((resolve) => {
      const answer = () => resolve(cancelled);
      held.push(answer);
      signal.addEventListener("abort", answer, { once: true });
      updates = Infinity;
      wake();
    });
  }
  const option = options.find(({ kind }) => kind === plan.permission);
  return option ? { outcome: { outcome: "selected", optionId: option.optionId } } : cancelled;
}

function received(line) {
  if (!line.includes('"session/update"')) return;
  updates++;
  wake();
}

function buildClient(terminals) {
  const app = acp.client({ name: "acpwire-interop" });
  const { session, fs, terminal, elicitation } = acp.methods.client;
  const on = (method, answer) =>
    app.onRequest(method, async ({ params, signal }) => {
      report.calls[method] = (report.calls[method] ?? 0) + 1;
      return await answer(params, signal);
    });
  const has = plan.capabilities ?? {};
  on(session.requestPermission, decide);
  if (has.fs?.readTextFile) on(fs.readTextFile, readTextFile);
  if (has.fs?.writeTextFile) on(fs.writeTextFile, writeTextFile);
  if (has.terminal) {
    on(terminal.create, (p) => terminals.create(p));
    on(terminal.output, (p) => terminals.output(p));
    on(terminal.waitForExit, (p) => terminals.waitForExit(p));
    on(terminal.kill, (p) => terminals.kill(p));
    on(terminal.release, (p) => terminals.release(p));
  }
  if (has.elicitation) on(elicitation.create, ({ mode }) => ({ action: plan.elicitation, ...(plan.elicitation === "accept" && mode === "form" && { content: plan.content }) }));
  app.onNotification(session.update, () => {});
  app.onNotification(elicitation.complete, () => {});
  return app;
}

async function run(agent, { method, params, notify, cancel, after = 1 }) {
  if (notify) return await agent.notify(method, params);
  const abort = new AbortController();
  updates = 0;
  const woken = new Promise((resolve) => (wake = () => updates >= after && resolve()));
  const answer = agent.request(method, params, { cancellationSignal: abort.signal });
  if (cancel) {
    await Promise.race([woken, answer.catch(() => {})]);
    if (cancel === "session/cancel") {
      await agent.notify(cancel, { sessionId: params.sessionId });
      for (const answerHeld of held.splice(0)) answerHeld();
    } else {
      abort.abort();
    }
  }
  return await answer;
}

async function timed(promise) {
  const clock = new AbortController();
  const late = sleep(stepTimeout, undefined, { signal: clock.signal }).then(() => {
    throw new Error(`no answer within ${stepTimeout} ms`);
  });
  late.catch(() => {}); // stopped
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.abort();
  }
}

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
child.stdin.on("error", () => {});
const ended = new Promise((resolve, reject) => child.once("error", reject).once("exit", (code, signal) => resolve({ code, signal })));
const terminals = new Terminals();
const connection = buildClient(terminals).connect(recordedStream(plan.transcript, "c2a", child.stdin, child.stdout, received).stream);
for (const step of plan.steps) {
  try {
    report.steps.push({ result: (await timed(run(connection.agent, step))) ?? null });
  } catch (error) {
    report.steps.push({ error: { code: error.code, message: error.message, data: error.data } });
  }
}
report.unreleased = terminals.killAll();
connection.close();
child.stdin.end();
report.exit = (await Promise.race([ended, sleep(exitTimeout)])) ?? "still running";
child.kill("SIGKILL");
process.stdout.write(JSON.stringify(report));
process.exit(0);
