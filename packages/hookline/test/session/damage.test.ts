import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claim as damaged } from "../../../../prove/damaged.ts";
import { describeDamage } from "../../src/session/damage.ts";
import { SessionManager } from "../../src/session/session.ts";
import { linesOf, scratch, unsynced } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

function sample(folder: string, turns = 12): string[] {
  const session = SessionManager.create("/project", folder);
  for (let turn = 0; turn < turns; turn++) {
    session.appendMessage(user(`question ${turn} äöü`));
    session.appendMessage(assistant(`answer ${turn}`));
    if (turn === 7) session.appendCompaction("so far", session.getLeafId(), 100);
  }
  session.close();
  return readFileSync(session.getSessionFile() ?? "", "utf8")
    .trimEnd()
    .split("\n");
}

type Mutation =
  | { readonly do: "flip" | "insert"; readonly at: number; readonly byte: number }
  | { readonly do: "delete" | "zero"; readonly at: number; readonly length: number }
  | { readonly do: "splice"; readonly at: number; readonly from: number; readonly length: number };

const place = fc.nat(1_000_000);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ do: fc.constantFrom("flip" as const, "insert" as const), at: place, byte: fc.nat(255) }),
  fc.record({
    do: fc.constantFrom("delete" as const, "zero" as const),
    at: place,
    length: fc.integer({ min: 1, max: 400 }),
  }),
  fc.record({ do: fc.constant("splice" as const), at: place, from: place, length: fc.integer({ min: 1, max: 400 }) }),
);

function mutate(bytes: Buffer, change: Mutation): Buffer {
  const at = change.at % bytes.length;
  const before = bytes.subarray(0, at);
  switch (change.do) {
    case "flip":
      return Buffer.concat([before, Buffer.of(change.byte), bytes.subarray(at + 1)]);
    case "insert":
      return Buffer.concat([before, Buffer.of(change.byte), bytes.subarray(at)]);
    case "delete":
      return Buffer.concat([before, bytes.subarray(at + change.length)]);
    case "zero":
      return Buffer.concat([
        before,
        Buffer.alloc(Math.min(change.length, bytes.length - at)),
        bytes.subarray(at + change.length),
      ]);
    case "splice": {
      const from = change.from % bytes.length;
      return Buffer.concat([before, bytes.subarray(from, from + change.length), bytes.subarray(at)]);
    }
  }
}

test("damage costs the lines that it hits, is reported, and stays on the disk", async () => {
  expect(await damaged.run("quick")).toMatchObject({ n: 602, violations: 0 });
});

test("after any damage every line that is still whole is there, and the file is not touched", () => {
  const folder = scratch();
  const lines = sample(folder);
  const whole = Buffer.from(`${lines.join("\n")}\n`);
  const path = join(folder, "damaged.jsonl");
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = changes.reduce<Buffer>((now, change) => (now.length === 0 ? now : mutate(now, change)), whole);
      writeFileSync(path, bytes);
      const survivors = bytes
        .toString("utf8")
        .split("\n")
        .filter((line) => lines.indexOf(line) > 0);
      for (const tailFirstBytes of [0, Number.POSITIVE_INFINITY]) {
        let session: SessionManager;
        try {
          session = SessionManager.open(path, undefined, undefined, { tailFirstBytes });
        } catch (error) {
          expect(String(error)).toMatch(/not a valid hookline session/);
          expect(survivors).toEqual([]);
          continue;
        }
        session.buildSessionContext();
        session.getTree();
        session.getBranch();
        const read = new Set(session.getEntries().map((entry) => JSON.stringify(entry)));
        for (const line of survivors) expect(read).toContain(line);
        // A damaged version number is the one thing that a reading may rewrite.
        if (
          Number(session.getHeader().version ?? 3) === 3 &&
          !/"version":[0-2]/.test(bytes.toString("latin1", 0, 60))
        ) {
          expect(readFileSync(path)).toEqual(bytes);
        }
        session.close();
      }
    }),
    { numRuns: 150 },
  );
});

test("a damaged session takes new entries, each a line of its own", () => {
  const folder = scratch();
  const lines = sample(folder, 4);
  const whole = Buffer.from(`${lines.join("\n")}\n`);
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), fc.nat(), (changes, n) => {
      const path = join(folder, `damaged-${n}.jsonl`);
      writeFileSync(
        path,
        changes.reduce<Buffer>((now, change) => (now.length === 0 ? now : mutate(now, change)), whole),
      );
      let session: SessionManager;
      try {
        session = SessionManager.open(path, undefined, undefined, { disk: unsynced });
      } catch {
        return;
      }
      const before = session.getEntries().length;
      session.appendMessage(assistant("after"));
      session.appendMessage(user("and again"));
      session.close();
      const again = SessionManager.open(path);
      expect(again.getEntries()).toHaveLength(before + 2);
      expect(again.buildSessionContext().messages.at(-1)).toEqual(user("and again"));
    }),
    { numRuns: 300 },
  );
});

