import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Elsewhere } from "../../../fleet/src/approval/elsewhere.ts";
import { hasNats, TestFleet } from "../../../fleet/test/support/fleet.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import type { ApprovalLine, ApprovalQuestion } from "../../src/inspect/api.ts";
import type { FleetApprovals } from "../../src/inspect/approvals.ts";
import { approvalsOf, fleetOf } from "../../src/start/fleet.ts";
import { type Followed, followApprovals } from "./follow.ts";
import { type Served, served } from "./served.ts";

const CALL = {
  tool: "bash",
  args: { command: "make release" },
  reason: "sure?",
  hooks: ["pi:/p/guard.ts#tool_call[0]"],
};

describe.skipIf(!hasNats)("the fleet's questions in the inspector", () => {
  let fleet: TestFleet;
  const opened: Elsewhere[] = [];

  beforeAll(async () => {
    fleet = await TestFleet.start();
    await fleet.creds("boss", "approver");
    await fleet.creds("laptop-1", "agent");
  });
  afterAll(async () => {
    for (const one of opened) one.close();
    await fleet.stop();
  });

  /** A machine's home in which no fleet was joined. */
  const home = (): string => join(fleet.place, "home");
  /** What the machine with these creds gives its inspector. */
  const approvalsFor = async (machine: string): Promise<FleetApprovals | undefined> => {
    const env = { HOOKLINE_FLEET_URL: fleet.url, HOOKLINE_FLEET_CREDS: fleet.text(machine) };
    return approvalsOf({ fleet: await fleetOf(home(), env, undefined), hooklineHome: home() }, {});
  };
  const ask = async (signal = new AbortController().signal) => {
    const creds = await fleet.creds("laptop-1", "agent");
    const parts = {
      membership: { creds, url: fleet.url },
      clock: systemClock,
      env: {},
      root: () => fleet.newestRoot,
      everyMs: 50,
    };
    const elsewhere = new Elsewhere(parts);
    opened.push(elsewhere);
    return elsewhere.ask(CALL, signal);
  };
  /** The next question that is at this state. */
  const next = async (stream: Followed<ApprovalLine>, state: ApprovalQuestion["state"]): Promise<ApprovalQuestion> => {
    for (;;) {
      const line = await stream.next();
      if (line.kind === "question" && line.question.state === state) return line.question;
    }
  };
  const post = (server: Served, id: string, body: object) =>
    server.get(`/api/approvals/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("are answered by the approver's key, once, and a second answer is refused", async () => {
    const server = await served([], undefined, await approvalsFor("boss"));
    expect((await server.get("/api/sources")).json.approvals).toEqual({
      state: "here",
      fleet: "acme",
      approver: "boss",
    });
    const stream = followApprovals(server);
    const said = ask();
    const question = await next(stream, "open");
    expect(question).toMatchObject({ ...CALL, machine: "laptop-1", call: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const body = { answer: "deny", reason: "not on a Friday" };
    const both = await Promise.all([post(server, question.id, body), post(server, question.id, body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 200)?.json).toMatchObject({
      taken: true,
      settled: { by: "boss", answer: "deny" },
    });
    expect(await said).toEqual({ approved: false, reason: "not on a Friday", by: "boss" });
    expect((await next(stream, "settled")).settled).toEqual({ by: "boss", answer: "deny" });
    expect((await post(server, question.id, { answer: "allow" })).json.error.code).toBe("over");
    // Nothing that the page is told has a key in it.
    const secret = /SEED|BEGIN|\bSU[A-Z0-9]{20}|eyJ/;
    expect(JSON.stringify([question, both.map(({ text }) => text)])).not.toMatch(secret);
    stream.end();
  });

  test("come back with the server when it was away, and nothing is sent meanwhile", async () => {
    const server = await served([], undefined, await approvalsFor("boss"));
    const stream = followApprovals(server);
    const said = ask();
    const { id } = await next(stream, "open");
    await fleet.killServer();
    for (;;) {
      const line = await stream.next();
      if (line.kind === "desk" && line.away !== undefined) break;
    }
    expect((await post(server, id, { answer: "allow" })).json.error.code).toBe("away");
    await fleet.startServer();
    for (;;) {
      const line = await stream.next();
      if (line.kind === "desk" && line.away === undefined) break;
    }
    await expect.poll(async () => (await post(server, id, { answer: "allow" })).json.taken ?? "over").not.toBe(false);
    expect(await said).toEqual({ approved: true, by: "boss" });
    stream.end();
  });

  test("are not shown where the machine may not answer, which says what to do", async () => {
    expect(approvalsOf({ fleet: await fleetOf(home(), {}, undefined), hooklineHome: home() }, {})).toBeUndefined();
    const agent = await approvalsFor("laptop-1");
    expect(agent).toEqual({
      state: "elsewhere",
      because: expect.stringMatching(/laptop-1 is enrolled as agent; only an approver .*HOOKLINE_FLEET_CREDS/),
    });
    const env = { HOOKLINE_FLEET_URL: fleet.url };
    expect(approvalsOf({ fleet: await fleetOf(home(), env, undefined), hooklineHome: home() }, {})).toEqual({
      state: "elsewhere",
      because: expect.stringMatching(/^The fleet cannot be read: HOOKLINE_FLEET_URL is set.*inspect again\.$/),
    });
  });
});
