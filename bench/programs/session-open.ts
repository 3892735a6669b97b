import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { loadSession } from "../../packages/hookline/src/session/load.ts";
import { SessionManager } from "../../packages/hookline/src/session/session.ts";
import { importPeer } from "../peer.ts";

/** Opens a session in a fresh process, and prints its duration in nanoseconds and its memory in bytes. */
const [how = "", path = "", from = "0"] = process.argv.slice(2);

interface PiSession {
  buildSessionContext(): { messages: readonly unknown[] };
}

const WAYS: Readonly<Record<string, () => Promise<() => unknown>>> = {
  ours: async () => () => SessionManager.open(path).buildSessionContext().messages.length,
  async pi() {
    const { SessionManager: Pi } = await importPeer<{ SessionManager: { open(path: string): PiSession } }>(
      "@earendil-works/pi-coding-agent",
      "0.87.1",
      "dist/core/session-manager.js",
    );
    return () => Pi.open(path).buildSessionContext().messages.length;
  },
  tail: async () => () => parsed(readFrom(Number(from))),
  whole: async () => () => loadSession(path, Number.POSITIVE_INFINITY),
  parse: async () => () => parsed(readFileSync(path, "utf8")),
};

function readFrom(offset: number): string {
  const fd = openSync(path, "r");
  const bytes = Buffer.allocUnsafe(fstatSync(fd).size - offset);
  readSync(fd, bytes, 0, bytes.length, offset);
  closeSync(fd);
  return bytes.toString("utf8");
}

function parsed(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

const work = await WAYS[how]?.();
if (work === undefined) throw new Error(`there is no way "${how}"`);
const before = process.memoryUsage.rss();
const started = process.hrtime.bigint();
const kept = work();
const ns = process.hrtime.bigint() - started;
const rss = process.memoryUsage.rss() - before;
if (kept === undefined) throw new Error("nothing was opened");
process.stdout.write(`${ns} ${rss}\n`);
