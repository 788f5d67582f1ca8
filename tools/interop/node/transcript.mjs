// A transcript for acpcheck validate: every line of both directions as it stood on the wire, with who sent it. A line that is not UTF-8 stands there by itself.
import { openSync, writeSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";

const newline = 10;

// record returns a function that writes a line to the file, and one that makes transforms, which pass bytes on, write their lines and show them to seen.
function record(file) {
  const fd = openSync(file, "w");
  const write = (dir, line) => {
    let out = line;
    try {
      out = Buffer.from(JSON.stringify({ dir, raw: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line) }));
    } catch {
      // It stays what it is.
    }
    writeSync(fd, Buffer.concat([out, Buffer.of(newline)]));
  };
  const tap = (dir, seen) => {
    let rest = [];
    return new TransformStream({
      transform(chunk, controller) {
        let start = 0;
        for (let end = chunk.indexOf(newline); end >= 0; start = end + 1, end = chunk.indexOf(newline, start)) {
          const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
          write(dir, line);
          seen(line);
          rest = [];
        }
        if (start < chunk.length) rest.push(chunk.slice(start));
        controller.enqueue(chunk);
      },
      flush() {
        if (rest.length > 0) write(dir, Buffer.concat(rest));
      },
    });
  };
  return { tap, write };
}

// recordedStream returns the SDK's stream over a pair of Node streams, with a transcript, and a function that writes a line past the SDK. mine is the direction of what
// is written: c2a or a2c. received is called with each line that is read, in the order of the wire, which handlers are not.
export function recordedStream(file, mine, output, input, received = () => {}) {
  const { tap, write } = record(file);
  const out = tap(mine, () => {});
  // A peer that has gone is seen by the end of what it sends.
  out.readable.pipeTo(Writable.toWeb(output)).catch(() => {});
  const stream = ndJsonStream(out.writable, Readable.toWeb(input).pipeThrough(tap(mine === "c2a" ? "a2c" : "c2a", received)));
  const writeLine = (line) => {
    write(mine, Buffer.from(line));
    output.write(line + "\n");
  };
  return { stream, writeLine };
}
