import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linesOf } from "../session/scratch.ts";
import { assistant, user } from "../session/talk.ts";
import { sentTo, startBench } from "./bench.ts";

const ENTRIES = 100_000;
const KEPT = 20;

/** Writes a session of so many messages, compacted near its end. */
function long(path: string): void {
  const timestamp = "2025-01-01T00:00:00.000Z";
  const id = (index: number): string => index.toString(16).padStart(8, "0");
  const lines = [JSON.stringify({ type: "session", version: 3, id: "long", timestamp, cwd: "/project" })];
  for (let index = 1; index < ENTRIES; index++) {
    const parentId = index === 1 ? null : id(index - 1);
    const message = index % 2 === 1 ? user(`question ${index} ${"x".repeat(200)}`) : assistant(`answer ${index}`);
    lines.push(JSON.stringify({ type: "message", id: id(index), parentId, timestamp, message }));
  }
  const compaction = { type: "compaction", id: id(ENTRIES), parentId: id(ENTRIES - 1), timestamp };
  const about = { summary: "All that was said.", firstKeptEntryId: id(ENTRIES - KEPT), tokensBefore: 9 };
  lines.push(JSON.stringify({ ...compaction, ...about }));
  writeFileSync(path, `${lines.join("\n")}\n`);
}

/** Bytes that this process has read so far. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

const read = test.skipIf(!existsSync("/proc/self/io"));

/** Goes on with a long session; gives how many bytes of each of its own that took. */
async function goOn(files: Readonly<Record<string, string>>): Promise<number> {
  const bench = await startBench({ replies: [{ text: "Here I am." }], files });
  await bench.close();
  const path = join(bench.project, "long.jsonl");
  long(path);
  const { size } = statSync(path);
  expect(size).toBeGreaterThan(30 << 20);
  const before = bytesRead();
  const { agent, close } = await bench.again(["--session", path]);
  expect(await agent.prompt("Are you there?")).toMatchObject({ kind: "answered", text: "Here I am." });
  await close();
  const passed = (bytesRead() - before) / size;
  const sent = sentTo(bench.server, 0);
  expect(sent).toHaveLength(1 + 1 + KEPT + 1);
  expect(sent[1]).toContain("All that was said.");
  expect(sent.at(-1)).toBe("user: Are you there?");
  const last = linesOf(path).slice(ENTRIES + 1);
  expect(last.map(({ type, message }: any) => message?.role ?? type)).toEqual(["user", "assistant"]);
  return passed;
}

read("a compacted session of 100,000 entries is gone on with from its end", async () => {
  expect(
    await goOn({ "~/.jdata/agent/hooks.yaml": "post_send_message:\n  - command: cat > /dev/null\n" }),
  ).toBeLessThan(0.2);
});

read("a hook that asks for what lies before passes over the file once", async () => {
  const extension =
    "export default (pi) => pi.on('session_start', (_, ctx) => { ctx.sessionManager.getSessionName(); });";
  const passed = await goOn({ "~/.pi/agent/extensions/start.ts": extension });
  expect(passed).toBeGreaterThan(0.9);
  expect(passed).toBeLessThan(1.2);
});
