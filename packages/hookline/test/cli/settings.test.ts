import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dialectSettings, loopSettings, readSettings, SETTINGS, type Value } from "../../src/cli/settings.ts";
import { startBench } from "../loop/bench.ts";

function read(user: unknown, project?: unknown) {
  const top = mkdtempSync(join(tmpdir(), "hookline-settings-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const write = (folder: string, value: unknown): void => {
    mkdirSync(join(top, folder), { recursive: true });
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    writeFileSync(join(top, folder, "settings.json"), text);
  };
  write("home", user);
  if (project !== undefined) write("project/.hookline", project);
  return readSettings(join(top, "home"), join(top, "project"));
}

/** `a.b` as `{ a: { b } }`. */
const nested = (key: string, value: unknown): object =>
  key.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as object;

function fitting({ type }: (typeof SETTINGS)[string]): Value {
  if (type === "boolean") return true;
  if (type === "integer") return 7;
  if (type === "string") return "x";
  return type === "strings" ? ["x"] : (type[0] as string);
}

test.each(Object.entries(SETTINGS))("%s is taken where it fits, and refused where it does not", (key, row) => {
  const value = fitting(row);
  const taken = read(nested(key, value));
  expect([taken.values.get(key), taken.diagnostics]).toEqual([value, []]);
  const refused = read(nested(key, row.type === "boolean" ? "yes" : true));
  expect(refused.values.size).toBe(0);
  expect(refused.diagnostics.map(({ code }) => code)).toEqual(["BAD_ENTRY"]);
  expect(refused.diagnostics[0]?.message).toContain(`"${key}" must be`);
});

test.each(Object.keys(SETTINGS))("%s misspelt is named, with the right name, and the rest counts", (key) => {
  const last = key.split(".").at(-1) as string;
  const wrong = key.slice(0, key.length - last.length) + last.slice(0, -1);
  const { values, diagnostics } = read({ ...nested(wrong, 1), lanes: ["pi"] });
  expect([...values.keys()]).toEqual(["lanes"]);
  expect(diagnostics).toMatchObject([{ code: "UNKNOWN_KEY" }]);
  expect(`${diagnostics[0]?.message} ${diagnostics[0]?.hint}`).toContain(`"${key}"`);
});

test.each([
  [0, false],
  [-1, false],
  [1.5, false],
  [2 ** 31, false],
  [1, true],
  [2 ** 31 - 1, true],
])("a time limit of %d ms: %s", (ms, taken) => {
  const { values, diagnostics } = read({ handlerTimeoutMs: ms });
  expect([values.has("handlerTimeoutMs"), diagnostics.length]).toEqual([taken, taken ? 0 : 1]);
});

test("a project may tighten, and nothing else", () => {
  const { values, ofProject, diagnostics } = read(
    { feedbackCap: 3, handlerTimeoutMs: 100 },
    { feedbackCap: 1, handlerTimeoutMs: 200, durability: "entry", lanes: ["pi"], "chibi.guardFailure": "open" },
  );
  expect(Object.fromEntries(values)).toEqual({ feedbackCap: 1, handlerTimeoutMs: 100, durability: "entry" });
  expect([...ofProject]).toEqual(["feedbackCap", "durability"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["BAD_ENTRY", "BAD_ENTRY", "BAD_ENTRY"]);
});

test("a project adds to the hooks whose failures are closed, and takes none away", () => {
  const { values, ofProject, diagnostics } = read({ failClosed: ["a.ts"] }, { failClosed: ["b.ts"] });
  expect(values.get("failClosed")).toEqual(["a.ts", "b.ts"]);
  expect([...ofProject]).toEqual(["failClosed"]);
  expect(diagnostics).toEqual([]);
});

test("what is wrong is found by its line, and a broken file costs itself", () => {
  const { diagnostics } = read('{\n  "lanes": ["pi"],\n  "retry": {\n    "maxRetrys": 1\n  }\n}');
  expect(diagnostics[0]?.message).toMatch(/settings\.json:4/);
  const broken = read('{\n  "lanes": [\n', { feedbackCap: 1 });
  expect(broken.diagnostics.map(({ code }) => code)).toEqual(["SYNTAX"]);
  expect([...broken.values]).toEqual([["feedbackCap", 1]]);
});

test("settings reach the loop and the dialects", () => {
  const settings = read({
    feedbackCap: 2,
    retry: { maxRetries: 9 },
    compaction: { microAt: 10 },
    ttsr: { repeatGap: 4 },
    todo: { remindersMax: 0 },
    jcli: { stopUserInput: "reply" },
    omp: { mergeOverrides: true },
  });
  expect(loopSettings(settings)).toMatchObject({
    feedbackCap: 2,
    retry: { maxRetries: 9, baseDelayMs: 2000 },
    compaction: { microAt: 10 },
    rules: { repeatGap: 4 },
    todo: { remindersMax: 0 },
  });
  expect(dialectSettings(settings)).toMatchObject({
    jcli: { stopUserInput: "reply" },
    omp: { mergeOverrides: true },
  });
});

test("todo and ask are offered where a setting says so", async () => {
  const offered = async (settings: object): Promise<string[]> => {
    const bench = await startBench({ replies: [], settings });
    return bench.agent.activeTools().filter((name) => name === "todo" || name === "ask");
  };
  expect(await offered({})).toEqual([]);
  expect(await offered({ todo: { enabled: true } })).toEqual(["todo"]);
  expect(await offered({ todo: { enabled: true }, ask: { enabled: true } })).toEqual(["todo", "ask"]);
});
