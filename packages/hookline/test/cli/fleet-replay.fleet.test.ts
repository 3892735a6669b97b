import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { LATER, sendBatch } from "../../../fleet/test/support/batch.ts";
import { deciding } from "../../../fleet/test/support/deciding.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";

const program = join(import.meta.dirname, "../../bin/hookline.js");
const GUARD = `export default (pi) =>
  pi.on("tool_call", ({ input }) => (input.command === "ls" ? { block: true, reason: "no lists" } : undefined));
`;

describe.skipIf(!hasNats)("a replay of what a fleet has decided", () => {
  let fleet: TestFleet;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    mkdirSync(join(fleet.place, "auditor"));
    writeFileSync(join(fleet.place, "guard.ts"), GUARD);
    await fleet.creds("auditor-1", "auditor");
  });
  afterAll(() => fleet.stop());

  /** Has a machine decide about a call that its guard lets through, and one that it refuses. */
  const decide = async (machine: string, level: "decisions" | "payloads"): Promise<void> => {
    const home = await fleet.home(machine, fleet.bundle([], {}, { audit: { level, required: false } }));
    const agent = await deciding(home);
    await agent.call("ls");
    await agent.call("no");
    await agent.closeSent();
  };

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = auditor()) =>
    hookline(["replay", ...args], env);
  const hookline = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: fleet.place,
        env: { ...CHILD_ENV, HOME: join(fleet.place, "auditor"), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, out, err }));
    });
  const auditor = (name = "auditor-1", url = fleet.url) => ({
    HOOKLINE_FLEET_URL: url,
    HOOKLINE_FLEET_CREDS: fleet.text(name),
  });
  const replayed = async (...args: string[]) => JSON.parse((await run(["--fleet", "--json", ...args])).out);

  test("an empty stream is no error, and nothing can be judged", async () => {
    const empty = await run(["--fleet"]);
    expect(empty).toMatchObject({ code: 0, err: expect.stringContaining("no decisions of the fleet acme since") });
    const gate = await run(["--fleet", "--fail-on", "newly-denied"]);
    expect(gate).toMatchObject({ code: 1, out: expect.stringContaining("nothing was judged") });
    expect((await run(["--fleet", "--list"])).out).toContain("no decisions of the fleet acme");
  });

  test("without payloads it says so, and judges nothing", async () => {
    await decide("m1", "decisions");
    const { code, out } = await run(["--fleet", "--with", "guard.ts"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("0 of 2 moments have a payload") });
    const result = await replayed("--with", "guard.ts");
    expect(result).toMatchObject({ moments: 2, asked: 2, notJudged: { "no-payload": 2 }, groups: [] });
    expect(result.sources).toMatchObject([
      { kind: "fleet", machine: "m1", payloads: 0, moments: { "tool.before": 2 } },
    ]);
  });

  test("with payloads a guard is asked about the calls of all machines", async () => {
    await decide("m2", "payloads");
    await decide("m3", "payloads");
    const result = await replayed("--with", "guard.ts", "--event", "tool.before");
    expect(result).toMatchObject({ moments: 6, asked: 6, newlyDenied: 2, newlyAllowed: 2, same: 0 });
    const denied = result.groups.find(({ class: name }: { class: string }) => name === "newlyDenied");
    expect(denied).toMatchObject({ shape: "bash ls", count: 2, examples: [{ after: { reason: "no lists" } }, {}] });
    const sources: { machine: string; path: string; payloads: number }[] = result.sources;
    expect(sources.map(({ machine, payloads }) => [machine, payloads])).toEqual([
      ["m1", 0],
      ["m2", 2],
      ["m3", 2],
    ]);
    expect(denied.examples[0].source).toBe(sources[1]?.path);
    expect(sources[1]?.path).toMatch(/^hookline\.acme\.dec\.m2\./);
    const text = await run(["--fleet", "--with", "guard.ts", "--event", "tool.before", "--fail-on", "newly-denied"]);
    expect(text).toMatchObject({ code: 1, out: expect.stringContaining("4 of 6 moments have a payload") });
    expect(text.out).toContain("By machine: m1 2, m2 2, m3 2.");
    // The change alone, whatever hooks the machines had.
    const change = await replayed("--with", "guard.ts", "--event", "tool.before", "--baseline", "current");
    expect(change).toMatchObject({ newlyDenied: 2, newlyAllowed: 0, same: 2 });
  });

  test("a machine, a time and a moment can be chosen", async () => {
    expect((await replayed("--machine", "m3")).sources).toMatchObject([{ machine: "m3" }]);
    expect((await replayed("--since", "2999-01-01")).sources).toEqual([]);
    const { sources } = JSON.parse((await run(["--fleet", "--list", "--json"])).out);
    expect(sources).toMatchObject([{ id: "s1", kind: "fleet", machine: "m1", session: "s1" }, {}, {}]);
    const { groups } = await replayed("--with", "guard.ts", "--machine", "m2", "--event", "tool.before");
    const [{ moment }] = groups[0].examples;
    const shown = await run(["--fleet", "--machine", "m2", "--with", "guard.ts", "--show", moment]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("hookline.acme.dec.m2.") });
  });

  test("what is forged, missing or of another version is told and counted, and ends nothing", async () => {
    const connection = await fleet.connect(await fleet.creds("m1", "agent"));
    await connection.request(fleet.names.decisions("m1", "forged"), "{}\nno batch", { timeout: 5000 });
    await sendBatch(fleet, { machine: "m2", writer: "later", n: 1, text: LATER });
    await sendBatch(fleet, { machine: "m3", writer: "gap", n: 2, text: LATER.replace('"v":3', '"v":2') });
    const result = await replayed("--with", "guard.ts", "--event", "tool.before");
    expect(result).toMatchObject({ moments: 6, newlyDenied: 2, partial: false });
    const skipped = (result.sources as { machine: string; path: string; skipped: object }[])
      .filter((source) => Object.keys(source.skipped).length > 0)
      .map((source) => [source.path, source.skipped]);
    expect(skipped).toEqual([
      ["hookline.acme.dec.m2.later", { "other-version": 1 }],
      ["hookline.acme.dec.m3.gap", { "batch-gap": 1 }],
      ["hookline.acme.dec.m1.forged", { "batch-forged": 1 }],
    ]);
    const { code, out } = await run(["--fleet", "--with", "guard.ts", "--markdown", "sum.md"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Left out of m1: batch-forged 1 ×") });
    expect(out).toContain("Left out of m3: batch-gap 1 ×");
  });

  test("a machine's first run is logged as the version that it takes says", async () => {
    await fleet.creds("m4", "agent");
    await fleet.publish(fleet.source([], {}, { audit: { level: "payloads", required: false } }));
    const [home, script] = [join(fleet.place, "m4"), join(fleet.place, "script.json")];
    const replies = [{ toolCalls: [{ name: "bash", arguments: { command: "echo the-payload" } }] }, { text: "Done." }];
    writeFileSync(script, JSON.stringify({ replies }));
    const env = { ...auditor("m4"), HOOKLINE_FLEET_ROOT: fleet.pin, HOOKLINE_HOME: home, HOME: home };
    expect(await hookline(["--script", script, "-p", "go"], env)).toMatchObject({ code: 0 });
    const logged = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("spool/"));
    const text = logged.map((path) => readFileSync(join(home, path), "utf8")).join("");
    expect(text).toContain("echo the-payload");
    expect(text).not.toContain('"level":"log"');
  });

  test("who may not read, and what cannot be meant, is told with what to do", async () => {
    await fleet.creds("m1", "agent");
    const cases: [readonly string[], Record<string, string>, number, string][] = [
      [["--fleet"], {}, 2, "this machine belongs to no fleet; set HOOKLINE_FLEET_URL"],
      [["--fleet"], auditor("m1"), 2, "m1 is enrolled as agent, and only an auditor may read"],
      [["--fleet"], { HOOKLINE_FLEET_URL: fleet.url }, 2, "HOOKLINE_FLEET_CREDS is not; set both"],
      [["--fleet"], auditor("auditor-1", "nats://example.com:4222"), 1, "must be encrypted"],
      [["--fleet", "session.jsonl"], auditor(), 2, "reads no other source, but session.jsonl is named"],
      [["--fleet", "--agents", "pi"], auditor(), 2, "but --agents is named"],
      [["--machine", "m1"], auditor(), 2, "Add --fleet"],
      [["--fleet", "--machine", "m1.*"], auditor(), 2, "is not a machine's name: m1.*"],
    ];
    const all = await Promise.all(cases.map(([args, env]) => run(args, env)));
    for (const [at, [args, , code, says]] of cases.entries())
      expect({ args, ...all[at] }).toMatchObject({ args, code, err: expect.stringContaining(says) });
  });

  test("a server that is away is reported", async () => {
    await fleet.killServer();
    const away = await run(["--fleet"]);
    expect(away).toMatchObject({ code: 1, err: expect.stringContaining("cannot be reached") });
  });
});
