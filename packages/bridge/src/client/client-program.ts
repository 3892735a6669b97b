import { fstatSync, readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { askInstalled, GRACE_MS, MOST_INPUT } from "./client.ts";
import type { NativeAnswer } from "./native-answer.ts";
import { Away, notReachable } from "./place.ts";

// The client as a Node program: agents run it as their hook command where there is no native client (`client-text.ts`).
// Its first argument is hookline's home; `USAGE` shows the others.

const USAGE = "usage: hookline-hook HOST EVENT [--origin ID] [--deadline MS] [--detach]\n";
const NAME = /^[\w.-]{1,63}$/;

/** Answers one call of a host: the payload is on stdin, the answer goes to stdout and stderr. Returns the exit code. */
export async function answerProgram([home = "", host = "", event = "", ...rest]: readonly string[]): Promise<number> {
  let [origin, deadlineMs, detach] = ["", 58_000, false];
  let fits = NAME.test(host) && NAME.test(event);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--detach") detach = true;
    else if (word === "--origin" && rest.length > 0) origin = rest.shift() ?? "";
    else if (word === "--deadline" && /^\d{1,9}$/.test(rest[0] ?? "")) deadlineMs = Number(rest.shift());
    else fits = false;
  }
  if (!fits) return write({ exit: 2, stderr: USAGE });
  const options = { timeoutMs: deadlineMs + GRACE_MS, detach, parent: process.ppid };
  const answer = await askInstalled({ host, origin, home }, event, () => readInput(deadlineMs), options);
  if (!("away" in answer)) return write(answer);
  if (!answer.refuses) return write({ exit: 0, stderr: answer.note === undefined ? "" : `${answer.note}\n` });
  const because = notReachable(answer.away);
  try {
    const text = readFileSync(`${home}/bin/bridge/refusal-${host}-${event}`, "utf8");
    const [exit, stdout = "", stderr = ""] = text.replaceAll("\u0001", () => because).split("\0");
    return write({ exit: Number(exit), stdout, stderr });
  } catch {
    return write({ exit: 2, stderr: `${because}\n` });
  }
}

function write({ exit = 2, stdout = "", stderr = "" }: Partial<NativeAnswer>): number {
  for (const [fd, text] of [
    [1, stdout],
    [2, stderr],
  ] as const) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (thrown) {
        // EAGAIN: another program has made the pipe non-blocking, and it is full.
        if ((thrown as NodeJS.ErrnoException).code !== "EAGAIN") break;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    }
  }
  return exit;
}

/** Reads the host's input to its end. */
function readInput(limitMs: number): Promise<Uint8Array> {
  const kind = fstatSync(0);
  if (kind.isFile()) return Promise.resolve(readFileSync(0));
  // Reads a pipe or a socket with `node:net`, which is faster to set up than `process.stdin`.
  const stdin =
    kind.isFIFO() || kind.isSocket() ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin;
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      clearTimeout(late);
      stdin.destroy();
      settle();
    };
    const fail = (because: string): void => end(() => reject(new Away(because)));
    const late = setTimeout(fail, limitMs, "the host did not end its input");
    stdin.on("data", (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_INPUT) fail("the host sent more than 8 MiB");
    });
    stdin.on("end", () => end(() => resolve(Buffer.concat(pieces))));
    stdin.on("error", () => fail("what the host sent cannot be read"));
  });
}
