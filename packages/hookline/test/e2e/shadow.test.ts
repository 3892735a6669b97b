import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { startLoopback } from "../support/loopback.ts";

/** Guards of every dialect in shadow, with the built program as a user starts it. */
let place: Workplace;

/** A guard of each kind that refuses every `rm`, and notes what it was asked. */
const PROGRAM = `#!/bin/sh
cat > "$HOME/$1.saw"
`;
const GUARDS: readonly (readonly [path: string, text: string, mode?: "x"])[] = [
  [
    "~/.pi/agent/extensions/g.ts",
    'export default (pi) => { pi.on("tool_call", (e) => { pi.sendMessage({ customType: "x", content: "hello", display: true }); return /rm/.test(JSON.stringify(e.input)) ? { block: true, reason: "no" } : undefined; }); pi.registerCommand("mine", { handler() {} }); };\n',
  ],
  [
    "~/.omp/agent/hooks/pre/g.ts",
    'export default (pi) => { pi.on("tool_call", async (e, ctx) => ((await ctx.ui.confirm("?", "?")) ? undefined : { block: true, reason: "no" })); };\n',
  ],
  [
    "~/.omp/agent/extensions/e.ts",
    'export default (pi) => { pi.on("tool_call", (e) => { throw new Error("broken"); }); };\n',
  ],
  [
    "~/.chibi/plugins/g",
    '#!/bin/sh\n[ "$1" = --schema ] && echo \'{"name":"g","description":"g","parameters":{"type":"object","properties":{}},"hooks":["pre_tool"]}\' && exit 0\necho \'{"block": true, "message": "no"}\'\n',
    "x",
  ],
  [
    "~/.jdata/agent/hooks.yaml",
    `pre_tool_execution:\n  - command: 'echo ''{"action":"stop"}'''\n  - command: 'sh "$HOME/saw.sh" second; exit 3'\n    on_error: skip\n`,
  ],
  [
    "~/.claude/settings.json",
    JSON.stringify({
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: 'sh "$HOME/saw.sh" claude; exit 2' }] }],
      },
    }),
  ],
];

const at = (path: string): string =>
  path.startsWith("~/") ? join(place.home, path.slice(2)) : join(place.project, path);
const json = async (...args: readonly string[]): Promise<any> => JSON.parse((await place.run([...args, "--json"])).out);

beforeAll(() => {
  place = new Workplace();
  place.write(
    "s.yaml",
    'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "rm victim" } }]\n  - text: done\n    repeat: true\n',
  );
  place.write("~/saw.sh", PROGRAM);
  for (const [path, text, mode] of GUARDS) place.write(path, text, mode);
});

afterAll(() => place.remove());

