import { appendFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecordingWriter } from "@hookline/runtime/past";
import { expect, test } from "vitest";
import type { HookRow } from "../../src/inspect/api.ts";
import { follow } from "./follow.ts";
import { folderForTest, GUARD, HEADER, moment } from "./recorded.ts";
import { served } from "./served.ts";

const entry = { id: GUARD, lane: "pi", source: "/work/guard.ts:3", pass: 1, status: "asked", shadow: true } as const;
const call = (command: string): Parameters<RecordingWriter["moment"]>[0] =>
  moment("tool.before", { payload: { tool: "bash", args: { command } }, hooks: [entry] });

/** A recording whose lines are kept apart, so that a test can append them one by one. */
function recorded(): { readonly path: string; readonly writer: RecordingWriter; append(): void } {
  const path = join(folderForTest(), "s-1.jsonl");
  writeFileSync(path, "");
  let lines = "";
  const writer = new RecordingWriter({ write: (line) => void (lines += line) }, HEADER);
  return {
    path,
    writer,
    append() {
      appendFileSync(path, lines);
      lines = "";
    },
  };
}

test("what a hook in shadow said is part of its moment, is searched, and counts for no decision", async () => {
  const { path, writer, append } = recorded();
  const reason = `would remove ${"a very long name ".repeat(20)}`;
  for (const command of ["rm -rf build", "ls", "rm -rf dist"]) writer.moment(call(command));
  writer.inShadow(1, { id: GUARD, status: "answered", ms: 4, answer: { block: true, reason }, would: "deny" });
  writer.inShadow(3, { id: GUARD, status: "answered", ms: 6, answer: { block: true, reason }, would: "deny" });
  writer.inShadow(2, { id: GUARD, status: "timed-out", ms: 60_000, problem: "took too long", stderr: "waiting" });
  append();
  const server = await served([path]);
  const hookOf = async (n: number): Promise<object> =>
    (await server.get(`/api/sources/ID/moments/${n}`)).json.moment.hooks[0];
  expect(await hookOf(1)).toMatchObject({ status: "answered", would: "deny", ms: 4, answer: { block: true, reason } });
  expect(await hookOf(2)).toMatchObject({ status: "timed-out", problem: "took too long", stderr: "waiting" });
  // A long text that was written before is a reference in the second answer.
  expect(await hookOf(3)).toMatchObject({ would: "deny", answer: { block: true, reason } });
  const { items } = (await server.get("/api/sources/ID/moments")).json;
  for (const item of items) {
    expect(item.decision).toBeUndefined();
    expect(item.marks).toEqual(["shadow"]);
  }
  const [row]: readonly HookRow[] = (await server.get("/api/sources/ID/hooks")).json.hooks;
  expect(row).toMatchObject({ asked: 3, answered: 2, timedOut: 1, refused: 0, would: { deny: 2, ask: 0, edit: 0 } });
  // Nothing waited for it, so that it took none of the session's time.
  expect([row?.totalMs, row?.share]).toEqual([0, 0]);
  expect(row?.p50).toBeGreaterThan(5);
  const found = (await server.get("/api/sources/ID/moments?q=took%20too%20long")).json;
  expect(found.items.map(({ n }: { n: number }) => n)).toEqual([2]);
  const named = (await server.get("/api/sources/ID/moments?q=would%20remove")).json;
  expect(named.items.map(({ n }: { n: number }) => n)).toEqual([1, 3]);
});

test("a later answer appears in the stream, and belongs to the session that continues", async () => {
  const { path, writer, append } = recorded();
  writer.moment(call("rm a"));
  append();
  const server = await served([path]);
  const stream = follow(server, 0);
  expect(await stream.next()).toMatchObject({ kind: "moments", total: 1 });
  expect(await stream.next()).toMatchObject({ kind: "state" });
  writer.inShadow(1, { id: GUARD, status: "answered", ms: 1, answer: { block: true }, would: "deny" });
  append();
  expect(await stream.next()).toMatchObject({ kind: "changed", item: { n: 1 } });
  // The session is resumed, and counts its moments anew.
  let resumed = "";
  const sink = { write: (line: string) => void (resumed += line) };
  const next = new RecordingWriter(sink, HEADER, { at: statSync(path).size });
  next.moment(call("rm b"));
  next.inShadow(1, { id: GUARD, status: "answered", ms: 1, answer: { block: true, reason: "b" }, would: "deny" });
  appendFileSync(path, resumed);
  expect(await stream.next()).toMatchObject({ kind: "moments", total: 2 });
  stream.end();
  const answers = await Promise.all(
    [1, 2].map(async (n) => (await server.get(`/api/sources/ID/moments/${n}`)).json.moment.hooks[0].answer),
  );
  expect(answers).toEqual([{ block: true }, { block: true, reason: "b" }]);
});