test("byte order mark, carriage returns and blank lines are not damage", () => {
  const folder = scratch();
  const lines = sample(folder, 2);
  const path = join(folder, "windows.jsonl");
  writeFileSync(path, `\uFEFF${lines.join("\r\n\r\n")}\r\n`);
  const session = SessionManager.open(path);
  expect(session.getEntries().map((entry) => JSON.stringify(entry))).toEqual(lines.slice(1));
  expect(session.getDamage()).toEqual({ badLines: 0, torn: false, headerMissing: false });
});

test("an entry behind a run of NUL bytes on its line is kept", () => {
  const folder = scratch();
  const lines = sample(folder, 2);
  const path = join(folder, "hole.jsonl");
  writeFileSync(path, `${lines.slice(0, 3).join("\n")}\n${"\0".repeat(4096)}${lines.slice(3).join("\n")}\n`);
  expect(SessionManager.open(path).getEntries()).toHaveLength(lines.length - 1);
});

test("damage is counted line by line and reported in one sentence", () => {
  const folder = scratch();
  const lines = sample(folder, 2);
  const path = join(folder, "counted.jsonl");
  const bad = ["{broken", "[1,2]", "17", "null", '{"type":"message"}', "\0\0\0", '{"id":"x"}'];
  writeFileSync(path, `${[...lines.slice(0, 2), ...bad, ...lines.slice(2)].join("\n")}\n{"type":"mess`);
  const damage = SessionManager.open(path).getDamage();
  expect(damage).toEqual({ badLines: bad.length, torn: true, headerMissing: false });
  expect(describeDamage(path, damage)).toBe(
    `Session file ${path} is damaged: 7 damaged lines were skipped, its last line is incomplete. Everything else was read; fork the session to continue in a clean file.`,
  );
  expect(describeDamage(path, { badLines: 0, torn: false, headerMissing: false })).toBeUndefined();
});

test("a damaged header loses only itself; the file's name replaces it", () => {
  const folder = scratch();
  const lines = sample(folder, 2);
  const id = "0190a0a0-0000-7000-8000-000000000000";
  const path = join(folder, `2025-03-04T05-06-07-089Z_${id}.jsonl`);
  writeFileSync(path, `${["{xxx", ...lines.slice(1)].join("\n")}\n`);
  const session = SessionManager.open(path, undefined, "/elsewhere");
  expect(session.getHeader()).toEqual({
    type: "session",
    version: 3,
    id,
    timestamp: "2025-03-04T05:06:07.089Z",
    cwd: "",
  });
  expect(session.getEntries()).toHaveLength(lines.length - 1);
  expect(session.getDamage()).toEqual({ badLines: 1, torn: false, headerMissing: true });
});

test("parents that go round in a circle end the path", () => {
  const folder = scratch();
  const path = join(folder, "circle.jsonl");
  const entry = (id: string, parentId: string) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2025-01-01T00:00:00.000Z",
    message: user(id),
  });
  const header = { type: "session", version: 3, id: "circle", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" };
  const lines = [header, entry("a", "c"), entry("b", "a"), entry("c", "b"), entry("own", "own")];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  for (const tailFirstBytes of [0, Number.POSITIVE_INFINITY]) {
    const session = SessionManager.open(path, undefined, undefined, { tailFirstBytes });
    expect(session.getBranch("c").map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(session.getBranch().map(({ id }) => id)).toEqual(["own"]);
    expect(session.getTree().map(({ entry: { id } }) => id)).toEqual(["own"]);
  }
});

test("entries whose fields are not what their type says break nothing", () => {
  const folder = scratch();
  const path = join(folder, "odd.jsonl");
  const types = [
    "message",
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "context_edit",
    "usage",
    "from_the_future",
  ];
  const header = { type: "session", version: 3, id: "odd", timestamp: "not a time", cwd: 17 };
  const bare = types.map((type, index) => ({ type, id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}` }));
  const nulls = types.map((type, index) => ({
    type,
    id: `n${index}`,
    parentId: index === 0 ? "e11" : `n${index - 1}`,
    timestamp: 5,
    message: null,
    content: null,
    replacement: 3,
  }));
  writeFileSync(path, [header, ...bare, ...nulls].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const session = SessionManager.open(path, undefined, "/project");
  expect(session.getEntries()).toHaveLength(24);
  expect(session.buildSessionContext().messages.map(({ role }) => role)).toEqual(["compactionSummary", "custom"]);
  expect(session.getSessionName()).toBeUndefined();
  session.appendMessage(assistant("fine"));
  expect(linesOf(path)).toHaveLength(26);
  session.close();
  expect(SessionManager.open(path).getCwd()).toBe(process.cwd());
});
