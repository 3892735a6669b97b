import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enrolledKeys } from "../../src/audit/keys.ts";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { FLEET_COMMANDS } from "../../src/command/all.ts";
import type { FleetIo } from "../../src/command/io.ts";
import { busOf } from "../../src/link/bus.ts";
import type { Stored } from "../../src/link/stream.ts";
import { LATER, sendBatch } from "../support/batch.ts";
import { deciding } from "../support/deciding.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

describe.skipIf(!hasNats)("fleet audit", () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    fleet = await TestFleet.start();
    for (const machine of ["m1", "m2"]) {
      const agent = await deciding(await fleet.home(machine, fleet.bundle([], {})));
      await agent.call("ls");
      await agent.call("no");
      await agent.closeSent();
    }
    await fleet.creds("auditor-1", "auditor");
  });
  afterAll(() => fleet.stop());

  const run = async (
    words: readonly string[],
    flags: Readonly<Record<string, string | boolean>> = {},
    who = "auditor-1",
  ) => {
    let [out, err] = ["", ""];
    const io: FleetIo = {
      env: { HOOKLINE_FLEET_URL: fleet.url, HOOKLINE_FLEET_CREDS: fleet.text(who) },
      cwd: fleet.place,
      hooklineHome: fleet.place,
      version: "0.0.0",
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      ended: () => Promise.resolve(),
    };
    const audit = await FLEET_COMMANDS["audit"]?.();
    const code = await audit?.({ words, flags }, io);
    return { code, out, err };
  };
  const listed = async (flags: Readonly<Record<string, string>>) => {
    const { out } = await run([], { ...flags, json: true });
    return JSON.parse(out) as { total: number; decisions: Record<string, unknown>[] };
  };

  test("lists decisions by machine, hook, session, event, decision and time", async () => {
    expect(await listed({})).toMatchObject({ v: 1, fleet: "acme", total: 4, faults: 0 });
    const { decisions } = await listed({ machine: "m2", decision: "deny" });
    expect(decisions).toMatchObject([
      { machine: "m2", session: "s1", event: "tool.before", tool: "bash", decision: "deny" },
    ]);
    const [{ hooks = [] } = {}] = decisions as { hooks: { id: string }[] }[];
    expect((await listed({ by: hooks[0]?.id ?? "" })).total).toBe(2);
    expect((await listed({ by: "nobody" })).total).toBe(0);
    expect((await listed({ session: "s" })).total).toBe(4);
    expect((await listed({ session: "x" })).total).toBe(0);
    expect((await listed({ event: "tool.after" })).total).toBe(0);
    expect((await listed({ since: "1h" })).total).toBe(4);
    expect((await listed({ since: "2999-01-01" })).total).toBe(0);
    const short = await run([], { limit: "1" });
    expect(short.out).toMatch(/m2 {2}s1 {2}tool\.before {2}bash {2}deny/);
    expect(short.out).toContain("3 older ones are not shown");
  });

  test("counts them, and verifies what the stream has", async () => {
    expect((await run(["stats"], {})).out).toContain("2  deny");
    const whole = await run(["verify"], { json: true });
    expect([whole.code, JSON.parse(whole.out)]).toMatchObject([0, { writers: 2, expired: 0, faults: [] }]);
    const connection = await fleet.connect(await fleet.creds("m1", "agent"));
    await connection.request(fleet.names.decisions("m1", "forged"), "{}\nno batch", { timeout: 5000 });
    const forged = await run(["verify"], { json: true });
    expect([forged.code, JSON.parse(forged.out)]).toMatchObject([1, { faults: [{ kind: "forged", machine: "m1" }] }]);
    expect((await run([])).err).toContain("audit verify");
    expect((await listed({})).total).toBe(4);
  });

  test("tells a log of a later hookline, and lists the others", async () => {
    await sendBatch(fleet, { machine: "m1", writer: "later", n: 1, text: LATER });
    const { code, out, err } = await run([]);
    expect([code, err]).toEqual([0, expect.stringContaining("later of m1 is of another version")]);
    expect(out.trim().split("\n")).toHaveLength(4);
  });

  test("believes no batch under another machine's name, and none without a token", async () => {
    const auditor = await fleet.creds("auditor-1", "auditor");
    const all: Stored[] = [];
    for await (const one of storedIn(await busOf(await fleet.connect(auditor)), "acme", { machine: "m2" }))
      all.push(one);
    const kindsOf = (change: (one: Stored) => Stored) => {
      const verifier = new Verifier("acme", enrolledKeys(auditor));
      for (const one of all) verifier.take(change(one));
      return verifier.faults.map(({ kind }) => kind);
    };
    expect(kindsOf((one) => one)).toEqual([]);
    expect(kindsOf((one) => ({ ...one, subject: one.subject.replace(".m2.", ".m1.") }))).toContain("forged");
    expect(kindsOf((one) => ({ ...one, header: () => "" }))).toContain("forged");
  });

  test("tells a filter that names what does not exist", async () => {
    await expect(run([], { event: "tool.befor" })).rejects.toThrow(
      /--event names "tool\.befor".*Did you mean "tool\.before"/,
    );
    await expect(run([], { event: "tool.before,," })).rejects.toThrow(/--event names ""/);
    await expect(run(["tail"], { decision: "denny" })).rejects.toThrow(/--decision names "denny".*Did you mean "deny"/);
    await expect(run([], { decision: "x" })).rejects.toThrow(/Give one of allow, ask, deny/);
    expect((await listed({ event: "tool.before, tool.after", decision: "deny" })).total).toBe(2);
    const nothing = 'The fleet\'s log has no decision of the machine "m3". `hookline fleet audit stats` lists';
    for (const action of ["list", "stats", "verify"]) {
      const { code, err } = await run([action], { machine: "m3" });
      // A check of nothing is none.
      expect([code, err]).toEqual([action === "verify" ? 1 : 0, expect.stringContaining(nothing)]);
    }
    expect((await run([], { machine: "m2", decision: "ask" })).err).not.toContain("nothing of");
  });

  test("is for auditors, and says what it does not understand", async () => {
    await expect(run([], {}, "m1")).rejects.toThrow(/only an auditor may read/);
    await expect(run(["lsit"])).rejects.toThrow(/choose list, tail, stats, verify/);
    await expect(run([], { since: "soon" })).rejects.toThrow(/--since is neither/);
    await expect(run([], { limit: "0" })).rejects.toThrow(/--limit/);
    await expect(run([], { machine: "m1.*" })).rejects.toThrow(/--machine "m1\.\*" must be 1 to 40/);
  });
});
