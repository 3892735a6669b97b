import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import type { Desk } from "../../src/approval/desk.ts";
import { RemoteApprovers } from "../../src/approval/remote-approvers.ts";
import { newRoot } from "../../src/command/root.ts";
import { fleetFolder, type Membership, membership } from "../../src/place/joined.ts";
import type { Root } from "../../src/policy/root.ts";
import { type RootChain, withNext, writeRoots } from "../../src/policy/roots.ts";
import { keptRoot } from "../../src/store/trusted.ts";
import { runAs } from "../support/command.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

const CALL = { tool: "bash", args: { command: "make release" } };
/** Longer than any test waits. */
const LONG_MS = 60_000;

describe.skipIf(!hasNats)("approvers whom the root names", () => {
  let fleet: TestFleet;
  const desks = new Map<string, Desk>();
  const opened: RemoteApprovers[] = [];
  /** The chain with only the first root. */
  let chain: RootChain;
  let home: string;

  beforeAll(async () => {
    fleet = await TestFleet.start();
    await fleet.creds("laptop-1", "agent");
    chain = fleet.roots;
    home = await fleet.home("laptop-2", fleet.bundle());
    for (const name of ["anna", "bo", "carl"]) desks.set(name, await fleet.desk(await fleet.creds(name, "approver")));
  });
  afterAll(async () => {
    for (const one of opened) one.close();
    await fleet.stop();
  });

  const desk = (name: string): Desk => desks.get(name) as Desk;
  /** Asks under the newest root, and waits until every approver has heard of it. */
  const ask = async () => {
    const told: string[] = [];
    const elsewhere = new RemoteApprovers({
      membership: { creds: await fleet.creds("laptop-1", "agent"), url: fleet.url },
      clock: systemClock,
      env: {},
      root: () => fleet.newestRoot,
      waitMs: LONG_MS,
      everyMs: 50,
      tell: (line) => told.push(line),
    });
    opened.push(elsewhere);
    const ended = new AbortController();
    const said = elsewhere.ask(CALL, ended.signal);
    const id = told[0]?.split(" ").at(-1) ?? "";
    for (const one of desks.values()) await one.wait(id, () => true, LONG_MS);
    return { said, id, told, end: () => ended.abort() };
  };
  const run = (name: "approvals" | "enroll" | "revoke" | "root", words: readonly string[], flags = {}, who = "anna") =>
    runAs(fleet, who, name, { words, flags });
  const approvers = (names: readonly string[], flags = {}) =>
    run("root", ["approvers", fleet.authority.folder, ...names], flags);

  test("are named by a new root with the same keys, and stay when the keys are new", async () => {
    expect((await approvers([])).out).toContain("every enrolled approver may answer");
    const before = fleet.newestRoot;
    const { out } = await approvers(["anna", "bo"], { threshold: "2" });
    expect(out).toContain("In root 2 of the fleet acme, 2 of these must approve a call: anna, bo");
    expect(fleet.newestRoot.roles).toMatchObject({ root: before.roles.root, policy: before.roles.policy });
    expect(fleet.newestRoot.roles.approvals).toMatchObject({ threshold: 2 });
    newRoot(fleet.authority);
    expect(fleet.newestRoot.roles.policy).not.toEqual(before.roles.policy);
    const shown = JSON.parse((await approvers([], { json: true })).out);
    expect(shown).toEqual({ v: 1, fleet: "acme", version: 3, approvers: ["anna", "bo"], threshold: 2 });
    await expect(approvers(["laptop-1"])).rejects.toThrow(/laptop-1 is enrolled as agent in acme/);
    await expect(approvers(["nobody"])).rejects.toThrow(/nobody is not enrolled in acme/);
    await expect(approvers(["anna", "anna"], { threshold: "2" })).rejects.toThrow(/from 1 to 1/);
    await expect(approvers([], { threshold: "1" })).rejects.toThrow(/needs the names/);
    await expect(approvers(["anna"], { any: true })).rejects.toThrow(/leave out the names/);
    expect(fleet.newestRoot.version).toBe(3);
  });

  test("must be as many as it says, each once; who is not named does not count", async () => {
    await approvers(["anna", "bo"], { threshold: "2" });
    const { said, id, told } = await ask();
    let isSettled = false;
    void said.then(() => {
      isSettled = true;
    });
    expect((await run("approvals", [], {}, "carl")).out).toContain("0 of 2 approved\n");
    expect(await desk("carl").answer(id, { answer: "allow" }, 1)).toEqual({ state: "unconfirmed" });
    await expect.poll(() => told.join()).toContain("is ignored: the root does not name its key");
    const first = await run("approvals", ["approve", id]);
    expect(first).toMatchObject({
      code: 0,
      out: expect.stringContaining("laptop-1 has the answer: 1 of 2 approved: anna"),
    });
    const again = JSON.parse((await run("approvals", ["approve", id], { json: true })).out);
    expect(again).toMatchObject({ taken: true, settled: null, approvals: { wanted: 2, by: ["anna"] } });
    expect(await desk("anna").wait(id, ({ approvals }) => approvals?.by.length === 1, LONG_MS)).toBeDefined();
    expect(await desk("anna").answer(id, { answer: "allow" }, LONG_MS)).toMatchObject({ state: "counted" });
    expect(isSettled).toBe(false);
    const settled = { by: "bo", answer: "allow" };
    expect(await desk("bo").answer(id, { answer: "allow" }, LONG_MS)).toEqual({ state: "taken", settled });
    expect(await said).toEqual({ approved: true, by: "anna, bo" });
    expect(told).toContain("1 of 2 approved: anna");
    expect(await desk("anna").wait(id, (one) => one.settled !== undefined, LONG_MS)).toMatchObject({ settled });
    expect(await desk("anna").answer(id, { answer: "allow" }, LONG_MS)).toEqual({ state: "taken", settled });
  });

  test("refuse with one no, after an approval too, and by whoever has approved before", async () => {
    await approvers(["anna", "bo", "carl"], { threshold: "3" });
    for (const who of ["bo", "anna"]) {
      const { said, id } = await ask();
      expect(await desk("anna").answer(id, { answer: "allow" }, LONG_MS)).toMatchObject({ state: "counted" });
      expect(await desk(who).answer(id, { answer: "deny", reason: "no" }, LONG_MS)).toMatchObject({ state: "taken" });
      expect(await said).toEqual({ approved: false, reason: "no", by: who });
    }
  });

  test("are all enrolled ones again with --any, of whom one is enough", async () => {
    await approvers(["anna"]);
    const named = await ask();
    expect(await desk("carl").answer(named.id, { answer: "allow" }, 1)).toEqual({ state: "unconfirmed" });
    expect(await desk("anna").answer(named.id, { answer: "allow" }, LONG_MS)).toMatchObject({ state: "taken" });
    expect(await named.said).toEqual({ approved: true, by: "anna" });
    expect((await approvers([], { any: true })).out).toContain("every enrolled approver may answer");
    const anybody = await ask();
    expect(await desk("carl").answer(anybody.id, { answer: "allow" }, LONG_MS)).toMatchObject({ state: "taken" });
    expect(await anybody.said).toEqual({ approved: true, by: "carl" });
  });

  test("are read from the machine's own files; without them, or under a root that has expired, nobody is asked", async () => {
    const member = membership(home, {}) as Membership;
    expect(keptRoot(member)).toMatchObject({ version: 1, roles: { approvals: { keyids: [] } } });
    const path = join(fleetFolder(home), "root.json");
    writeRoots(path, withNext(chain, readFileSync(join(fleet.authority.folder, "policy/2/root.json"))));
    expect(keptRoot(member).roles.approvals).toMatchObject({ threshold: 2 });
    // An older one that somebody puts there is not taken.
    writeRoots(path, chain);
    expect(() => keptRoot(member)).toThrow(/version 1, and 2 was seen/);
    rmSync(path);
    const asked = (root: () => Root) => {
      const told: string[] = [];
      const tell = (line: string) => told.push(line);
      const elsewhere = new RemoteApprovers({ membership: member, clock: systemClock, env: {}, root, tell });
      opened.push(elsewhere);
      return { said: elsewhere.ask(CALL, new AbortController().signal), told };
    };
    const without = asked(() => keptRoot(member));
    expect([await without.said, without.told]).toEqual([undefined, [expect.stringMatching(/root\.json is missing/)]]);
    await approvers(["anna"]);
    const late = asked(() => ({ ...fleet.newestRoot, expires: Date.now() - 1 }));
    expect([await late.said, late.told]).toEqual([undefined, [expect.stringContaining("has expired")]]);
  });

  test("are told of when they are revoked, as long as the root names them", async () => {
    const { folder } = fleet.authority;
    // The commands read the folder for themselves.
    const enroll = (name: string) => run("enroll", [name], { role: "approver", dir: folder });
    const revoke = async (name: string) => (await run("revoke", [name], { dir: folder })).out;
    for (const name of ["dora", "emil"]) await enroll(name);
    await approvers(["dora", "anna"]);
    const still = `names its key. Name the approvers of a new root: hookline fleet root approvers ${folder}`;
    expect(await revoke("emil")).not.toContain(still);
    expect(await revoke("dora")).toContain(`Root ${fleet.newestRoot.version} still ${still}`);
    expect((await approvers([])).out).toContain("a revoked one");
  });
});
