import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Desk, guards } from "./desk.ts";

/** The shapes of `--json` that scripts rely on: fields may be added, never renamed. Source: design/cli.md. */
let desk: Desk;

beforeAll(async () => {
  desk = new Desk();
  guards(desk);
  desk.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
  desk.write("~/.chibi/plugins/quiet", "no program\n");
  desk.write(
    "script.yaml",
    'replies:\n  - toolCalls: [{ name: bash, arguments: { command: "rm x" } }]\n  - { text: done, repeat: true }\n',
  );
  await desk.hookline(["--script", desk.path("script.yaml"), "-p", "hello"]);
});

afterAll(() => desk.remove());

const text = expect.any(String);
const number = expect.any(Number);

describe("hooks list", () => {
  test("sources, the places that were searched, and a summary", async () => {
    const { json, code, err } = await desk.hookline(["hooks", "list", "--json"]);
    expect([code, err]).toEqual([0, ""]);
    expect(json).toMatchObject({ sources: expect.any(Array), searched: expect.arrayContaining([text]) });
    expect(json.summary).toEqual({ found: 6, runs: 4, notRunning: 2 });
    expect(json.sources[0]).toMatchObject({
      dialect: "jcli",
      tier: "user",
      path: desk.path("~/.jdata/agent/hooks.yaml"),
      line: 2,
      state: "runs",
      events: ["pre_tool_execution"],
      order: 1,
      filter: "tool_name=Bash",
      timeoutMs: 10_000,
      onFailure: "abort: refuses",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(json.sources[1]).toMatchObject({ tier: "project", state: "untrusted", reason: text });
    expect(json.sources.map(({ state }: { state: string }) => state).sort()).toEqual([
      "runs",
      "runs",
      "runs",
      "runs",
      "unsupported",
      "untrusted",
    ]);
    expect(json.sources.find(({ dialect }: { dialect: string }) => dialect === "omp")).toMatchObject({ api: "hook" });
  });

  test("--strict ends with 1 when something that was found does not run", async () => {
    expect((await desk.hookline(["hooks", "--strict"])).code).toBe(1);
    expect((await desk.hookline(["hooks", "list", "--strict", "--dialects", "pi,omp"])).code).toBe(0);
  });
});

test("hooks explain lists the hooks of other events only with --all", async () => {
  const explain = async (...flags: string[]): Promise<string> =>
    (await desk.hookline(["hooks", "explain", "tool.before", "--tool", "read", ...flags])).out;
  expect(await explain()).toMatch(
    /^\d+ hooks? listens? to other events; `hookline hooks explain tool\.before --all` lists/m,
  );
  expect(await explain()).not.toContain("it listens to");
  expect(await explain("--all")).toContain("it listens to");
});

test("hooks explain", async () => {
  const { json } = await desk.hookline(["hooks", "explain", "tool.before", "--tool", "read", "--json"]);
  expect(json).toEqual({
    event: "tool.before",
    subject: "read",
    plan: expect.any(Array),
    others: expect.any(Array),
  });
  for (const hook of json.plan)
    expect(hook).toMatchObject({ id: text, dialect: text, source: text, order: number, why: text });
  for (const hook of json.others) expect(hook).toEqual({ id: text, source: text, why: text });
  expect(json.plan.map(({ dialect }: { dialect: string }) => dialect)).toEqual(["chibi", "omp", "pi"]);
});

describe("hooks fire", () => {
  test("a dialect's event: the answers, the outcome in the dialect's own fields", async () => {
    const stdin = JSON.stringify({ tool_name: "Bash", tool_arguments: '{"command":"rm x"}' });
    const { json, code } = await desk.hookline(
      ["hooks", "fire", "jcli:pre_tool_execution", "--payload", "-", "--json"],
      { stdin },
    );
    expect(code).toBe(0);
    expect(json).toMatchObject({
      event: "pre_tool_execution",
      dialect: "jcli",
      hooks: [
        {
          id: text,
          source: `${desk.path("~/.jdata/agent/hooks.yaml")}:2`,
          tier: "user",
          status: "answered",
          answer: { action: "skip", retry_feedback: "no" },
          ms: number,
          stderr: "seen\n",
        },
      ],
      outcome: { action: "skip", retry_feedback: "no" },
      edits: [],
      diagnostics: [],
    });
  });

  test("an event of hookline's own goes through every lane", async () => {
    const { json } = await desk.hookline(["hooks", "fire", "tool.before", "--json"]);
    expect(json).not.toHaveProperty("dialect");
    expect(json.hooks.map(({ status }: { status: string }) => status)).toEqual([
      "no-answer",
      "no-answer",
      "no-answer",
      "no-answer",
    ]);
    expect(json.outcome).toEqual({});
  });

  test("edits name the hook, the field, and both values; diagnostics have a code and a source", async () => {
    desk.write(
      "~/.pi/agent/extensions/edit.ts",
      'export default (pi) => { pi.on("input", (e) => ({ action: "transform", text: e.text + "!" })); pi.on("turn_start", () => { throw new Error("no"); }); };\n',
    );
    const edited = await desk.hookline(["hooks", "fire", "input", "--json"]);
    expect(edited.json.edits).toEqual([{ hook: text, field: "text", from: "Hello", to: "Hello!" }]);
    const failed = await desk.hookline(["hooks", "fire", "pi:turn_start", "--json"]);
    expect(failed.json.hooks).toMatchObject([{ status: "failed" }]);
    expect(failed.json.diagnostics).toMatchObject([
      { code: "HOOK_THREW", severity: "warning", message: text, source: text },
    ]);
    expect(failed.code).toBe(0);
  });

  test("the absence of listeners is reported, and is not a failure", async () => {
    const { json, code } = await desk.hookline(["hooks", "fire", "omp:input", "--json"]);
    expect(json).toMatchObject({ hooks: [], outcome: {}, diagnostics: [{ code: "NOBODY_LISTENS" }] });
    expect(code).toBe(0);
  });
});

test("hooks stats", async () => {
  const { json } = await desk.hookline(["hooks", "stats", "--json"]);
  const jcli = json.hooks.find(({ dialect }: { dialect: string }) => dialect === "jcli");
  expect(jcli).toEqual({
    id: text,
    dialect: "jcli",
    tier: "user",
    source: `${desk.path("~/.jdata/agent/hooks.yaml")}:2`,
    event: "pre_tool_execution",
    runs: 1,
    ok: 1,
    failed: 0,
    timedOut: 0,
    failedOpen: 0,
    skipped: 0,
    blocked: 1,
    asks: 0,
    edits: 0,
    totalMs: number,
    avgMs: number,
    p50Ms: number,
    p95Ms: number,
  });
});

test("trust list", async () => {
  const { json } = await desk.hookline(["trust", "list", "--json"]);
  expect(json.entries).toMatchObject([
    {
      path: desk.path(".jcli/hooks.yaml"),
      tier: "project",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      approvedAt: null,
      state: "pending",
    },
  ]);
});

test("doctor", async () => {
  const { json, code } = await desk.hookline(["doctor", "--json"]);
  for (const check of json.checks) {
    expect(check).toMatchObject({ name: text, ok: expect.any(Boolean), message: text });
    if (!check.ok) expect(check.remedy).toEqual(text);
  }
  const broken = json.checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
  expect(broken).toEqual(["unheard hooks"]);
  expect(code).toBe(1);
});