describe("hooks of every dialect", () => {
  test("go into shadow by path, and the settings keep what else is in them", async () => {
    place.write("~/.hookline/settings.json", JSON.stringify({ theme: "light", "retry.maxRetries": 1 }));
    for (const [path] of GUARDS) {
      const { v, changed, file } = await json("hooks", "shadow", path.replace("~/", `${place.home}/`));
      expect([v, file]).toEqual([1, at("~/.hookline/settings.json")]);
      expect(changed.length).toBeGreaterThan(0);
      for (const one of changed) expect(one).toEqual({ id: expect.stringContaining(at(path)), shadow: true });
    }
    const settings = JSON.parse(readFileSync(at("~/.hookline/settings.json"), "utf8"));
    expect(settings).toMatchObject({ theme: "light", "retry.maxRetries": 1 });
    expect(settings.shadow).toHaveLength(GUARDS.length);
    expect((await json("hooks", "shadow", at("~/.claude/settings.json"))).changed).toEqual([]);
    const { sources } = await json("hooks");
    for (const one of sources) expect(one).toMatchObject({ state: "runs", shadow: true });
    const { plan, others } = await json("hooks", "explain", "tool.before", "--tool", "bash");
    expect(plan).toEqual([]);
    expect(others.filter(({ why }: any) => why === "shadow").length).toBeGreaterThanOrEqual(GUARDS.length);
  });

  test("are asked in a run, refuse nothing, and what they would have done is counted", async () => {
    place.write("victim", "precious\n");
    const ran = await place.run([
      "-p",
      "--script",
      "s.yaml",
      "--record",
      "--trace",
      "t.jsonl",
      "--trace-payloads",
      "go",
    ]);
    expect([ran.code, ran.out.trim()]).toEqual([0, "done"]);
    expect(existsSync(at("victim"))).toBe(false);
    const lines = readFileSync(at("t.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const shadows = lines.filter(({ hooks }) => hooks.some(({ shadow }: any) => shadow));
    expect(shadows.length).toBeGreaterThanOrEqual(GUARDS.length);
    for (const { hooks, edits, outcome } of shadows) {
      expect([hooks.length, edits, outcome]).toEqual([1, [], {}]);
      expect(hooks[0]).toMatchObject({ shadow: true, pass: 1 });
    }
    const { hooks } = await json("hooks", "stats");
    const of = (path: string, nth = 0): any => hooks.filter(({ id }: any) => id.includes(at(path)))[nth];
    for (const [path] of GUARDS) expect(of(path)).toMatchObject({ blocked: 0, shadow: { asked: 1, dropped: 0 } });
    const wouldDeny = (path: string, nth = 0): number => of(path, nth).shadow.wouldDeny;
    for (const path of ["~/.pi/agent/extensions/g.ts", "~/.chibi/plugins/g", "~/.claude/settings.json"])
      expect([path, wouldDeny(path)]).toEqual([path, 1]);
    expect(of("~/.pi/agent/extensions/g.ts").shadow.effects).toEqual({ sendMessage: 1 });
    expect(of("~/.omp/agent/extensions/e.ts").shadow).toMatchObject({ failed: 1, wouldDeny: 1 });
    const [stops, breaks] = hooks
      .filter(({ id }: any) => id.includes("hooks.yaml"))
      .sort((a: any, b: any) => a.id.localeCompare(b.id));
    expect([stops.shadow.wouldDeny, breaks.shadow.wouldDeny, breaks.shadow.failed]).toEqual([1, 0, 1]);
    expect(ran.err).toContain("In shadow: ");
    expect(ran.err).not.toContain("continued although");
    expect(JSON.parse(readFileSync(at("~/claude.saw"), "utf8")).tool_input).toEqual({ command: "rm victim" });
    expect((await place.run(["hooks", "stats"])).out).toContain("would deny");
  });

  test("are in the recording, and a replay tells what they would have done", async () => {
    const [name = ""] = readdirSync(at("~/.hookline/recordings")).filter((file) => file.endsWith(".jsonl"));
    const { shadow, newlyDenied, notJudged } = await json("replay", at(`~/.hookline/recordings/${name}`));
    const { hooks } = await json("hooks", "stats");
    // A hook that is still in shadow is also asked in shadow about the recording.
    expect([newlyDenied, notJudged]).toEqual([0, {}]);
    for (const { id, shadow: counts } of hooks) {
      const { asked, wouldDeny, failed } = counts;
      expect(shadow.find(({ hook }: any) => hook === id)).toMatchObject({ asked, wouldDeny, failed });
    }
    const [moment] = shadow.find(({ wouldDeny }: any) => wouldDeny > 0).examples;
    const shown = await place.run(["replay", at(`~/.hookline/recordings/${name}`), "--show", moment]);
    expect(shown.out).toMatch(/in shadow: pi:\S+g\.ts#tool_call\[0\] would have refused\n {6}answer: .*"reason":"no"/);
  });

  test("are asked by hand beside the outcome", async () => {
    const fired = await json("hooks", "fire", "tool.before", "--tool", "bash");
    expect(fired.outcome).toEqual({});
    expect(fired.hooks.length).toBeGreaterThanOrEqual(GUARDS.length);
    for (const one of fired.hooks) expect(one.shadow).toBe(true);
    const own = await json("hooks", "fire", "claude:PreToolUse", "--tool", "bash");
    expect([own.outcome, own.hooks[0].shadow]).toEqual([{}, true]);
    expect((await place.run(["hooks", "fire", "claude:PreToolUse"])).out).toContain("in shadow: does not count");
  });

  test("one hook of a file takes effect again by its id, then all of them", async () => {
    const id = `jcli:${at("~/.jdata/agent/hooks.yaml")}#pre_tool_execution[0]`;
    expect((await json("hooks", "enforce", id)).changed).toEqual([{ id, shadow: false }]);
    const { sources } = await json("hooks");
    const own = sources.filter(({ lane }: any) => lane === "jcli");
    expect(own.map(({ shadow }: any) => shadow)).toEqual([undefined, true]);
    place.write("victim", "precious\n");
    await place.run(["-p", "--script", "s.yaml", "go"]);
    expect(existsSync(at("victim"))).toBe(true);
    for (const [path] of GUARDS) expect((await place.run(["hooks", "enforce", at(path)])).code).toBe(0);
    expect(JSON.parse(readFileSync(at("~/.hookline/settings.json"), "utf8"))).not.toHaveProperty("shadow");
  });
});

describe("hooks that cannot be put in shadow", () => {
  test("an unknown hook, one that must run, and a person's by a project", async () => {
    const unknown = await place.run(["hooks", "shadow", "nothing.ts"]);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("There is no hook")]);
    place.write("~/.hookline/settings.json", JSON.stringify({ required: ["~/.pi/agent/extensions/g.ts"] }));
    const required = await place.run(["hooks", "shadow", at("~/.pi/agent/extensions/g.ts")]);
    expect([required.code, required.err]).toEqual([1, expect.stringContaining("must run")]);
    symlinkSync(at("~/.pi/agent/extensions/g.ts"), at("~/link.ts"));
    place.write("~/.hookline/settings.json", JSON.stringify({ required: ["~/link.ts"] }));
    const linked = await place.run(["hooks", "shadow", at("~/.pi/agent/extensions/g.ts")]);
    expect([linked.code, linked.err]).toEqual([1, expect.stringContaining('required names "~/link.ts"')]);
    const foreign = await place.run(["hooks", "shadow", at("~/.claude/settings.json"), "--project"]);
    expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining("not this project's own")]);
    expect(existsSync(at(".hookline/settings.json"))).toBe(false);
  });

  test("a required hook that is in shadow anyway counts as absent: nothing runs", async () => {
    const both = ["~/.pi/agent/extensions/g.ts"];
    place.write("~/.hookline/settings.json", JSON.stringify({ required: both, shadow: both }));
    const ran = await place.run(["-p", "--script", "s.yaml", "go"]);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("in shadow")]);
    place.write("~/.hookline/settings.json", "{}");
  });

  test("a project puts its own in shadow by a relative name, which is told at each start", async () => {
    place.write(".pi/extensions/p.ts", GUARDS[0]?.[1] ?? "");
    place.write(".hookline/settings.json", "{}\n");
    const { changed, file } = await json("hooks", "shadow", ".pi/extensions/p.ts", "--project", "--trust-project");
    expect([changed.length, file]).toEqual([1, at(".hookline/settings.json")]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ shadow: [".pi/extensions/p.ts"] });
    expect(statSync(file).mode & 0o044).toBe(0o044);
    const { sources, diagnostics } = await json("hooks", "--trust-project");
    expect(sources.find(({ path }: any) => path === at(".pi/extensions/p.ts")).shadow).toBe(true);
    expect(diagnostics.map(({ code }: any) => code)).toContain("SHADOW_BY_PROJECT");
    const mine = await place.run(["hooks", "enforce", ".pi/extensions/p.ts", "--trust-project"]);
    expect([mine.code, mine.err]).toEqual([1, expect.stringContaining("--project")]);
    const back = await json("hooks", "enforce", ".pi/extensions/p.ts", "--project", "--trust-project");
    expect(back.changed).toHaveLength(1);
    place.write(".hookline/settings.json", JSON.stringify({ shadow: [at("~/.claude/settings.json")] }));
    const others = await json("hooks", "--trust-project");
    expect(others.sources.some(({ shadow }: any) => shadow)).toBe(false);
    expect(JSON.stringify(others.diagnostics)).toContain("inside the project");
  });
});

