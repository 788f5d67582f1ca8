// What a client lends to an agent: files and terminals.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { RequestError } from "@agentclientprotocol/sdk";

export async function readTextFile({ path, line, limit }) {
  try {
    const content = await readFile(path, "utf8");
    if (line == null && limit == null) return { content };
    const from = Math.max((line ?? 1) - 1, 0);
    return { content: content.split(/(?<=\n)/).slice(from, from + (limit ?? Infinity)).join("") };
  } catch (error) {
    throw error.code === "ENOENT" ? RequestError.resourceNotFound(path) : error;
  }
}

export async function writeTextFile({ path, content }) {
  await writeFile(path, content);
  return {};
}

export class Terminals {
  #all = new Map();

  create({ command, args, cwd, outputByteLimit }) {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const terminal = { child, output: "", truncated: false };
    const append = (data) => {
      const whole = terminal.output + data;
      terminal.output = lastBytes(whole, outputByteLimit ?? Infinity);
      terminal.truncated ||= terminal.output !== whole;
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", append);
    terminal.ended = new Promise((resolve, reject) =>
      child.once("error", reject).once("close", (exitCode, signal) => resolve((terminal.exitStatus = { exitCode, signal }))),
    );
    terminal.ended.catch(() => {}); // whoever waits is told
    const terminalId = `terminal-${this.#all.size + 1}`;
    this.#all.set(terminalId, terminal);
    return { terminalId };
  }

  #find(id) {
    const terminal = this.#all.get(id);
    if (terminal === undefined || terminal.released) throw RequestError.resourceNotFound(id);
    return terminal;
  }

  output({ terminalId }) {
    const { output, truncated, exitStatus } = this.#find(terminalId);
    return { output, truncated, ...(exitStatus && { exitStatus }) };
  }

  async waitForExit({ terminalId }) {
    return await this.#find(terminalId).ended;
  }

  kill({ terminalId }) {
    end(this.#find(terminalId));
    return {};
  }

  release({ terminalId }) {
    const terminal = this.#find(terminalId);
    end(terminal);
    terminal.released = true;
    return {};
  }

  // killAll returns how many terminals were not released.
  killAll() {
    const left = [...this.#all.values()].filter(({ released }) => !released);
    left.forEach(end);
    return left.length;
  }
}

// lastBytes returns the end of a text, of at most so many bytes in UTF-8, from the start of a character on.
function lastBytes(text, limit) {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  while (start < bytes.length && (bytes[start] & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}

function end({ child, exitStatus }) {
  if (exitStatus !== undefined || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
