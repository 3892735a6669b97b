import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";

const fixtures = join(import.meta.dirname, "../../../runtime/test/replay/fixtures");
const at = new Workplace();
afterAll(() => rmSync(at.top, { recursive: true, force: true }));

const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) =>
  String(input.command).includes("cat") ? { block: true, reason: "no cats, " + process.env.HOOKLINE_REPLAY } : undefined);
`;
const source = (name: string): string => join(fixtures, `${name}.jsonl`);

test("a guard is replayed on sessions of five programs, and the gate reports what is new", async () => {
  const guard = at.write("guard.ts", GUARD);
  const names = ["hookline", "pi", "omp", "claude", "codex"];
  const all = names.map(source);
  const { code, out, err } = await at.run([
    "replay",
    ...all,
    "--with",
    guard,
    "--fail-on",
    "newly-denied",
    "--json",
    "--markdown",
    "sum.md",
    "--out",
    "out.jsonl",
  ]);
  const result = JSON.parse(out);
  expect(err).toContain("hooks run in");
  expect({ code, failed: result.failed }).toEqual({ code: 1, failed: ["newly-denied"] });
  expect(result).toMatchObject({
    v: 1,
    partial: false,
    baseline: "current",
    newlyDenied: 4,
    notAsked: { "unknown-tool": 13 },
  });
  expect(result.sources.map(({ kind }: { kind: string }) => kind)).toEqual(names);
  expect(result.groups).toMatchObject([
    {
      hook: `pi:${guard}#tool_call[0]`,
      class: "newlyDenied",
      shape: "bash cat",
      count: 4,
      examples: [{ moment: "s1:5.1", after: { reason: "no cats, 1" } }, {}, {}],
    },
  ]);
  expect(readFileSync(join(at.project, "sum.md"), "utf8")).toContain("4 newlyDenied");
  const lines = readFileSync(join(at.project, "out.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.length).toBe(result.asked + 2);
  expect(lines.at(-1)).toMatchObject({ end: true, result: { newlyDenied: 4 } });
  expect(statSync(join(at.project, "out.jsonl")).mode & 0o077).toBe(0);

  const shown = await at.run(["replay", ...all, "--with", guard, "--show", "s2:6.1"]);
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringMatching(/before: allow[\s\S]*after: deny \(no cats, 1\)[\s\S]*answered[\s\S]*newlyDenied/),
  });
  expect(await at.run(["replay", source("pi"), "--show", "s1:9999"])).toMatchObject({ code: 2 });
});

test("without words the sessions of this folder are read; those of other agents if they are named", async () => {
  const place = (path: string, name: string): string => {
    const text = readFileSync(source(name), "utf8").replaceAll("/home/me/project", at.project);
    return at.write(path, text);
  };
  const folder = `--${at.project.slice(1).replaceAll("/", "-")}--`;
  const own = place(`~/.hookline/sessions/${folder}/a.jsonl`, "hookline");
  const claude = at.project.replace(/[^A-Za-z0-9]/g, "-");
  place(`~/.claude/projects/${claude}/b.jsonl`, "claude");
  for (const below of ["subagents", "subagents/workflows/w"])
    place(`~/.claude/projects/${claude}/01-session/${below}/agent-a.jsonl`, "claude");
  place("~/.codex/sessions/2026/11/22/rollout-c.jsonl", "codex");
  mkdirSync(join(at.home, ".codex/sessions/2026/11/21"), { recursive: true });
  copyFileSync(source("codex"), join(at.home, ".codex/sessions/2026/11/21/rollout-elsewhere.jsonl"));
  const kinds = async (...args: string[]): Promise<string[]> => {
    const { out } = await at.run(["replay", "--list", "--json", ...args]);
    return JSON.parse(out)
      .sources.map(({ kind }: { kind: string }) => kind)
      .sort();
  };
  expect(await kinds()).toEqual(["hookline"]);
  expect(await kinds("--agents", "claude,codex")).toEqual(["claude", "claude", "claude", "codex", "hookline"]);
  const long = new Date(Date.now() - 40 * 86_400_000);
  utimesSync(own, long, long);
  expect(await kinds()).toEqual([]);
  expect(await kinds("--since", "60d")).toEqual(["hookline"]);
  const empty = await at.run(["replay", "--fail-on", "newly-denied"]);
  expect(empty).toMatchObject({ code: 1, out: expect.stringContaining("nothing was judged") });
  expect(await at.run(["replay", "--fail-on", "newly-denied", "--allow-empty"])).toMatchObject({ code: 0 });
});

