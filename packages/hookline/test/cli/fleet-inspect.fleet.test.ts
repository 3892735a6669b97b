import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { sendBatch } from "../../../fleet/test/support/batch.ts";
import { type Deciding, deciding } from "../../../fleet/test/support/deciding.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";
import type { InspectedSource, Moments, Sources } from "../../src/inspect/api.ts";

const program = join(import.meta.dirname, "../../bin/hookline.js");

/** An inspector that serves, as its page sees it. */
interface Serving {
  ask<T>(path: string): Promise<T>;
  err(): string;
  /** Presses Ctrl+C; gives the exit code. */
  end(): Promise<number | null>;
}

describe.skipIf(!hasNats)("an inspector of what a fleet has decided", () => {
  let fleet: TestFleet;
  let agents: Record<"m1" | "m2", Deciding>;
  let temporary: string;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    fleet = await TestFleet.start();
    temporary = join(fleet.place, "temporary");
    for (const folder of [join(fleet.place, "auditor"), temporary]) mkdirSync(folder);
    await fleet.creds("auditor-1", "auditor");
    const open = async (machine: string, level: "decisions" | "payloads"): Promise<Deciding> =>
      deciding(await fleet.home(machine, fleet.bundle([], {}, { audit: { level, required: false } })));
    agents = { m1: await open("m1", "decisions"), m2: await open("m2", "payloads") };
    for (const agent of Object.values(agents)) {
      await agent.call("ls");
      await agent.call("no");
      await agent.sent();
    }
  });
  afterEach(() => {
    for (const child of running) child.kill("SIGKILL");
  });
  afterAll(async () => {
    for (const agent of Object.values(agents)) await agent.close();
    await fleet.stop();
  });

  const auditor = (name = "auditor-1", url = fleet.url) => ({
    HOOKLINE_FLEET_URL: url,
    HOOKLINE_FLEET_CREDS: fleet.text(name),
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = auditor()) => {
    const child = spawn(process.execPath, [program, "inspect", ...args], {
      cwd: fleet.place,
      env: { ...CHILD_ENV, HOME: join(fleet.place, "auditor"), TMPDIR: temporary, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const text = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (text.out += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (text.err += piece));
    const code = new Promise<number | null>((resolve) =>
      child.once("close", (ended) => {
        running.delete(child);
        resolve(ended);
      }),
    );
    return { child, text, code };
  };
  const run = async (args: readonly string[], env?: Readonly<Record<string, string>>) => {
    const { text, code } = start(args, env);
    return { code: await code, ...text };
  };

  const serve = async (...args: string[]): Promise<Serving> => {
    const { child, text, code } = start(["--fleet", "--json", ...args]);
    await poll(() => text.out).toContain("\n");
    const { port, token } = JSON.parse(text.out) as { readonly port: number; readonly token: string };
    return {
      async ask<T>(path: string): Promise<T> {
        const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        return (await answer.json()) as T;
      },
      err: () => text.err,
      end() {
        child.kill("SIGINT");
        return code;
      },
    };
  };
  const poll = (what: () => unknown) => expect.poll(what);
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith("hookline-fleet-audit-"));
  const decided = async (page: Serving, { id }: InspectedSource) =>
    (await page.ask<Moments>(`sources/${id}/moments`)).items.map(({ tool, decision }) => [tool, decision]);

  test("lists the sessions of all machines, shows each, and grows with the stream", async () => {
    const page = await serve();
    expect(folders()).toHaveLength(1);
    const found = await page.ask<Sources>("sources");
    expect(found.fleet).toBe("acme");
    expect(found.open).toBeUndefined();
    const [second, first] = found.sources;
    expect(found.sources).toMatchObject([
      { kind: "recording", machine: "m2", session: "s1", title: "s1", live: false },
      { kind: "recording", machine: "m1", level: "log" },
    ]);
    const both = [
      ["bash", undefined],
      ["bash", "deny"],
    ];
    for (const source of [first, second]) await poll(() => decided(page, source as InspectedSource)).toEqual(both);

    await agents.m1.call("no more");
    await poll(() => decided(page, first as InspectedSource)).toEqual([...both, ["bash", "deny"]]);
    const [newest] = (await page.ask<Sources>("sources")).sources;
    expect(newest?.machine).toBe("m1");

    await fleet.killServer();
    await poll(() => page.err()).toContain("the server does not answer");
    await agents.m1.call("no again");
    await fleet.startServer();
    await poll(async () => (await decided(page, first as InspectedSource)).length).toBe(4);
    expect(await page.end()).toBe(0);
    expect(folders()).toEqual([]);
  });

  test("shows one machine, opens a session at once, and exports it", async () => {
    const page = await serve("--machine", "m2", "s1");
    const { sources, open } = await page.ask<Sources>("sources");
    expect(sources.map(({ machine, id }) => [machine, id])).toEqual([["m2", open]]);
    expect(await page.end()).toBe(0);
    const target = join(fleet.place, "m2.html");
    const exported = await run(["--fleet", "--machine", "m2", "s1", "--export", target]);
    expect(exported).toMatchObject({ code: 0, out: expect.stringContaining("shows 2 moments") });
    expect(readFileSync(target, "utf8")).toContain("it begins with no");
  });

  test("what cannot be trusted is told and left out, and a session without its beginning is shown", async () => {
    const connection = await fleet.connect(await fleet.creds("m3", "agent"));
    await connection.request(fleet.names.decisions("m3", "forged"), "{}\nno batch", { timeout: 5000 });
    const line = { v: 2, n: 9, t: Date.now(), event: "tool.before", payload: { tool: "late" }, hooks: [], edits: [] };
    await sendBatch(fleet, { machine: "m3", writer: "rest", n: 4, text: `${JSON.stringify(line)}\n` });
    const page = await serve("--machine", "m3");
    await poll(() => page.err()).toContain("2 batches are missing or cannot be trusted");
    const { sources } = await page.ask<Sources>("sources");
    expect(sources).toMatchObject([{ machine: "m3", title: "rest" }]);
    await poll(() => decided(page, sources[0] as InspectedSource)).toEqual([["late", undefined]]);
    expect(await page.end()).toBe(0);
  });

  test("who may not read, and what cannot be meant, is told with what to do", async () => {
    await fleet.creds("m1", "agent");
    const cases: [readonly string[], Record<string, string>, number, string][] = [
      [["--fleet"], {}, 2, "this machine belongs to no fleet; set HOOKLINE_FLEET_URL"],
      [["--fleet"], auditor("m1"), 2, "m1 is enrolled as agent, and only an auditor may read"],
      [["--fleet"], auditor("auditor-1", "nats://example.com:4222"), 1, "must be encrypted"],
      [["--fleet", "nobody"], auditor(), 2, "is not the beginning of a session's id in the fleet's stream"],
      [
        ["--fleet", "--machine", "m9", "--export", "page.html"],
        auditor(),
        2,
        "needs a session or recording, and there is none",
      ],
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
