import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Call } from "@hookline/runtime/dialect";
import type { Guard } from "@hookline/runtime/guard";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SettingsOf } from "../../src/settings.ts";
import { changedBetween, lookAt } from "../../src/verify/files.ts";
import { verify } from "../../src/verify/guard.ts";

type VerifySettings = Partial<SettingsOf<"verify">>;

let top: string;
let root: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-verify-"));
  root = join(top, "project");
  mkdirSync(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** The model's actions before it would stop; if empty, it only replies. */
interface Turn {
  /** Files and what is added to each, so that its size changes. */
  readonly write?: Readonly<Record<string, string>>;
  readonly remove?: string;
  readonly commit?: true;
  /** Commands that change nothing. */
  readonly look?: string;
  /** A person's next prompt begins with this turn. */
  readonly isPrompt?: true;
}

interface Session {
  readonly settings?: VerifySettings;
  readonly files?: Readonly<Record<string, string>>;
  readonly noGit?: true;
  readonly turns: readonly Turn[];
  /** The expected answer to each stop; `undefined` if it is allowed. */
  readonly sent: readonly (RegExp | undefined)[];
  readonly told?: readonly RegExp[];
  /** How often checks ran. */
  readonly runs: number;
}

/** A check that passes while no file has the word BAD, notes that it ran, and says which lines have it. */
const LOG = "../runs";
const CHECK = `echo ran >> ${LOG}; ! grep -rn BAD src`;
const bad = (text = "BAD"): Turn => ({ write: { "src/a.js": `${text}\n` } });
const fixed: Turn = { remove: "src/a.js", write: { "src/b.js": "good\n" } };
const FAILS = /^The check `echo ran.*` fails since your change \(it passed before\):\n.*\nFix it, or say why/s;
const STILL = /^verify: 1 check still fails: echo ran/;
const ONE: VerifySettings = { run: [CHECK] };

const SESSIONS: Readonly<Record<string, Session>> = {
  "a change that passes": { turns: [{ write: { "src/b.js": "good\n" } }], sent: [undefined], runs: 2 },
  "a failure that is fixed": { turns: [bad(), fixed], sent: [FAILS, undefined], runs: 3 },
  "two failures, then a fix": { turns: [bad(), bad("BAD one"), fixed], sent: [FAILS, FAILS, undefined], runs: 4 },
  "the same failure, whatever is changed": {
    settings: { run: [`${CHECK.replace("-rn", "-rlq")}`] },
    turns: [bad(), bad(), bad()],
    sent: [/Fix it/, /The failure is the same as before\. Fix it/, undefined],
    told: [STILL],
    runs: 4,
  },
  "another failure each time": {
    turns: [bad(), bad("BAD b"), bad("BAD c"), bad("BAD d")],
    sent: [FAILS, FAILS, FAILS, undefined],
    told: [STILL],
    runs: 5,
  },
  "fewer rounds": {
    settings: { run: [CHECK], rounds: 1 },
    turns: [bad(), bad("BAD b")],
    sent: [FAILS, undefined],
    told: [STILL],
    runs: 3,
  },
  "a check that failed before": {
    files: { "src/old.js": "BAD\n" },
    turns: [{ write: { "src/b.js": "x\n" } }],
    sent: [undefined],
    runs: 2,
  },
  "a check that failed before, beside one that is broken": {
    settings: { run: [CHECK, "test -f keep"] },
    files: { "src/old.js": "BAD\n", keep: "1\n" },
    turns: [{ remove: "keep" }],
    sent: [/^The check `test -f keep` fails since your change \(it passed before\):\n\nFix it/],
    runs: 2,
  },
  "a check that failed before, was fixed and is broken by the next prompt": {
    files: { "src/a.js": "BAD\n" },
    turns: [fixed, { ...bad(), isPrompt: true }],
    sent: [undefined, FAILS],
    runs: 3,
  },
  "a check that fails by chance, and a model that says so": {
    settings: { run: [`echo ran >> ${LOG}; [ $(wc -l < ${LOG}) != 2 ]`] },
    turns: [{ write: { "src/b.js": "x\n" } }, {}],
    sent: [/Fix it, or say why it cannot be fixed\.$/, undefined],
    told: [STILL],
    runs: 2,
  },
  "a check that hangs": {
    settings: { run: [`echo ran >> ${LOG}; ! grep -rq BAD src || sleep 600`], timeout: 1 },
    turns: [bad(), fixed],
    sent: [/It did not end within 1 s\./, undefined],
    runs: 3,
  },
  "no change": { turns: [{ look: "git status && cat src/x.js" }], sent: [undefined], runs: 0 },
  "a change that was committed": { turns: [{ ...bad(), commit: true }, fixed], sent: [FAILS, undefined], runs: 3 },
  "tests that were deleted": {
    files: { "src/a.test.js": "BAD\n" },
    turns: [{ remove: "src/a.test.js" }],
    sent: [undefined],
    told: [/^verify: the tests were changed too: src\/a\.test\.js \(deleted\)\.$/],
    runs: 2,
  },
  "tests that were changed and fail": {
    turns: [{ write: { "src/a.test.js": "BAD\n" } }],
    sent: [/The tests were changed too: src\/a\.test\.js\./],
    runs: 2,
  },
  "a change of files that do not count": {
    settings: { run: [CHECK], when: ["*.ts", "lib/**"] },
    turns: [bad()],
    sent: [undefined],
    runs: 1,
  },
  "a change of a file that counts": {
    settings: { run: [CHECK], when: ["*.js"] },
    turns: [bad()],
    sent: [FAILS],
    runs: 2,
  },
  "no settings": {
    settings: {},
    files: { "package.json": `{"scripts":{"test":"echo ran >> ${LOG}","lint":"echo ran >> ${LOG}"}}` },
    turns: [bad(), { ...bad("BAD b"), isPrompt: true }],
    sent: [undefined, undefined],
    told: [/nothing was checked\. If this project's code may run.*\["npm run lint","npm run test"\]/],
    runs: 0,
  },
  "no repository": { noGit: true, turns: [bad(), fixed], sent: [FAILS, undefined], runs: 3 },
  "the next prompt after a failure, without a change": {
    settings: { run: [CHECK], rounds: 1 },
    turns: [bad(), bad("BAD b"), { isPrompt: true, look: "ls" }],
    sent: [FAILS, undefined, undefined],
    told: [STILL],
    runs: 3,
  },
  "a check that writes files": {
    settings: { run: [`${CHECK.replace("echo", "date +%s%N >> report; echo")}`] },
    turns: [bad(), {}],
    sent: [/Fix it/, undefined],
    told: [/1 check still fails/],
    runs: 2,
  },
  "a check that leaves a program running": {
    settings: { run: [`echo ran >> ${LOG}; sleep 600 & ! grep -rn BAD src`] },
    turns: [bad()],
    sent: [/BAD/],
    runs: 2,
  },
};

function git(...args: readonly string[]): void {
  const set = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  expect(spawnSync("git", [...set, ...args], { cwd: root }).status).toBe(0);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  appendFileSync(join(root, path), text);
}

/** Asks the guards as a session does; returns what each stop was answered with, and what the person was told. */
async function play({ settings = ONE, files = {}, noGit, turns }: Session) {
  put("src/x.js", "x\n");
  for (const [path, text] of Object.entries(files)) put(path, text);
  if (noGit !== true) {
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
  }
  const told: string[] = [];
  const call = { notice: (text: string) => told.push(text), signal: new AbortController().signal } as unknown as Call;
  const guards = verify(settings, { project: root });
  const ask = async (event: string, payload: object): Promise<any> =>
    (guards.find(({ on }) => on === event) as Guard).run(payload as never, call);
  const change = (tool: string, args: object) => ask("tool.before", { tool, args });
  const sent: unknown[] = [];
  await ask("prompt.before", { text: "go" });
  for (const { write = {}, remove, commit, look, isPrompt } of turns) {
    if (isPrompt) await ask("prompt.before", { text: "next" });
    if (look !== undefined) await change("bash", { command: look });
    for (const [path, text] of Object.entries(write)) {
      await change("write", { path });
      put(path, text);
    }
    if (remove !== undefined) {
      await change("bash", { command: `rm ${remove}` });
      rmSync(join(root, remove));
    }
    if (commit) {
      await change("bash", { command: "git commit -am x" });
      git("add", "-A");
      git("commit", "-qm", "x");
    }
    sent.push((await ask("agent.stop", {}))?.feedback);
  }
  const log = join(top, "runs");
  return { sent, told, runs: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0 };
}

test.each(Object.entries(SESSIONS))("%s", async (_, session) => {
  const { sent, told, runs } = await play(session);
  const matching = (one: RegExp | undefined) => (one === undefined ? undefined : expect.stringMatching(one));
  expect(sent).toEqual(session.sent.map(matching));
  expect(told).toEqual((session.told ?? []).map(matching));
  expect(runs).toBe(session.runs);
});

test("what a check leaves running is ended with it", async () => {
  await play({ settings: { run: ["sleep 600 & echo $! > ../pid"] }, turns: [bad()], sent: [], runs: 0 });
  const pid = Number(readFileSync(join(top, "pid"), "utf8"));
  // A process that has ended is there until its parent has taken note.
  const state = (): string => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] ?? "";
    } catch {
      return "gone";
    }
  };
  await expect.poll(state).toMatch(/gone|Z/);
});

