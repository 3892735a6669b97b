import { headers } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asAdministrator } from "../../src/command/connected.ts";
import { makePresence } from "../../src/presence/bucket.ts";
import { type Presence, writePresence } from "../../src/presence/presence.ts";
import { TOKEN_HEADER } from "../../src/wire/question.ts";
import { runAs } from "../support/command.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

const ROOT = "0".repeat(64);

describe.skipIf(!hasNats)("the presence of machines", () => {
  let fleet: TestFleet;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    await asAdministrator(fleet.authority, fleet.url, async (connection) => {
      await makePresence(connection, "acme");
      // Once more changes nothing.
      await makePresence(connection, "acme");
    });
    for (const role of ["auditor", "publisher", "agent", "approver"] as const) await fleet.creds(`the-${role}`, role);
  });
  afterAll(() => fleet.stop());

  /** `fleet status --all` with somebody's creds. */
  const all = (name: string, isJson = true) =>
    runAs(fleet, name, "status", { flags: { all: true, json: isJson }, root: ROOT });
  const presence = (machine: string): Presence => ({
    v: 1,
    machine,
    hookline: "9.9.9",
    t: Date.now(),
    channel: "stable",
    bundle: { version: 7, digest: "f".repeat(64), hooks: 1 },
  });

  test("workers and agents are shown with their policy, and nothing of what they do", async () => {
    const bundle = fleet.bundle();
    await fleet.worker("worker-1", bundle);
    const agent = await fleet.agent("laptop-1", bundle);
    expect((await agent.call("echo sesame-4711")).decision).toBeUndefined();
    for (const name of ["the-auditor", "the-publisher"]) {
      await expect.poll(async () => JSON.parse((await all(name)).out).machines.length).toBe(2);
      const { code, out: said } = await all(name);
      expect(code).toBe(0);
      const held = { version: 1, digest: bundle.digest, hooks: 1 };
      const shown = { hookline: "0.0.0-test", channel: "stable", bundle: held, seenMs: expect.any(Number) };
      expect(JSON.parse(said)).toMatchObject({
        v: 1,
        fleet: "acme",
        machines: [
          { ...shown, machine: "laptop-1", role: "agent" },
          { ...shown, machine: "worker-1", role: "worker" },
        ],
        problems: [],
      });
      for (const secret of ["sesame", "bash", agent.home, '"s1"', "guard.ts"]) expect(said).not.toContain(secret);
    }
    const { out: said } = await all("the-auditor", false);
    expect(said).toMatch(/^machine +role +hookline +policy +seen +spool\nlaptop-1 +agent +0\.0\.0-test +stable 1 \(/);
    for (const name of ["the-agent", "the-approver"])
      await expect(all(name)).rejects.toThrow(/only a publisher or an auditor/);
  });

  test("what somebody else has put under a machine's name is not believed", async () => {
    const [mallory, victim] = [await fleet.creds("mallory", "agent"), await fleet.creds("victim", "agent")];
    const approver = await fleet.creds("the-approver", "approver");
    const forged = writePresence(presence("victim"), victim);
    const wrong: readonly (readonly [data: Buffer, token: string, problem: RegExp])[] = [
      [writePresence(presence("victim"), mallory), mallory.token, /another machine than its token/],
      [writePresence(presence("mallory"), mallory), mallory.token, /came from mallory/],
      [writePresence(presence("victim"), mallory), victim.token, /its signature/],
      [Buffer.from(forged.toString().replace('"version":7', '"version":8')), victim.token, /its signature/],
      [writePresence(presence("victim"), approver), approver.token, /does not belong to an agent or a worker/],
      [forged, "", /its token/],
      [writePresence({ ...presence("victim"), hookline: "\u001b[2J" }, victim), victim.token, /its field hookline/],
      [writePresence({ ...presence("victim"), session: "s" } as never, victim), victim.token, /its field session/],
      [Buffer.from("{}"), victim.token, /its signature/],
    ];
    // Nobody in the fleet can write them there; a server that lies can.
    await asAdministrator(fleet.authority, fleet.url, async (setup) => {
      for (const [data, token, problem] of wrong) {
        const said = headers();
        said.set(TOKEN_HEADER, token);
        const subject = `$KV.${fleet.names.buckets.presence}.victim`;
        await setup.request(subject, data, { headers: said, timeout: 5000 });
        const { code, out: shown } = await all("the-auditor");
        expect(code).toBe(1);
        const { machines, problems } = JSON.parse(shown);
        expect(problems).toEqual([{ machine: "victim", problem: expect.stringMatching(problem) }]);
        expect(machines.map(({ machine }: Presence) => machine)).not.toContain("victim");
      }
    });
  });
});