test("the tokens of a judge in shadow that is asked while the session ends are in the session", async () => {
  const own = new Workplace();
  try {
    own.write(
      "s.yaml",
      "replies:\n  - toolCalls: [{ name: bash, arguments: { command: ls } }]\n  - text: done\nhookReplies:\n  - { text: '{\"ok\": true}', repeat: true }\n",
    );
    // The judge's turn comes behind a program that runs until the session's end.
    const waits = { type: "command", command: "until [ -e ended ]; do sleep 0.01; done" };
    const judge = { type: "prompt", prompt: "May it run? $ARGUMENTS" };
    const path = own.write(
      "~/.claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [waits, judge] }] } }),
    );
    own.write("~/.hookline/settings.json", JSON.stringify({ shadow: [path] }));
    own.write(
      "end.ts",
      `import { writeFileSync } from "node:fs";\nexport default (pi) => pi.on("session_shutdown", () => writeFileSync("ended", ""));\n`,
    );
    const { code, err } = await own.run(["-e", "end.ts", "--script", "s.yaml", "-p", "List it"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining("is closed") });
    const folder = join(own.home, ".hookline/sessions");
    const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("l"));
    expect(readFileSync(join(folder, file), "utf8")).toContain('"judge"');
  } finally {
    own.remove();
  }
});

