// What a client lends to an agent: files and terminals.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { RequestError } from "@agentclientprotocol/sdk";

export async function readTextFile({ path }) {
  try {
    return { content: await readFile(path, "utf8") };
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

  create({ command, args, cwd }) {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const terminal = { child, output: "" };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (data) => (terminal.output += data));
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
    const { output, exitStatus } = this.#find(terminalId);
    return { output, truncated: false, ...(exitStatus && { exitStatus }) };
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

function end({ child, exitStatus }) {
  if (exitStatus !== undefined || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
