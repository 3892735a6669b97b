import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { abouts } from "@hookline/integrations/abouts";
import type { SettingValue } from "@hookline/runtime/engine";
import { expect, onTestFinished, test } from "vitest";
import { dialectSettings, loopSettings } from "../../src/settings/parts.ts";
import { SETTINGS } from "../../src/settings/rows.ts";
import { readSettings, settingOf } from "../../src/settings/settings.ts";
import { writeSetting } from "../../src/settings/write.ts";
import { startBench } from "../agent/bench.ts";

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

/** Values of settings whose texts have a form. */
const SAMPLES: Readonly<Record<string, SettingValue>> = {
  "guards.commands.add": ["acme wipe: deletes it"],
  "guards.secrets.names": ["acme_pin"],
  "guards.secrets.patterns": ["acme_*"],
};

function fitting({ type }: (typeof SETTINGS)[string], key: string): SettingValue {
  if (SAMPLES[key] !== undefined) return SAMPLES[key];
  if (type === "boolean") return true;
  if (type === "integer") return 7;
  if (type === "string") return "x";
  return type === "strings" ? ["x"] : (type[0] as string);
}

test.each(Object.entries(SETTINGS))("%s is accepted if it is valid, and refused otherwise", (key, row) => {
  const value = fitting(row, key);
  const taken = read(nested(key, value));
  expect([taken.user.get(key), taken.diagnostics]).toEqual([value, []]);
  const refused = read(nested(key, row.type === "boolean" ? "yes" : true));
  expect(refused.user.size).toBe(0);
  expect(refused.diagnostics.map(({ code }) => code)).toEqual(["BAD_ENTRY"]);
  expect(refused.diagnostics[0]?.message).toContain(`"${key}" must be`);
});

test.each(Object.keys(SETTINGS))("%s misspelt is reported with the right name, and the rest counts", (key) => {
  const last = key.split(".").at(-1) as string;
  const wrong = key.slice(0, key.length - last.length) + last.slice(0, -1);
  const { user, diagnostics } = read({ ...nested(wrong, 1), lanes: ["pi"] });
  expect([...user.keys()]).toEqual(["lanes"]);
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
  const { user, diagnostics } = read({ handlerTimeoutMs: ms });
  expect([user.has("handlerTimeoutMs"), diagnostics.length]).toEqual([taken, taken ? 0 : 1]);
});

/**
 * The settings that a project may set, each with the value that then applies. All other settings are refused (decision
 * 56).
 */
const OF_PROJECT: Readonly<Record<string, readonly [given: SettingValue, taken: SettingValue]>> = {
  failClosed: [["hooks/a.ts"], ["PROJECT/hooks/a.ts"]],
  required: [["hooks/a.ts#tool_call"], ["PROJECT/hooks/a.ts#tool_call"]],
  shadow: [["hooks/a.ts"], ["PROJECT/hooks/a.ts"]],
  packages: [["x"], ["x"]],
  durability: ["entry", "entry"],
  "chibi.guardFailure": ["closed", "closed"],
  "todo.remindersMax": [2, 2],
  "guards.commands.level": ["refuse", "refuse"],
  ...Object.fromEntries(
    ["commands.protectedBranches", "paths.protect", "paths.noRead", "secrets.files", "undo.include"].map((key) => [
      `guards.${key}`,
      [["x"], ["x"]],
    ]),
  ),
  "guards.secrets.names": [["acme_pin"], ["acme_pin"]],
  "guards.secrets.patterns": [["acme_*"], ["acme_*"]],
};

