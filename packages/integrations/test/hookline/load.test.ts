import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import { hookline } from "../../src/hookline/hooks/index.ts";
import { starter } from "../../src/hookline/hooks/starter.ts";
import { type Opened, openSession, type Setting } from "../opened.ts";

const open = (files: Readonly<Record<string, string>>, setting: Setting = {}): Promise<Opened> =>
  openSession(hookline, files, setting);

const IMPORT = 'import { guard } from "@hookline/runtime/guard";\n';
/** The text of a guard that refuses commands with a word, and carries the case that shows it. */
const guardText = (name: string, word = name): string =>
  `guard({ name: "${name}", on: "tool.before", tools: ["bash"], run: ({ args }) => args.command.includes("${word}") ? { deny: "${name} says no" } : undefined, cases: [{ args: { command: "${word}" }, expect: "deny" }] })`;
const file = (...guards: readonly string[]): string =>
  `${IMPORT}export default ${guards.length === 1 ? guards[0] : `[${guards.join(", ")}]`};\n`;

const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });
const reasonOf = async ({ session }: Opened, command: string): Promise<string | undefined> =>
  (await session.emit("tool.before", call(command))).answer.reason;

const GOOD = { "project/.hookline/guards/good.ts": file(guardText("good")) };
const AT = "project/.hookline/guards/one.ts";

describe("what is loaded", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["TypeScript", { [AT]: file(guardText("a")) }, ["a"]],
    ["JavaScript", { "project/.hookline/guards/one.js": file(guardText("a")) }, ["a"]],
    ["an ES module", { "project/.hookline/guards/one.mjs": file(guardText("a")) }, ["a"]],
    ["several of a file, in order", { [AT]: file(guardText("b"), guardText("a")) }, ["b", "a"]],
    ["a person's", { "home/.hookline/guards/one.ts": file(guardText("a")) }, ["a"]],
    [
      "the project's before a person's, sorted by name",
      {
        "home/.hookline/guards/a.ts": file(guardText("mine")),
        "project/.hookline/guards/b.ts": file(guardText("b")),
        "project/.hookline/guards/B.ts": file(guardText("B")),
      },
      ["B", "b", "mine"],
    ],
    [
      "an object that no function has typed",
      { "project/.hookline/guards/one.js": 'export default { name: "a", on: "tool.before", run() {} };' },
      ["a"],
    ],
    [
      "CommonJS",
      { "project/.hookline/guards/one.js": 'module.exports = { name: "a", on: "tool.before", run() {} };' },
      ["a"],
    ],
    [
      "modules of a folder beside it, which are no guards themselves",
      {
        [AT]: `import { word } from "./lib/word.ts";\n${file(guardText("a")).replaceAll('"a"', "word")}`,
        "project/.hookline/guards/lib/word.ts": 'export const word = "a";',
      },
      ["a"],
    ],
    [
      "neither declarations nor other files",
      { [AT]: file(guardText("a")), "project/.hookline/guards/x.d.ts": "", "project/.hookline/guards/README.md": "" },
      ["a"],
    ],
  ])("%s", async (_, files, names) => {
    await using opened = await open(files);
    expect(opened.diagnostics).toEqual([]);
    expect(opened.session.hooks().map(({ hook }) => hook.carries?.name)).toEqual(names);
    expect(opened.session.report.sources.every(({ state }) => state === "runs")).toBe(true);
  });

  test("guards are asked about any event, after their tools and cases are known", async () => {
    await using opened = await open({
      [AT]: file(
        guardText("a"),
        `guard({ name: "p", on: "prompt.before", run: ({ text }) => ({ text: text + "!" }) })`,
      ),
    });
    expect(await reasonOf(opened, "a")).toBe("a says no");
    expect(await reasonOf(opened, "ls")).toBeUndefined();
    expect((await opened.session.emit("prompt.before", { text: "hi", images: [] })).answer).toEqual({ text: "hi!" });
    expect(opened.session.proof).toEqual({ asked: 1, alive: 1, dead: [], untested: ["p"] });
    expect(opened.session.report.sources).toMatchObject([
      { lane: "hookline", events: ["tool.before", "prompt.before"] },
    ]);
  });

  test("a file that is named runs as a person's", async () => {
    await using opened = await open(
      { "elsewhere/one.ts": file(guardText("a")) },
      { explicit: ["hookline:../elsewhere/one.ts"] },
    );
    expect(await reasonOf(opened, "a")).toBe("a says no");
    expect(opened.session.report.sources).toMatchObject([{ tier: "user", state: "runs" }]);
  });

  test("a project's file does not run before a person has approved it; their own does", async () => {
    await using opened = await open(
      { [AT]: file(guardText("a")), "home/.hookline/guards/mine.ts": file(guardText("b")) },
      { consent: trustNothing },
    );
    expect(opened.session.report.sources.map(({ state }) => state)).toEqual(["untrusted", "runs"]);
    expect([await reasonOf(opened, "a"), await reasonOf(opened, "b")]).toEqual([undefined, "b says no"]);
    expect(opened.session.proof.asked).toBe(1);
  });
});