test("of the output the last 60 lines are sent, without secrets", async () => {
  const key = ["sk", "live", "Zx81kQpLmW40vBtR92aYhNcD"].join("_");
  writeFileSync(join(top, "out"), `${Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n")}\nkey ${key}\n`);
  const { sent } = await play({
    settings: { run: ["cat ../out; test ! -f src/a.js"] },
    turns: [bad()],
    sent: [],
    runs: 0,
  });
  expect(sent[0]).toMatch(/:\nline 141\n[\s\S]*line 199\nkey \[secret: stripe key \d+\]\nFix it/);
});

test("a setting that cannot be used in code is an error, and one of a file leaves the default", () => {
  expect(() => verify({ rounds: 0 })).toThrow("guards.verify.rounds must be a whole number from 1 to 20");
  expect(verify({}, { project: root, settings: { verify: { timeout: "5 min" } } })).toHaveLength(3);
});

test("checks that are cut off before the first change are run again, and changes meanwhile wait for them", async () => {
  await play({ turns: [], sent: [], runs: 0 });
  const guards = verify({ run: [`until test -f ../go; do sleep 0.05; done; ${CHECK}`] }, { project: root });
  const told = { notice: () => {} };
  const ask = async (event: string, payload: object, signal = new AbortController().signal): Promise<any> =>
    (guards.find(({ on }) => on === event) as Guard).run(payload as never, { ...told, signal } as unknown as Call);
  const change = (signal?: AbortSignal) => ask("tool.before", { tool: "write", args: { path: "src/a.js" } }, signal);
  await ask("prompt.before", { text: "go" });
  const abort = new AbortController();
  const cut = change(abort.signal);
  abort.abort();
  await cut;
  let isDone = false;
  const [first, second] = [change(), change().then(() => (isDone = true))];
  await Promise.resolve();
  expect(isDone).toBe(false);
  writeFileSync(join(top, "go"), "");
  await Promise.all([first, second]);
  writeFileSync(join(root, "src/a.js"), "BAD\n");
  expect((await ask("agent.stop", {}))?.feedback).toMatch(/fails since your change \(it passed before\)/);
});

test("edits are seen in a project that is a folder of its repository", () => {
  mkdirSync(join(root, "inner"));
  const put = (text: string): void => writeFileSync(join(root, "inner", "a.js"), text);
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...args], { cwd: root });
  put("one\n");
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  put("two\n");
  const before = lookAt(join(root, "inner"));
  put("three more\n");
  expect(changedBetween(join(root, "inner"), before, lookAt(join(root, "inner")))).toEqual(["a.js"]);
});
