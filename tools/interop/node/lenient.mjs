// The official SDK's parsers as a judge: each line of standard input is {"def": NAME, "text": BASE64}, an instance of a definition of the protocol's
// version 1; each line of standard output is the verdict on it:
//
//	{"verdict": "accepted", "value": TEXT}    what the parser made of it, as JSON text
//	{"verdict": "rejected", "issues": [...]}  what the parser has against it
//	{"verdict": "syntax"}                     not JSON
//
// The generated schemas are no export of the package, so they are imported by path.
import { createInterface } from "node:readline";
import * as schemas from "./node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js";

function judge({ def, text }) {
  const schema = schemas[`z${def}`];
  if (schema === undefined) throw new Error(`the SDK has no schema of ${def}`);
  let value;
  try {
    value = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
  } catch {
    return { verdict: "syntax" };
  }
  const result = schema.safeParse(value);
  if (!result.success) {
    return { verdict: "rejected", issues: result.error.issues.map(({ code, path, message }) => ({ code, path, message })) };
  }
  return { verdict: "accepted", value: encode(result.data) };
}

class Text {
  constructor(text) {
    this.text = text;
  }
}

// JSON.stringify would write null for an infinite number, which JSON.parse makes of 1e400, and overflow the stack on deep nesting.
function encode(root) {
  let out = "";
  const todo = [root];
  while (todo.length > 0) {
    const value = todo.pop();
    if (value instanceof Text) {
      out += value.text;
    } else if (value === Infinity || value === -Infinity) {
      out += value > 0 ? "1e999" : "-1e999";
    } else if (value === null || typeof value !== "object") {
      out += JSON.stringify(value);
    } else if (Array.isArray(value)) {
      todo.push(new Text("]"));
      for (let i = value.length - 1; i >= 0; i--) todo.push(value[i], new Text(i > 0 ? "," : ""));
      todo.push(new Text("["));
    } else {
      const names = Object.keys(value).filter((name) => value[name] !== undefined);
      todo.push(new Text("}"));
      for (let i = names.length - 1; i >= 0; i--) todo.push(value[names[i]], new Text(`${i > 0 ? "," : ""}${JSON.stringify(names[i])}:`));
      todo.push(new Text("{"));
    }
  }
  return out;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(judge(JSON.parse(line))) + "\n");
}