/** Bad files: the problem, the text, the reported code, a part of the message, and the state of the file. */
const BAD: readonly (readonly [what: string, text: string, code: string, says: RegExp, state: string])[] = [
  ["is no program", "export default {", "LOAD_FAILED", /one\.ts could not be loaded: .+/, "broken"],
  ["throws", 'throw new Error("no luck");', "LOAD_FAILED", /no luck/, "broken"],
  ["imports a file that does not exist", 'import "./absent.ts";', "LOAD_FAILED", /absent/, "broken"],
  ["is empty", "", "LOAD_FAILED", /it exports no guard; write `export default guard/, "broken"],
  [
    "exports by another name",
    `${IMPORT}export const a = ${guardText("a")};`,
    "LOAD_FAILED",
    /it exports no guard/,
    "broken",
  ],
  ["exports an empty list", "export default [];", "LOAD_FAILED", /it exports no guard/, "broken"],
  ["exports a text", 'export default "guard";', "LOAD_FAILED", /export 1 is not a guard/, "broken"],
  [
    "exports nothing but a mistake",
    'export default { name: "a", on: "tool.befor", run() {} };',
    "LOAD_FAILED",
    /"tool.befor"/,
    "broken",
  ],
  [
    "exports null among others",
    `${IMPORT}export default [null, ${guardText("a")}];`,
    "BAD_ENTRY",
    /one\.ts:1: export 1 is not a guard/,
    "runs",
  ],
  [
    "names an unknown event",
    `${IMPORT}export default [\n  { name: "b", on: "tool.befor", run() {} },\n  ${guardText("a")},\n];`,
    "BAD_ENTRY",
    /one\.ts:3: guard "b" is for the event "tool.befor", which does not exist/,
    "runs",
  ],
  [
    "has a case that is malformed",
    file(guardText("a").replace("cases: [", 'cases: [{ args: 1, expect: "deny" }, ')),
    "BAD_ENTRY",
    /one\.ts:2: args of case 1 of guard "a" is not valid/,
    "runs",
  ],
  [
    "has two guards of one name",
    file(guardText("a"), guardText("a", "b")),
    "LINT",
    /another guard "a", in this file/,
    "runs",
  ],
];

describe("bad input is told with its file, and the neighbours run", () => {
  test.each(BAD)("a file that %s", async (_, text, code, says, state) => {
    await using opened = await open({ [AT]: text, ...GOOD });
    expect(opened.diagnostics).toMatchObject([{ code, message: expect.stringMatching(says) }]);
    expect(opened.diagnostics[0]?.hint).not.toBe("");
    const one = opened.session.report.sources.find(({ path }) => path.endsWith("one.ts"));
    expect(one?.state).toBe(state);
    expect(await reasonOf(opened, "good")).toBe("good says no");
    expect(await reasonOf(opened, "ls")).toBeUndefined();
    if (state === "runs") expect(await reasonOf(opened, "a")).toBe("a says no");
  });

  test("two guards of one name in different files are both asked", async () => {
    await using opened = await open({ ...GOOD, "home/.hookline/guards/mine.ts": file(guardText("good", "other")) });
    expect(opened.codes()).toEqual(["LINT"]);
    expect([await reasonOf(opened, "good"), await reasonOf(opened, "other")]).toEqual(["good says no", "good says no"]);
  });

  test("a file that is named and not there", async () => {
    await using opened = await open(GOOD, { explicit: ["hookline:absent.ts"] });
    expect(opened.session.report.sources).toMatchObject([
      { state: "runs" },
      { state: "broken", reason: "there is no such file" },
    ]);
  });

  test("a file in place of the folder", async () => {
    await using opened = await open({ "project/.hookline/guards": "" });
    expect(opened.codes()).toEqual(["UNREADABLE"]);
  });

  test("a folder of another name", async () => {
    await using opened = await open({ "project/.hookline/guard/a.ts": file(guardText("a")) });
    expect(opened.diagnostics).toMatchObject([
      { code: "UNSUPPORTED", message: expect.stringContaining(".hookline/guards") },
    ]);
  });
});

test("while a required file has a faulty guard, or is in shadow, guarded calls are refused", async () => {
  const settings = { required: [".hookline/guards/one.ts"] };
  const [, faulty = ""] = BAD.find(([what]) => what === "names an unknown event") ?? [];
  await using broken = await open({ [AT]: faulty }, { settings });
  expect(await reasonOf(broken, "ls")).toMatch(/one\.ts must run, but does not/);
  await using shadow = await open(
    { [AT]: file(guardText("a")) },
    { settings: { ...settings, shadow: [".hookline/guards/one.ts"] } },
  );
  expect(await reasonOf(shadow, "ls")).toMatch(/in shadow/);
  expect(shadow.session.proof.asked).toBe(0);
});

test("a guard that was edited to allow is found before the first call, and missing where it is required", async () => {
  const edited = file(guardText("a").replace('? { deny: "a says no" }', "? undefined"));
  await using opened = await open({ [AT]: edited, ...GOOD }, { settings: { required: [".hookline/guards/one.ts"] } });
  expect(opened.session.missing()).toEqual([]);
  const { dead, alive } = await opened.session.prove();
  expect([alive, dead.map(({ name, problem }) => [name, problem])]).toEqual([1, [["a", "it let its case pass"]]]);
  expect(opened.session.missing()).toMatchObject([{ cause: "a does not work: it let its case pass", on: "guard" }]);
  expect(await reasonOf(opened, "ls")).toMatch(/the guard a does not work: it let its case pass/);
  const read = { toolCallId: "2", tool: "read", args: { path: "x" } };
  expect((await opened.session.emit("tool.before", read)).answer).toEqual({});
});

test("after a reload, guards are proved again", async () => {
  await using opened = await open(GOOD);
  await opened.session.prove();
  await opened.session.load();
  expect(opened.session.proof.asked).toBe(0);
  expect(await reasonOf(opened, "good")).toBe("good says no");
  expect(opened.session.proof).toMatchObject({ asked: 1, alive: 1 });
});

test("what the starter writes works, and its cases hold", async () => {
  const [{ path, text } = { path: "", text: "" }] = starter.files;
  await using opened = await open({ [`project/${path}`]: text });
  expect(await opened.session.prove()).toEqual({ asked: 1, alive: 1, dead: [], untested: [] });
  const cases = opened.session.hooks()[0]?.hook.carries?.cases ?? [];
  expect(cases).toHaveLength(4);
  for (const { args, expect: expected } of cases) {
    const reason = await reasonOf(opened, String(args?.["command"]));
    expect(reason === undefined ? "none" : "deny", String(args?.["command"])).toBe(expected);
  }
});
