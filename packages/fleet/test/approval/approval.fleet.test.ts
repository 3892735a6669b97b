import { headers, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import type { Desk } from "../../src/approval/desk.ts";
import { type Approval, type ApproverAnswer, writeVerdict } from "../../src/approval/message.ts";
import { RemoteApprovers, type RemoteApproversParts } from "../../src/approval/remote-approvers.ts";
import type { Creds } from "../../src/sign/creds.ts";
import { TOKEN_HEADER } from "../../src/wire/question.ts";
import { runAs } from "../support/command.ts";
import { Door } from "../support/door.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

const CALL = { tool: "bash", args: { command: "make release" }, reason: "releases are for people" };
/** Longer than any test waits. */
const LONG_MS = 60_000;

describe.skipIf(!hasNats)("an approval from elsewhere", () => {
  let fleet: TestFleet;
  let desk: Desk;
  let approver: Creds;
  let setup: NatsConnection;
  const opened: RemoteApprovers[] = [];

  beforeAll(async () => {
    fleet = await TestFleet.start();
    for (const name of ["laptop-1", "laptop-2"]) await fleet.creds(name, "agent");
    approver = await fleet.creds("boss", "approver");
    desk = await fleet.desk(approver);
    const { token, key } = await fleet.authority.administrator();
    setup = await fleet.connect({ ...approver, machine: "setup", token, key });
  });
  afterAll(async () => {
    for (const one of opened) one.close();
    await fleet.stop();
  });

  /** Asks, and waits until the approver has heard of it. */
  const ask = async (
    parts: Partial<RemoteApproversParts> = {},
    { machine = "laptop-1", signal = new AbortController().signal } = {},
  ) => {
    const told: string[] = [];
    const elsewhere = new RemoteApprovers({
      membership: { creds: await fleet.creds(machine, "agent"), url: fleet.url },
      clock: systemClock,
      env: {},
      root: () => fleet.newestRoot,
      waitMs: LONG_MS,
      everyMs: 50,
      tell: (line) => told.push(line),
      ...parts,
    });
    opened.push(elsewhere);
    const said = elsewhere.ask(CALL, signal);
    const id = told[0]?.split(" ").at(-1) ?? "";
    const asked = (await desk.wait(id, () => true, LONG_MS)) as Approval;
    return { said, asked, told };
  };
  /** Sends what only a server that lies could put there. */
  const send = async (asked: Approval, data: Uint8Array, token: string): Promise<void> => {
    const own = headers();
    own.set(TOKEN_HEADER, token);
    setup.publish(fleet.names.approved(asked.machine, asked.id), data, { headers: own });
    await setup.flush();
  };
  const verdictOn = ({ id, machine, call, expires }: Approval): ApproverAnswer => ({
    v: 1,
    id,
    machine,
    call,
    expires,
    answer: "allow",
  });

  test("approves the call, and the machine says whose answer it took", async () => {
    const { said, asked } = await ask();
    expect(asked).toMatchObject({ ...CALL, machine: "laptop-1", call: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await desk.answer(asked.id, { answer: "allow" }, LONG_MS)).toEqual({
      state: "taken",
      settled: { by: "boss", answer: "allow" },
    });
    expect(await said).toEqual({ approved: true, by: "boss" });
    const settled = await desk.wait(asked.id, (one) => one.settled !== undefined, LONG_MS);
    expect(settled?.settled).toEqual({ by: "boss", answer: "allow" });
    expect(desk.open()).toEqual([]);
  });

  test("denies it with a reason, in which nothing can act on a terminal", async () => {
    const { said, asked } = await ask();
    await desk.answer(asked.id, { answer: "deny", reason: "not on a \u001b[2JFriday" });
    const { approved, reason } = (await said) ?? {};
    expect(approved).toBe(false);
    expect(reason).toContain("Friday");
    expect(reason).not.toContain("\u001b");
  });

  test("that comes too late, or after the person at the machine has decided, does not count", async () => {
    // Its time is over once the approver has heard of it, however slow this machine is.
    let runOut = (): void => {};
    const clock: Clock = {
      ...systemClock,
      timer(ms, fire) {
        if (ms !== LONG_MS - 1) return systemClock.timer(ms, fire);
        runOut = fire;
        return { cancel() {}, hold() {} };
      },
    };
    const late = await ask({ waitMs: LONG_MS - 1, clock });
    runOut();
    expect(await late.said).toBeUndefined();
    const over = await desk.wait(late.asked.id, (one) => one.settled !== undefined, LONG_MS);
    expect(over?.settled).toEqual({ by: "(nobody)" });
    const ended = new AbortController();
    const here = await ask({}, { signal: ended.signal });
    ended.abort();
    expect(await here.said).toBeUndefined();
    const before = await desk.wait(here.asked.id, (one) => one.settled !== undefined, LONG_MS);
    expect(before?.settled).toEqual({ by: "(here)" });
  });

  test("does not count when it is altered, foreign, replayed, of another role, or late", async () => {
    const { said: first, asked: old } = await ask();
    await desk.answer(old.id, { answer: "allow" });
    await first;
    const { said, asked, told } = await ask();
    const good = verdictOn(asked);
    const agent = await fleet.creds("laptop-1", "agent");
    const auditor = await fleet.creds("auditor-1", "auditor");
    const wrong: readonly (readonly [data: Buffer, token: string])[] = [
      [writeVerdict(good, agent), agent.token],
      [writeVerdict(good, auditor), auditor.token],
      [writeVerdict(good, agent), approver.token],
      [writeVerdict(good, approver), agent.token],
      [writeVerdict(good, approver), ""],
      [
        Buffer.from(
          writeVerdict({ ...good, answer: "deny" }, approver)
            .toString()
            .replace("deny", "allow"),
        ),
        approver.token,
      ],
      [writeVerdict(verdictOn(old), approver), approver.token],
      [writeVerdict({ ...good, id: old.id }, approver), approver.token],
      [writeVerdict({ ...good, machine: "laptop-2" }, approver), approver.token],
      [writeVerdict({ ...good, call: "0".repeat(64) }, approver), approver.token],
      [writeVerdict({ ...good, expires: good.expires + 1 }, approver), approver.token],
      [writeVerdict({ ...good, sure: true } as never, approver), approver.token],
      [Buffer.from("{}"), approver.token],
      [Buffer.alloc(0), approver.token],
    ];
    for (const [data, token] of wrong) await send(asked, data, token);
    await expect.poll(() => told.filter((line) => line.includes("is ignored")).length).toBe(wrong.length);
    // The question is still open, and the right answer counts.
    await desk.answer(asked.id, { answer: "deny" });
    expect(await said).toMatchObject({ approved: false, by: "boss" });
    // A machine that slept: its timers stood still, and the time is over.
    let slept = 0;
    const clock = { ...systemClock, wall: () => systemClock.wall() + slept };
    const ended = new AbortController();
    const sleeper = await ask({ clock }, { signal: ended.signal });
    slept = LONG_MS + 1000;
    const late = desk.answer(sleeper.asked.id, { answer: "allow" });
    await expect.poll(() => sleeper.told.at(-1)).toContain("it came too late");
    ended.abort();
    expect(await sleeper.said).toBeUndefined();
    expect((await late).state).not.toBe("taken");
  });

  test("waits for a server that is away, and keys of providers stay on the machine", async () => {
    const { said, asked } = await ask({ env: { OPENAI_API_KEY: "make release" } });
    expect(JSON.stringify(asked)).not.toContain("make release");
    await fleet.killServer();
    await expect.poll(() => desk.away).toBe("the connection was lost");
    expect((await desk.answer(asked.id, { answer: "allow" })).state).toBe("away");
    await fleet.startServer();
    await expect.poll(() => desk.away, { timeout: LONG_MS }).toBeUndefined();
    expect((await desk.answer(asked.id, { answer: "allow" }, LONG_MS)).state).toBe("taken");
    expect(await said).toEqual({ approved: true, by: "boss" });
  });

  test("that was given while the machine was away reaches it when it asks again", async () => {
    const door = await Door.to(fleet.port);
    try {
      const { said, asked } = await ask({
        membership: { creds: await fleet.creds("laptop-1", "agent"), url: door.url },
      });
      door.shut();
      expect(await desk.answer(asked.id, { answer: "allow", reason: "go" }, 1)).toEqual({ state: "unconfirmed" });
      expect(desk.open()).toEqual([asked]);
      door.open();
      expect(await said).toEqual({ approved: true, reason: "go", by: "boss" });
      const settled = { by: "boss", answer: "allow" };
      expect((await desk.wait(asked.id, (one) => one.settled !== undefined, LONG_MS))?.settled).toEqual(settled);
      expect(await desk.answer(asked.id, { answer: "deny" })).toEqual({ state: "other", settled });
    } finally {
      await door.close();
    }
  });

  test("is given by command, and only by an approver", async () => {
    await fleet.creds("laptop-2", "agent");
    const run = async (name: string, words: readonly string[], flags: Record<string, string> = {}) => {
      const root = "0".repeat(64);
      const { code, out } = await runAs(fleet, name, "approvals", { words, flags: { ...flags, json: true }, root });
      return { code, said: JSON.parse(out) };
    };
    const { said, asked } = await ask();
    expect((await run("boss", [])).said.approvals).toMatchObject([{ id: asked.id, tool: "bash", args: CALL.args }]);
    await expect(run("laptop-2", ["approve", asked.id])).rejects.toThrow(/only an approver/);
    expect(await run("boss", ["deny", asked.id], { reason: "no" })).toMatchObject({
      code: 0,
      said: { v: 1, id: asked.id, machine: "laptop-1", answer: "deny", taken: true },
    });
    expect(await said).toEqual({ approved: false, reason: "no", by: "boss" });
    await expect(run("boss", ["approve", asked.id])).rejects.toThrow(/there is no open question/);
    await expect(run("boss", ["allow"])).rejects.toThrow(/choose list, approve or deny/);
  });
});
