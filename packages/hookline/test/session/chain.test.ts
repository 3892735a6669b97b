import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { levelOfChain } from "../../src/session/chain.ts";
import { loadSession } from "../../src/session/load.ts";
import { SessionManager } from "../../src/session/session.ts";
import { scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

interface Drawn {
  readonly kind: "user" | "assistant" | "level" | "compaction" | "measured";
  readonly level: string;
  /** How many entries before itself the parent stands; 1 in a chain. */
  readonly back: number;
}

const FIELDS: Readonly<Record<Drawn["kind"], (level: string, kept: string | null) => object>> = {
  user: () => ({ type: "message", message: user('"type":"thinking_level_change"') }),
  assistant: () => ({ type: "message", message: assistant("yes") }),
  level: (thinkingLevel) => ({ type: "thinking_level_change", thinkingLevel }),
  compaction: (_, firstKeptEntryId) => ({ type: "compaction", summary: "s", firstKeptEntryId, tokensBefore: 1 }),
  measured: (thinkingLevel, firstKeptEntryId) => ({
    type: "compaction",
    summary: "s",
    firstKeptEntryId,
    tokensBefore: 1,
    thinkingLevel,
  }),
};

/** Writes a session whose last entries are a compaction, which keeps the reply before it, and a prompt. */
function write(path: string, drawn: readonly Drawn[]): void {
  const all: Drawn[] = [
    ...drawn,
    { kind: "assistant", level: "", back: 1 },
    { kind: "compaction", level: "", back: 1 },
    { kind: "user", level: "", back: 1 },
  ];
  const id = (index: number): string | null => (index < 0 ? null : `id${index}`);
  const entries = all.map(({ kind, level, back }, index) => {
    const { type, ...more } = FIELDS[kind](level, id(index - 1)) as { type: string };
    return { type, id: id(index), parentId: id(index - back), timestamp, ...more };
  });
  const lines = [{ type: "session", version: 3, id: "s", timestamp, cwd: "/" }, ...entries];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const drawn = (mostBack: number): fc.Arbitrary<Drawn[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom("user", "assistant", "assistant", "level", "compaction", "measured"),
      level: fc.constantFrom("off", "low", "high"),
      back: fc.integer({ min: 1, max: mostBack }),
    }),
    { minLength: 1, maxLength: 12 },
  );

test("the level of a session is the same whether all of it was read or only its end", () => {
  const path = join(scratch(), "s.jsonl");
  fc.assert(
    fc.property(fc.oneof(drawn(1), drawn(3)), (entries) => {
      write(path, entries);
      const whole = SessionManager.open(path, undefined, undefined, { tailFirstBytes: Number.POSITIVE_INFINITY });
      const recorded = whole
        .getBranch()
        .flatMap((entry) => ("thinkingLevel" in entry ? [entry.thinkingLevel] : []))
        .at(-1);
      for (const tailFirstBytes of [1, Number.POSITIVE_INFINITY]) {
        const session = SessionManager.open(path, undefined, undefined, { tailFirstBytes });
        expect(session.recordedThinkingLevel()).toBe(recorded);
        expect(session.buildSessionContext().thinkingLevel).toBe(recorded ?? "off");
      }
    }),
    { numRuns: 500 },
  );
});

/** Returns what the unread part of a session reports; `change` may change the lines of the file. */
function told(entries: readonly Drawn[], change: (lines: string[]) => void = () => {}) {
  const path = join(scratch(), "s.jsonl");
  write(path, entries);
  const loaded = loadSession(path, 1);
  if (loaded.state !== "session" || loaded.unread === undefined) throw new Error("all of it was read");
  const { unread, entries: read } = loaded;
  const [header = "", ...lines] = readFileSync(path, "utf8").split("\n");
  change(lines);
  writeFileSync(path, [header, ...lines].join("\n"));
  return levelOfChain(unread, read[0]?.parentId ?? "");
}

const entry = (kind: Drawn["kind"], level = "", back = 1): Drawn => ({ kind, level, back });
const CHAIN = [entry("level", "high"), entry("user"), entry("assistant"), entry("level", "low"), entry("user")];

test("a chain of entries tells the last level, or that there is none", () => {
  expect(told(CHAIN)).toEqual({ thinkingLevel: "low" });
  expect(told(CHAIN.filter(({ kind }) => kind !== "level"))).toEqual({});
});

test.each<[string, Drawn[], ((lines: string[]) => void)?]>([
  ["somebody went back", [...CHAIN, entry("user", "", 2)]],
  ["there is a second root", [...CHAIN, entry("user", "", 99)]],
  ["a line is damaged", CHAIN, (lines) => lines.splice(1, 1, (lines[1] as string).replace('"id"', '"ix"'))],
  ["a level is damaged", CHAIN, (lines) => lines.splice(3, 1, (lines[3] as string).replace(/.$/, "x"))],
])("nothing is told where %s", (_name, entries, change) => {
  expect(told(entries, change)).toBeUndefined();
});
