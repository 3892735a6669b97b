import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { FLEET_COMMANDS } from "../../src/command/all.ts";
import type { FleetIo } from "../../src/command/io.ts";
import { LATER, sendBatch } from "../support/batch.ts";
import { type Deciding, deciding } from "../support/deciding.ts";
import { Door } from "../support/door.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

/** A tail that runs, and what it has printed. */
interface Tail {
  readonly out: string[];
  err(): string;
  /** Ends it as Ctrl+C does; gives its exit code. */
  end(): Promise<number | undefined>;
}

describe.skipIf(!hasNats)("fleet audit tail", () => {
  let fleet: TestFleet;
  let agent: Deciding;
  const open: Tail[] = [];

  beforeAll(async () => {
    fleet = await TestFleet.start();
    mkdirSync(temporary());
    vi.stubEnv("TMPDIR", temporary());
    await fleet.creds("auditor-1", "auditor");
    agent = await deciding(await fleet.home("m1", fleet.bundle([], {})));
    await agent.call("no first");
    for (let n = 1; n <= 12; n++) await agent.call(`old ${n}`);
    await agent.sent();
  });
  afterEach(async () => {
    for (const tail of open.splice(0)) await tail.end();
  });
  afterAll(async () => {
    await agent.close();
    vi.unstubAllEnvs();
    await fleet.stop();
  });

  const tail = (flags: Readonly<Record<string, string | boolean>> = {}, url = fleet.url): Tail => {
    const out: string[] = [];
    let err = "";
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const io: FleetIo = {
      env: { HOOKLINE_FLEET_URL: url, HOOKLINE_FLEET_CREDS: fleet.text("auditor-1") },
      cwd: fleet.place,
      hooklineHome: fleet.place,
      version: "0.0.0",
      out: (text) => void out.push(text),
      err: (text) => {
        err += text;
      },
      ended: () => ended,
    };
    const running = FLEET_COMMANDS["audit"]?.().then((audit) => audit({ words: ["tail"], flags }, io));
    const found: Tail = {
      out,
      err: () => err,
      end: async () => {
        end();
        return await running;
      },
    };
    open.push(found);
    return found;
  };
  const temporary = () => join(fleet.place, "temporary");
  const linesOf = ({ out }: Tail) => out.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const callsOf = (one: Tail) => linesOf(one).map(({ call }) => call);

  test("begins with the newest that match, and goes on with further ones", async () => {
    const [all, denied] = [tail(), tail({ limit: "3", decision: "deny", json: true })];
    await expect.poll(() => all.out.length).toBe(10);
    expect(all.out[9]).toMatch(/ {2}m1 {2}s1 {2}tool\.before {2}bash {2}allow/);
    await expect.poll(() => denied.out.length).toBe(1);
    await agent.call("ls");
    await agent.call("no");
    await expect.poll(() => denied.out.length).toBe(2);
    await expect.poll(() => all.out.length).toBe(12);
    expect(linesOf(denied)[1]).toMatchObject({ v: 1, fleet: "acme", machine: "m1", tool: "bash", decision: "deny" });
    expect(all.out[11]).toContain("deny");
  });

  test("shows nothing old with --limit 0, and ends with 0 and without its files", async () => {
    const one = tail({ limit: "0", json: true });
    const ask = async () => {
      await agent.call("now");
      return one.out.length;
    };
    await expect.poll(ask).toBeGreaterThan(0);
    expect(readdirSync(temporary())).toHaveLength(1);
    expect(await one.end()).toBe(0);
    expect(readdirSync(temporary())).toEqual([]);
    expect(new Set(callsOf(one)).size).toBe(1);
  });

  test("neither loses nor doubles a decision when the server is killed and comes back", async () => {
    await agent.sent();
    const one = tail({ limit: "1", json: true });
    await expect.poll(() => one.out.length).toBe(1);
    await agent.call("no before");
    await expect.poll(() => one.out.length).toBe(2);
    await fleet.killServer();
    await expect.poll(() => one.err()).toContain("waiting for it");
    for (let n = 1; n <= 5; n++) await agent.call(`no ${n}`);
    await fleet.startServer();
    await agent.call("no after");
    await expect.poll(() => one.out.length).toBe(8);
    await expect.poll(() => one.err()).toContain("the server answers again");
    await agent.call("no at last");
    await expect.poll(() => one.out.length).toBe(9);
    expect(new Set(callsOf(one)).size).toBe(9);
    expect(one.err()).not.toMatch(/double|gap|has lost/);
  });

  test("shows what the server took while the tail was cut off from it", async () => {
    await agent.sent();
    const door = await Door.to(fleet.port);
    const one = tail({ limit: "1", json: true }, door.url);
    try {
      await expect.poll(() => one.out.length).toBe(1);
      door.shut();
      await expect.poll(() => one.err()).toContain("waiting for it");
      await agent.call("no meanwhile");
      await agent.sent();
      door.open();
      await expect.poll(() => one.out.length).toBe(2);
      expect(linesOf(one)[1]).toMatchObject({ decision: "deny" });
    } finally {
      await one.end();
      await door.close();
    }
  });

  test("says that it waits for a machine of which nothing is there", async () => {
    const one = tail({ machine: "m9" });
    await expect.poll(() => one.err()).toContain('no decision of the machine "m9"');
    expect(one.out).toEqual([]);
  });

  test("names what it leaves out, and shows what machines say without control characters", async () => {
    const one = tail({ limit: "1" });
    await expect.poll(() => one.out.length).toBe(1);
    const connection = await fleet.connect(await fleet.creds("m1", "agent"));
    await connection.request(fleet.names.decisions("m1", "forged"), "{}\nno batch", { timeout: 5000 });
    await expect.poll(() => one.err()).toMatch(/^forged: m1, message \d+: /m);
    await sendBatch(fleet, { machine: "m1", writer: "later", n: 1, text: LATER });
    await expect.poll(() => one.err()).toContain("later of m1 is of another version");
    await sendBatch(fleet, { machine: "m1", writer: "odd", n: 1, text: recording("\u001b[2J", "odd") });
    await expect.poll(() => one.out.length).toBe(2);
    expect(one.out[1]).toContain("\u241b[2J");
    expect(one.out[1]).not.toContain("\u001b");
  });
});

/** A recording with one call of a tool. */
function recording(tool: string, session: string): string {
  const lines = [
    { v: 2, kind: "recording", at: 0, session, cwd: "/", hookline: "9", level: "decisions", t: 1 },
    { v: 2, n: 1, t: Date.now(), event: "tool.before", payload: { tool } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
