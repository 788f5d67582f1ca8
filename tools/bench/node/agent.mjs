// The official TypeScript SDK as the agent: node agent.mjs TEXTS, with the JSON file of the texts to stream. The prompt is the number of updates.
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const agent = acp.agent({ name: "bench-agent" });

agent.onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }));
agent.onRequest(acp.methods.agent.session.new, () => ({ sessionId: "sess_5f0c2a9be41d4c83" }));
agent.onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
  const updates = Number(params.prompt[0].text);
  for (let i = 0; i < updates; i++) {
    await client.notify(acp.methods.client.session.update, {
      sessionId: params.sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: texts[i % texts.length] } },
    });
  }
  return { stopReason: "end_turn" };
});

const connection = agent.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