/** The requests that the model gets, with these hook files or none. */
async function requestsWith(files: typeof GUARDS): Promise<unknown[]> {
  const call = { id: "call_1", name: "bash", arguments: { command: "echo rm" } };
  const server = await startLoopback([{ toolCalls: [call] }, { text: "done" }]);
  const at = new Workplace();
  try {
    for (const [path, text, mode] of files) at.write(path, text, mode);
    const shadow = files.map(([path]) => path.replace("~/", `${at.home}/`));
    at.write("~/.hookline/settings.json", JSON.stringify({ shadow }));
    const provider = { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: "k", models: [{ id: "m1" }] };
    at.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }));
    expect((await at.run(["--model", "loop/m1", "-p", "go"])).code).toBe(0);
    return server.requests.map(({ body }) => JSON.parse(JSON.stringify(body).replaceAll(at.top, "")));
  } finally {
    at.remove();
    await server.close();
  }
}

test("hooks of any dialect in shadow change nothing that the model is sent", async () => {
  const without = await requestsWith([]);
  expect(without).toHaveLength(2);
  for (const guard of GUARDS) expect([guard[0], await requestsWith([guard])]).toEqual([guard[0], without]);
});

test("an unattended run waits for slow hooks in shadow, and says which were not asked about everything", async () => {
  const at = new Workplace();
  const call = "{ name: bash, arguments: { command: 'true' } }";
  at.write("s.yaml", `replies: [{ toolCalls: [${Array(4).fill(call).join(", ")}] }, { text: done }]\n`);
  const [slow, last] = [
    at.write("~/.jdata/agent/hooks.yaml", "pre_tool_execution: [{ command: 'sleep 1' }]\n"),
    GUARDS[3],
  ];
  at.write(last?.[0] as string, last?.[1] as string, "x");
  const plugin = join(at.home, ".chibi/plugins/g");
  at.write("~/.hookline/settings.json", JSON.stringify({ shadow: [slow, plugin] }));
  const ran = await at.run(["-p", "--script", "s.yaml", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "done\n"]);
  expect(ran.err).toContain("Waiting for the end of what still runs");
  expect(ran.err).not.toContain("not asked about everything");
  const stats = JSON.parse((await at.run(["hooks", "stats", "--json"])).out);
  for (const { shadow } of stats.hooks.filter((one: any) => one.shadow !== undefined))
    expect(shadow).toMatchObject({ asked: 4, dropped: 0 });
  at.remove();
});