test.each(Object.entries(SETTINGS))("%s of a project is accepted only if the list says so", (key, row) => {
  const allowed = OF_PROJECT[key];
  const { project, user, diagnostics } = read({}, nested(key, allowed?.[0] ?? fitting(row, key)));
  const cwd = /^(.*)\/hooks\/a/.exec(JSON.stringify(project).replace(/.*\["/, ""))?.[1] ?? "";
  const taken = JSON.parse(JSON.stringify(project).replaceAll(cwd === "" ? "\0" : cwd, "PROJECT"));
  const [id = ""] = key.split(".");
  const inner = nested(key, allowed?.[1]);
  const wanted = id === "guards" ? inner : Object.hasOwn(abouts, id) ? { own: inner } : { [key]: allowed?.[1] };
  expect(taken).toEqual(allowed === undefined ? {} : wanted);
  expect(user.size).toBe(0);
  expect(diagnostics.length).toBe(allowed === undefined ? 1 : 0);
  expect(row.project === undefined).toBe(allowed === undefined);
});

test("settings of guards in a project's folders come together, and what would loosen is reported and not used", () => {
  const person = { guards: { commands: { level: "ask", protectedBranches: ["prod"] } } };
  const loose = read(person, { guards: { commands: { level: "note", protectedBranches: ["next"] } } });
  expect(settingOf(loose, "guards.commands.level")).toEqual({ value: "ask", from: "user" });
  expect(settingOf(loose, "guards.commands.protectedBranches")).toEqual({ value: ["prod", "next"], from: "project" });
  expect(loose.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringMatching(/project\/\.hookline\/settings\.json.*guards\.commands\.level.*cannot loosen a guard/),
  ]);
  const entry = read({ guards: { secrets: { patterns: ["*", "acme_*"] } } });
  expect(settingOf(entry, "guards.secrets.patterns").value).toEqual(["acme_*"]);
  expect(entry.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringMatching(/home\/settings\.json.*has an entry that is not used/),
  ]);
});

test("every value that a project may add says why it is harmless", () => {
  for (const { project } of Object.values(SETTINGS)) {
    if (project === undefined) continue;
    expect(project.adds.length).toBeGreaterThan(3);
    expect(project.because).toMatch(/\w+ \w+/);
  }
});

test.each([
  ["durability", "turn"],
  ["chibi.guardFailure", "open"],
  ["required", ["~/.pi/agent/extensions/g.ts"]],
  ["required", ["/etc/hooks/g.ts"]],
  ["failClosed", ["../other/g.ts"]],
  ["failClosed", ["."]],
])("a project's %s %j is reported and not used", (key, value) => {
  const { project, diagnostics } = read({}, nested(key, value));
  expect(Object.values(project).flat()).toEqual([]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["BAD_ENTRY"]);
});

test("a project's number counts only where it is the smaller one", () => {
  const at = (user: object, project: number) =>
    loopSettings(read(user, { todo: { remindersMax: project } })).todo.remindersMax;
  expect([at({}, 9), at({}, 1), at({ todo: { remindersMax: 5 } }, 9), at({ todo: { remindersMax: 5 } }, 4)]).toEqual([
    3, 1, 5, 4,
  ]);
});

test("a project adds to the hooks whose failures are closed, and takes none away", () => {
  const settings = read({ failClosed: ["a.ts"] }, { failClosed: ["b.ts"] });
  const { failClosed, project } = dialectSettings(settings);
  expect(failClosed).toEqual(["a.ts"]);
  expect(project?.failClosed).toEqual([expect.stringMatching(/\/project\/b\.ts$/)]);
  expect(settingOf(settings, "failClosed")).toMatchObject({ from: "project", value: ["a.ts", expect.any(String)] });
});

test("errors are reported with their line, and a broken file affects no other", () => {
  const { diagnostics } = read('{\n  "lanes": ["pi"],\n  "retry": {\n    "maxRetrys": 1\n  }\n}');
  expect(diagnostics[0]?.message).toMatch(/settings\.json:4/);
  const broken = read('{\n  "lanes": [\n', { durability: "entry" });
  expect(broken.diagnostics.map(({ code }) => code)).toEqual(["SETTINGS_SYNTAX"]);
  expect(broken.unreadable.map(({ code }) => code)).toEqual(["SETTINGS_SYNTAX"]);
  expect(broken.project).toEqual({ durability: "entry" });
});

test("a value in place of several settings is refused, and the error names them", () => {
  const { user, diagnostics, unreadable } = read({ retry: 3, lanes: ["pi"] });
  expect([...user.keys()]).toEqual(["lanes"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["BAD_ENTRY"]);
  expect(diagnostics[0]?.message).toMatch(/"retry" must be an object, with retry\.maxRetries, retry\.baseDelayMs$/);
  expect(unreadable).toEqual([]);
});

test.each([
  ["a list", "[]"],
  ["a text", '"x"'],
  ["a wrong value of what closes guards", '{"required": "g.ts"}'],
  ["a wrong value of chibi.guardFailure", '{"chibi": {"guardFailure": true}}'],
  ["a value in place of what holds chibi.guardFailure", '{"chibi": "closed"}'],
])("%s is a file that cannot be used", (_, text) => {
  expect(read(text).unreadable).toHaveLength(1);
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
  expect(dialectSettings(settings).own).toMatchObject({
    jcli: { stopUserInput: "reply" },
    omp: { mergeOverrides: true },
  });
});

test("todo and ask are offered if a setting says so", async () => {
  const offered = async (settings: object): Promise<string[]> => {
    const bench = await startBench({ replies: [], settings });
    return bench.agent.activeTools().filter((name) => name === "todo" || name === "ask");
  };
  expect(await offered({})).toEqual([]);
  expect(await offered({ todo: { enabled: true } })).toEqual(["todo"]);
  expect(await offered({ todo: { enabled: true }, ask: { enabled: true } })).toEqual(["todo", "ask"]);
});

/** A home whose `settings.json` is made by a function that gets its path. */
function home(make: (path: string, top: string) => void) {
  const top = mkdtempSync(join(tmpdir(), "hookline-settings-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  make(join(top, "settings.json"), top);
  return readSettings(top, join(top, "project"));
}

test.each<[string, (path: string, top: string) => void]>([
  ["a folder", (path) => mkdirSync(path)],
  ["a link that leads nowhere", (path, top) => symlinkSync(join(top, "absent"), path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a device", (path) => symlinkSync("/dev/zero", path)],
  ["too large", (path) => writeFileSync(path, `{"theme": "${"x".repeat(2 ** 20)}"}`)],
])("a settings file that is %s is told, and does not count as absent", (_, make) => {
  expect(home(make).unreadable.map(({ code }) => code)).toEqual(["SETTINGS_UNREADABLE"]);
});

test("a missing settings file is not an error", () => {
  expect(home(() => {}).unreadable).toEqual([]);
});

/** The administrator's settings at a place that a test may write. */
function managed(text: string, change: (folder: string, path: string) => void = () => {}) {
  const top = mkdtempSync(join(tmpdir(), "hookline-managed-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folder = join(top, "etc");
  mkdirSync(folder, { mode: 0o755 });
  const path = join(folder, "settings.json");
  writeFileSync(path, text, { mode: 0o644 });
  change(folder, path);
  return (user: object) => {
    writeFileSync(join(top, "settings.json"), JSON.stringify(user));
    return readSettings(top, join(top, "project"), { path, uid: process.getuid?.() ?? 0 });
  };
}

test("the administrator's values win over the person's, and its lists stand beside theirs", () => {
  const read = managed('{"feedbackCap": 2, "required": ["/opt/guard.ts"], "chibi": {"guardFailure": "closed"}}');
  const settings = read({ feedbackCap: 9, required: ["~/g.ts"], chibi: { guardFailure: "open" }, theme: "light" });
  expect(Object.fromEntries(settings.user)).toEqual({
    feedbackCap: 2,
    required: ["/opt/guard.ts", "~/g.ts"],
    "chibi.guardFailure": "closed",
    theme: "light",
  });
  expect(settingOf(settings, "feedbackCap")).toEqual({ value: 2, from: "managed" });
});

test.each<[string, (folder: string, path: string) => void]>([
  ["others may write it", (_, path) => chmodSync(path, 0o666)],
  ["others may write its folder", (folder) => chmodSync(folder, 0o777)],
  [
    "it is a link",
    (folder, path) => {
      renameSync(path, join(folder, "real.json"));
      symlinkSync(join(folder, "real.json"), path);
    },
  ],
])("the administrator's file is not used where %s", (_, change) => {
  const { user, diagnostics } = managed('{"feedbackCap": 2}', change)({});
  expect(user.size).toBe(0);
  expect(diagnostics.map(({ code }) => code)).toEqual(["SETTINGS_IGNORED"]);
});

test("a broken file of the administrator's cannot be used either", () => {
  expect(managed("{")({}).unreadable.map(({ code }) => code)).toEqual(["SETTINGS_SYNTAX"]);
});

test("a setting is written to where links lead as the system follows them", () => {
  const top = mkdtempSync(join(tmpdir(), "hookline-settings-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  mkdirSync(join(top, "dotfiles/hooks"), { recursive: true });
  mkdirSync(join(top, "home"));
  writeFileSync(join(top, "dotfiles/own.json"), "{}");
  symlinkSync("../dotfiles/hooks", join(top, "home/hooks"));
  // The folder above `hooks` is `dotfiles`.
  symlinkSync("hooks/../own.json", join(top, "home/settings.json"));
  writeSetting(join(top, "home"), "model", "one");
  expect(readlinkSync(join(top, "home/settings.json"))).toBe("hooks/../own.json");
  expect(JSON.parse(readFileSync(join(top, "dotfiles/own.json"), "utf8"))).toEqual({ model: "one" });
});