test("stdin is read, and wrong arguments are reported", async () => {
  const piped = await at.run(["replay", "-", "--json"], { stdin: readFileSync(source("omp"), "utf8") });
  const result = JSON.parse(piped.out);
  expect(result.sources).toMatchObject([{ kind: "omp", moments: { "tool.before": 4 } }]);
  expect(existsSync(result.sources[0].path)).toBe(false);
  for (const [args, says] of [
    [["replay", "nowhere.jsonl"], "neither a file nor"],
    [["replay", source("pi"), "--without", "nobody"], "not a hook that runs here"],
    [["replay", source("pi"), "--with", "nobody.ts"], "cannot be loaded"],
    [["replay", source("pi"), "--fail-on", "newly-denid"], "newly-denied"],
    [["replay", source("pi"), "--since", "soon"], "neither a span nor a date"],
    [["hooks", "list", "--with", "x"], "has no effect"],
  ] as const) {
    const { code, err } = await at.run(args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  }
  const later = { v: 3, kind: "recording", at: 0, session: "s", cwd: "/", hookline: "9", level: "log", t: 1 };
  at.write("later.jsonl", `${JSON.stringify(later)}\n`);
  expect(await at.run(["replay", "later.jsonl"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/later\.jsonl:1 has version 3 .* reads version 2/),
  });
  at.write("no-source.txt", "hello\n");
  expect(await at.run(["replay", "no-source.txt"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not a recording"),
  });
});

test("a file that cannot be written is reported before hooks are asked, and a full disk loses no result", async () => {
  for (const flag of ["--out", "--markdown"]) {
    const { out, err } = await at.run(["replay", source("pi"), flag, "nowhere/result"]);
    expect({ out, err }).toEqual({ out: "", err: expect.stringContaining(`${flag} cannot be written`) });
  }
  if (!existsSync("/dev/full")) return;
  const full = await at.run(["replay", source("pi"), "--markdown", "/dev/full"]);
  expect(full).toMatchObject({
    code: 1,
    out: expect.stringContaining("moments of 1 source"),
    err: expect.stringContaining("ENOSPC"),
  });
});

test("a guard in shadow is named, and counts if a person tries it", async () => {
  const own = new Workplace();
  try {
    const guard = own.write("~/.hookline/extensions/guard.ts", GUARD);
    own.write("~/.hookline/settings.json", JSON.stringify({ shadow: [guard] }));
    const denied = async (...args: string[]): Promise<number> =>
      JSON.parse((await own.run(["replay", source("pi"), "--baseline", "none", "--json", ...args])).out).newlyDenied;
    const plain = await own.run(["replay", source("pi")]);
    expect(plain.err).toContain(`${guard} is in shadow: its answers do not count.`);
    expect(await Promise.all([denied(), denied("--only", guard), denied("--with", guard)])).toEqual([0, 1, 1]);
    const tried = await own.run(["replay", source("pi"), "--baseline", "none", "--only", guard]);
    expect(tried.out).toContain("newly denied, by pi:~/.hookline/extensions/guard.ts#tool_call[0]");
  } finally {
    own.remove();
  }
});

test("Ctrl+C prints the results so far, and exits with 130", async () => {
  const marker = join(at.project, "begun");
  const slow = at.write(
    "slow.ts",
    `import { appendFileSync } from "node:fs";
export default (pi) => pi.on("tool_call", async () => { appendFileSync(${JSON.stringify(marker)}, "x"); await new Promise((done) => setTimeout(done, 30)); });
`,
  );
  const [header, ...rest] = readFileSync(source("claude"), "utf8").trimEnd().split("\n");
  writeFileSync(
    join(at.project, "long.jsonl"),
    [header, ...Array.from({ length: 200 }, () => rest).flat(), ""].join("\n"),
  );
  const bin = join(import.meta.dirname, "../../bin/hookline.js");
  const env = { ...CHILD_ENV, HOME: at.home };
  const child = spawn(process.execPath, [bin, "replay", "long.jsonl", "--with", slow, "--json"], {
    cwd: at.project,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  while (!existsSync(marker)) await sleep(20);
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  const { partial, moments, asked, notAsked, same } = JSON.parse(out);
  expect(partial).toBe(true);
  expect(moments).toBeGreaterThan(0);
  expect(moments).toBeLessThan(2400);
  expect({ moments, asked }).toEqual({ moments: asked + (notAsked["unknown-tool"] ?? 0), asked: same });
});

test("hooks that ask a model are answered from a file, or by a model on request", async () => {
  const prompt = { type: "prompt", prompt: "May this run? $ARGUMENTS" };
  at.write(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [prompt] }] } }));
  const answer = `  - text: '{"ok": false, "reason": "the judge says no"}'`;
  at.write("judge.yaml", ["replies: []", "hookReplies:", answer, answer, answer, ""].join("\n"));
  const asked = async (...args: string[]) => {
    const { out, err } = await at.run(["replay", source("claude"), "--trust-project", "--json", ...args]);
    return { result: JSON.parse(out), err };
  };
  expect((await asked()).result).toMatchObject({ newlyDenied: 0, notJudged: { "no-model": 3 } });
  const cache = ["--llm-cache", "answers.jsonl"];
  const live = await asked("--live-models", "--script", "judge.yaml", ...cache);
  expect(live.result).toMatchObject({ newlyDenied: 3, notJudged: {} });
  expect(live.err).toMatch(/a million tokens in[\s\S]*3 questions to models/);
  const later = await asked(...cache);
  expect(later.result).toMatchObject({ newlyDenied: 3, notJudged: {} });
  expect(later.err).not.toContain("million");
  rmSync(join(at.project, ".claude"), { recursive: true });
});

test("sources are read in parallel, and hooks run in an empty folder on request", async () => {
  const where = at.write(
    "where.ts",
    `export default (pi) => pi.on("tool_call", (_, ctx) => ({ block: true, reason: ctx.cwd }));\n`,
  );
  const { out } = await at.run([
    "replay",
    source("pi"),
    source("omp"),
    "--with",
    where,
    "--jobs",
    "2",
    "--scratch",
    "--json",
  ]);
  const { groups, sources } = JSON.parse(out);
  expect(sources.map(({ id, kind }: { id: string; kind: string }) => [id, kind])).toEqual([
    ["s1", "pi"],
    ["s2", "omp"],
  ]);
  const [folder] = groups.flatMap(({ examples }: any) => examples.map(({ after }: any) => after.reason));
  expect(folder).toContain("hookline-scratch-");
  expect(existsSync(folder)).toBe(false);
});
