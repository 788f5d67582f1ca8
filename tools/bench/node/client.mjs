// The official TypeScript SDK as the client: node client.mjs UPDATES WARMUP TEXTS. It starts agent.mjs, and prints what it measured as JSON.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as acp from "@agentclientprotocol/sdk";

const [updates, warmUp] = process.argv.slice(2, 4).map(Number);
const textsFile = process.argv[4];
const texts = JSON.parse(readFileSync(textsFile, "utf8"));
const child = spawn(process.execPath, [fileURLToPath(new URL("agent.mjs", import.meta.url)), textsFile], { stdio: ["pipe", "pipe", "inherit"] });

const tally = { updates: 0, length: 0, wanted: Infinity, done: undefined };
const client = acp.client({ name: "bench-client" });
client.onNotification(acp.methods.client.session.update, ({ params }) => {
  tally.updates++;
  tally.length += params.update.content.text.length;
  if (tally.updates === tally.wanted) tally.done();
});

// peak is the most memory of a process, in bytes, where the system says it.
function peak(pid) {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
  } catch {
    return 0;
  }
}

// turn returns when the response has come and all updates were handled: the SDK does not wait for their handlers.
async function turn(agent, sessionId, n) {
  Object.assign(tally, { updates: 0, length: 0, wanted: n });
  const handled = new Promise((resolve) => (tally.done = resolve));
  const response = await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: String(n) }] });
  if (response.stopReason !== "end_turn") throw new Error(`the turn ended with ${response.stopReason}`);
  await handled;
  let want = 0;
  for (let i = 0; i < n; i++) want += texts[i % texts.length].length;
  if (tally.updates !== n || tally.length !== want) throw new Error(`${tally.updates} updates with ${tally.length} characters, want ${n} with ${want}`);
}

const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await client.connectWith(stream, async (agent) => {
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: "/", mcpServers: [] });
  await turn(agent, sessionId, warmUp);
  const start = process.hrtime.bigint();
  await turn(agent, sessionId, updates);
  const wall = Number(process.hrtime.bigint() - start);
  console.log(JSON.stringify({ updates, wall, peak: peak(process.pid), agentPeak: peak(child.pid) }));
});
child.stdin.end();
