import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileList } from "../../src/inspect/file-list.ts";
import type { FullMoment } from "../../src/inspect/moment-file.ts";
import { breathe } from "../../src/inspect/run.ts";
import { RunningList } from "../../src/inspect/running.ts";
import { serve } from "../../src/inspect/server.ts";
import { follow } from "./follow.ts";
import { folderForTest, GUARD, linesOf, moment, session } from "./recorded.ts";
import { Served } from "./served.ts";

const remembered = (t: number, decision?: string): FullMoment => ({
  t,
  event: "tool.before",
  scene: {},
  hooks: [{ id: GUARD, lane: "pi", source: "/g.ts:1", pass: 1, status: "answered", ms: 1 }],
  edits: [],
  outcome: decision === undefined ? {} : { decision },
  ms: 1,
});

interface Running extends Served {
  readonly list: RunningList;
}

async function running(path: string, before: readonly FullMoment[]): Promise<Running> {
  const others = new FileList({ find: () => [], breathe });
  const list = new RunningList({ path, before, session: "s-1", title: "now" }, { cwd: "/work", others, breathe });
  const inspector = await serve({ list, page: new Map(), hookline: "0.0.0", port: 0, breathe });
  onTestFinished(async () => {
    await inspector.close();
    list.close();
  });
  return Object.assign(new Served(inspector, [list.open]), { list });
}

test("the running session begins with what is remembered, and goes on with what is recorded", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  const server = await running(path, [remembered(1), remembered(2, "deny"), remembered(3)]);
  const { open, sources } = (await server.get("/api/sources")).json;
  expect(sources).toMatchObject([{ id: open, kind: "running", live: true, title: "now" }]);
  expect((await server.get("/api/sources/ID/summary")).json).toMatchObject({ moments: 3, decisions: { deny: 1 } });
  const second = (await server.get("/api/sources/ID/moments/2")).json;
  expect(second.moment).toMatchObject({ t: 2, outcome: { decision: "deny" }, hooks: [{ id: GUARD }] });
  expect(second.moment.payload).toBeUndefined();
  expect(second.missing.join(" ")).toContain("before the recording began");
  appendFileSync(path, linesOf(session(4), false).join(""));
  const { items } = (await server.get("/api/sources/ID/moments")).json;
  expect(items.map(({ t }: { t: number }) => t)).toEqual([1, 2, 3, 1_000_000, 1_000_001, 1_000_010, 1_000_200]);
  expect((await server.get("/api/sources/ID/moments/4")).json.moment.payload.text).toContain("prompt 0");
  const found = (await server.get("/api/sources/ID/moments?q=prompt%200")).json;
  expect(found.items.map(({ n }: { n: number }) => n)).toContain(4);
});

test("what is remembered stands between what the file held before and what comes", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  const old = linesOf([moment("turn.start", { t: 1 }), moment("turn.end", { t: 2 })], false).join("");
  appendFileSync(path, old);
  const server = await running(path, [remembered(5), remembered(6)]);
  const fresh = linesOf([moment("turn.start", { t: 9 })], false)
    .join("")
    .replace('"at":0', `"at":${old.length}`);
  appendFileSync(path, fresh);
  const { items } = (await server.get("/api/sources/ID/moments")).json;
  expect(items.map(({ t }: { t: number }) => t)).toEqual([1, 2, 5, 6, 9]);
  const events = await Promise.all(
    [1, 2, 3, 4, 5].map(async (n) => (await server.get(`/api/sources/ID/moments/${n}`)).json.moment.t),
  );
  expect(events).toEqual([1, 2, 5, 6, 9]);
});

test("what is said later about a moment finds it behind what is remembered", async () => {
  const path = join(folderForTest(), "s-1.jsonl");
  const server = await running(path, [remembered(1), remembered(2)]);
  const [head, asks] = linesOf([moment("tool.before", { t: 9, outcome: { decision: "ask" } })], false);
  appendFileSync(path, `${head}${asks}{"v":2,"n":1,"asked":{"answer":"allow","by":"person"}}\n`);
  expect((await server.get("/api/sources/ID/moments/3")).json.moment.asked).toEqual({ answer: "allow", by: "person" });
  expect((await server.get("/api/sources/ID/moments/2")).json.moment.asked).toBeUndefined();
});

test("a session that the terminal has left says with which one it goes on, and runs again when it is resumed", async () => {
  const folder = folderForTest();
  const server = await running(join(folder, "s-1.jsonl"), [remembered(1)]);
  const { list } = server;
  const first = list.open;
  const stream = follow(server, 0);
  expect(await stream.next()).toMatchObject({ kind: "moments", total: 1 });
  expect(await stream.next()).toMatchObject({ kind: "state", live: true });
  list.goOn({ path: join(folder, "s-2.jsonl"), before: [], session: "s-2", title: "next" });
  expect(await stream.next()).toMatchObject({ kind: "state", live: false });
  expect(list.open).not.toBe(first);
  expect((await server.get("/api/sources/ID/summary")).json).toMatchObject({ live: false, goneOn: list.open });
  const { open, sources } = (await server.get("/api/sources")).json;
  expect([open, sources.map(({ id }: { id: string }) => id)]).toEqual([list.open, [list.open, first]]);
  appendFileSync(join(folder, "s-2.jsonl"), linesOf(session(4), false).join(""));
  const next = (await server.get(`/api/sources/${open}/summary`)).json;
  expect(next).toMatchObject({ moments: 4, live: true });
  expect(next.goneOn).toBeUndefined();
  list.goOn({ path: join(folder, "s-1.jsonl"), before: [], session: "s-1", title: "again" });
  expect(list.open).toBe(first);
  expect(await stream.next()).toMatchObject({ kind: "state", live: true });
  stream.end();
});
