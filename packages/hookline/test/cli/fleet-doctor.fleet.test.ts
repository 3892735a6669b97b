import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deciding } from "../../../fleet/test/support/deciding.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";
import { Desk } from "../authors/desk.ts";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

describe.skipIf(!hasNats)("doctor on a machine of a fleet", () => {
  const desk = new Desk();
  let fleet: TestFleet;
  let home = "";

  beforeAll(async () => {
    fleet = await TestFleet.start();
    const bundle = fleet.bundle();
    home = await fleet.home("laptop-7", bundle);
    await fleet.creds("auditor-1", "auditor");
    await fleet.worker("worker-1", bundle);
  });
  afterAll(async () => {
    await fleet.stop();
    desk.remove();
  });

  /** Its checks of the fleet by their names, without `fleet `. */
  const diagnose = async (env: Readonly<Record<string, string>> = { HOOKLINE_HOME: home }) => {
    const { json } = await desk.hookline(["doctor", "--json"], { env });
    const own = (json.checks as Check[]).filter(({ name }) => /^fleet\b/.test(name));
    return Object.fromEntries(own.map(({ name, ...check }) => [name.replace("fleet ", ""), check]));
  };

  test("says nothing about a fleet on a machine that has joined none", async () => {
    expect(await diagnose({})).toEqual({});
  });

  test("tells what the machine has, and that server and worker answer", async () => {
    const found = await diagnose();
    expect(found).toEqual({
      fleet: { ok: true, message: "this machine is laptop-7 of the fleet acme, enrolled as agent" },
      root: { ok: true, message: expect.stringMatching(/^version 1 is valid until \d{4}-/) },
      // It expires tomorrow.
      policy: { ok: true, message: expect.stringContaining("version 1 of stable"), remedy: expect.anything() },
      server: { ok: true, message: expect.stringMatching(/^nats-server \d/) },
      workers: { ok: true, message: "worker-1 answers" },
      spool: { ok: true, message: expect.stringContaining("has all decisions") },
    });
  });

  test("tells that no worker serves the bundle, and that a bundle was changed", async () => {
    const other = fleet.bundle([{ file: "extensions/guard.ts", where: "worker", events: ["input"] }]);
    const lonely = await fleet.home("laptop-8", other);
    const { workers, policy } = await diagnose({ HOOKLINE_HOME: lonely });
    expect(workers).toEqual({
      ok: false,
      message: "no worker answers",
      remedy: expect.stringContaining("fleet serve"),
    });
    expect(policy?.ok).toBe(true);
    writeFileSync(join(lonely, "fleet/bundles", other.digest, "files/extensions/guard.ts"), "changed");
    const changed = await diagnose({ HOOKLINE_HOME: lonely });
    expect(changed["policy"]).toMatchObject({ ok: false, message: expect.stringContaining("guard.ts") });
    expect(changed["workers"]).toBeUndefined();
  });

  test("an auditor needs no root, and creds that only its owner can read", async () => {
    const path = join(fleet.place, "auditor-1.creds");
    writeFileSync(path, fleet.text("auditor-1"), { mode: 0o644 });
    const env = { HOOKLINE_FLEET_URL: fleet.url, HOOKLINE_FLEET_CREDS: path };
    const loose = await diagnose(env);
    expect(loose["creds"]).toEqual({
      ok: false,
      message: `other users can read ${path}`,
      remedy: `Run: chmod go= ${path}`,
    });
    chmodSync(path, 0o600);
    expect(await diagnose(env)).toEqual({
      fleet: { ok: true, message: expect.stringContaining("enrolled as auditor") },
      server: { ok: true, message: expect.stringContaining("nats-server") },
    });
  });

  test("tells a fleet that cannot be read", async () => {
    await fleet.creds("laptop-9", "agent");
    const { fleet: found } = await diagnose({
      HOOKLINE_FLEET_URL: fleet.url,
      HOOKLINE_FLEET_CREDS: fleet.text("laptop-9"),
    });
    expect(found).toMatchObject({ ok: false, message: expect.stringContaining("HOOKLINE_FLEET_ROOT is not") });
    const open = await fleet.home("laptop-10", fleet.bundle());
    chmodSync(join(open, "fleet/creds"), 0o666);
    const { fleet: writable } = await diagnose({ HOOKLINE_HOME: open });
    expect(writable).toMatchObject({ ok: false, message: expect.stringContaining("other users can write") });
  });

  test("tells that the server is away, and what waits for it", async () => {
    await fleet.killServer();
    const agent = await deciding(home);
    await agent.call("ls");
    await agent.close();
    const { server, workers, spool } = await diagnose();
    expect(server).toMatchObject({ ok: false, message: expect.stringContaining("cannot be reached") });
    expect(workers).toBeUndefined();
    expect(spool).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^[1-9]\d* batches.* are waiting to be sent/),
    });
  });
});
