import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chance } from "../../../../prove/sessions/chance.ts";
import { mutate } from "../../../../prove/sessions/mutate.ts";
import { sampleSession, wholeLines } from "../../../../prove/sessions/sample.ts";
import { trials } from "../../../../scripts/trials.ts";
import { describeDamage } from "../../src/session/damage.ts";
import { loadHead, loadSession } from "../../src/session/load.ts";
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

/** A line without the characters that do it no harm. */
const bare = (line: string): string => line.replace(/^[\uFEFF\0]+/, "").replace(/[\0\r]+$/, "");

/** Says what reading a file of these bytes loses or changes; `none` if the bytes are undamaged. */
function lossOf(path: string, bytes: Buffer, whole: ReadonlySet<string>, tailFirst: number | undefined) {
  const lines = bytes.toString("utf8").split("\n").map(bare);
  const kept = lines.filter((line) => whole.has(line));
  const others = lines.filter((line) => line !== "" && !whole.has(line));
  const loaded = loadSession(path, tailFirst);
  if (!readFileSync(path).equals(bytes)) return "the reading has changed the file";
  if (loaded.state !== "session")
    return kept.length > 1 ? `${kept.length} whole lines, and it is ${loaded.state}` : undefined;
  const head = loaded.unread === undefined ? undefined : loadHead(loaded.unread);
  const read = new Set(
    [...(head?.entries ?? []), ...loaded.entries, loaded.header].map((entry) => JSON.stringify(entry)),
  );
  // A flipped bit in the header may turn the version into an older one, which is then migrated line by line.
  const isMigrated = "migrated" in loaded;
  const lost = isMigrated ? [] : kept.filter((line) => !read.has(line) && !line.startsWith('{"type":"session",'));
  if (lost.length > 0) return `${lost.length} whole lines were not read`;
  const { damage } = loaded;
  const counted = damage.badLines + (head?.badLines ?? 0) + (damage.torn ? 1 : 0) + (damage.headerMissing ? 1 : 0);
  const bad = others.filter((line) => wholeLines(line).length === 0);
  if (bad.length > 0 && counted === 0) return `${bad.length} bad lines, and no damage is told`;
  if (counted > 0 && describeDamage(path, damage) === undefined && head === undefined) return "no damage is described";
  return others.length > 0 || kept.length < whole.size ? undefined : "none";
}

test("damage costs the lines that it hits, is reported, and stays on the disk", () => {
  const folder = scratch();
  const sound = sampleSession(folder);
  const whole = new Set(wholeLines(sound.toString("utf8")));
  const path = join(folder, "damaged.jsonl");
  // Small files are read completely; the other way is for large ones.
  const ways = [undefined, 1];
  writeFileSync(path, sound);
  for (const tailFirst of ways) expect(lossOf(path, sound, whole, tailFirst)).toBe("none");
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...ways), (seed, tailFirst) => {
      const { bytes } = mutate(sound, chance(seed));
      writeFileSync(path, bytes);
      expect([undefined, "none"]).toContain(lossOf(path, bytes, whole, tailFirst));
      if (loadSession(path).state !== "session") return;
      const session = SessionManager.open(path, undefined, undefined, { disk: unsynced });
      session.buildSessionContext();
      session.getTree();
      session.getBranch();
      session.close();
    }),
    { numRuns: trials(600) },
  );
});

test("a damaged session takes new entries, each a line of its own", () => {
  const folder = scratch();
  const lines = sample(folder, 4);
  const whole = Buffer.from(`${lines.join("\n")}\n`);
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const path = join(folder, `damaged-${seed}.jsonl`);
      writeFileSync(path, mutate(whole, chance(seed)).bytes);
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

test("names that are special in JavaScript change no message, and the reading no file", () => {
  const folder = scratch();
  const [header = "", ...entries] = sample(folder, 4);
  const poison = '"__proto__":{"role":"assistant","isError":true},"constructor":{"prototype":{"text":"no"}}';
  const path = join(folder, "poisoned.jsonl");
  // Beside the entry's own keys, and in the first object in it.
  const poisoned = entries.map((line, n) =>
    n % 2 === 0 ? `{${poison},${line.slice(1)}` : line.replace(/:\{/, `:{${poison},`),
  );
  writeFileSync(path, `${[header, ...poisoned].join("\n")}\n`);
  const before = readFileSync(path);
  const session = SessionManager.open(path, undefined, undefined, { disk: unsynced });
  const { messages } = session.buildSessionContext();
  expect(messages.length).toBeGreaterThanOrEqual(8);
  for (const message of messages) expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
  expect(messages.map(({ role }) => role)).toEqual(messages.map((_, n) => (n % 2 === 0 ? "user" : "assistant")));
  session.close();
  expect(readFileSync(path)).toEqual(before);
  expect(({} as Record<string, unknown>)["text"]).toBeUndefined();
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
