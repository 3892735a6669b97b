import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callHash } from "@hookline/runtime/session";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { Desk } from "../../src/approval/desk.ts";
import { type Approval, readVerdict, writeApproval } from "../../src/approval/message.ts";
import { Authority } from "../../src/identity/authority.ts";
import type { Link } from "../../src/link/link.ts";
import { namesOf } from "../../src/name/subjects.ts";
import { type Creds, readCreds } from "../../src/sign/creds.ts";

/** Longer than any test waits. */
const LONG_MS = 60_000;

let folder: string;
let boss: Creds;
const machines = new Map<string, Creds>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-desk-"));
  const authority = await Authority.create(join(folder, "fleet"), "acme");
  boss = readCreds(await authority.enroll("boss", "approver"));
  for (const name of ["laptop-1", "laptop-2"]) machines.set(name, readCreds(await authority.enroll(name, "agent")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A desk on a connection that a test holds in its hands. */
function opened() {
  let wall = systemClock.wall();
  const published: { readonly subject: string; readonly data: Uint8Array; readonly token: string }[] = [];
  let callback: (error: null, message: object) => void = () => {};
  const connection = {
    subscribe: (_: string, options: { callback: typeof callback }) => (callback = options.callback),
    publish: (subject: string, data: Uint8Array, { headers }: { headers: { get(name: string): string } }) =>
      published.push({ subject, data, token: headers.get("Hookline-Token") }),
    flush: async () => {},
  };
  const link = {
    connection: connection as unknown as Link["connection"],
    problem: undefined as string | undefined,
    serve: (listen: (connection: never) => void) => listen(connection as never),
  };
  const desk = new Desk(link, boss, { ...systemClock, wall: () => wall });
  let count = 0;
  /** A question of a machine. */
  const question = (more: Partial<Approval> = {}): Approval => {
    const [tool, args] = ["bash", { command: "make release" }];
    const id = (++count).toString(16).padStart(16, "0");
    const call = callHash({ tool, args }) ?? "";
    return { v: 1, id, machine: "laptop-1", tool, args, call, expires: wall + 120_000 + count, ...more };
  };
  /** The machine says it, or with `by` another one does. */
  const say = (said: Approval, by = said.machine, subject = namesOf("acme").approval(said.machine, said.id)): void => {
    const creds = machines.get(by) as Creds;
    callback(null, { data: writeApproval(said, creds), subject, headers: { get: () => creds.token } });
  };
  const states = () => desk.all().map(({ asked: { id }, state }) => [id, state]);
  return { desk, link, published, question, say, states, pass: (ms: number) => (wall += ms) };
}

test("questions stand in the order of their age, and are over when they are settled or their time is", () => {
  const { desk, question, say, states, pass } = opened();
  const [first, second, third] = [question(), question(), question()];
  for (const one of [second, third, first]) say(one);
  expect(desk.open()).toEqual([first, second, third]);
  say({ ...second, settled: { by: "(here)" } });
  pass(120_001);
  expect(states()).toEqual([
    [first.id, "expired"],
    [second.id, "settled"],
    [third.id, "open"],
  ]);
});

test("what somebody has read stays as it is, and what is over stays over, whatever a machine says later", async () => {
  const { desk, question, say, published } = opened();
  const asked = question();
  say(asked);
  const args = { command: "rm -rf /" };
  say({ ...asked, args, call: callHash({ tool: "bash", args }) ?? "" });
  say({ ...asked, args });
  say({ ...asked, expires: asked.expires + 1 });
  say({ ...asked, machine: "laptop-2" });
  // Another machine cannot say it for this one, nor elsewhere.
  say({ ...asked, settled: { by: "boss", answer: "allow" } }, "laptop-2");
  say({ ...asked, settled: { by: "boss", answer: "allow" } }, "laptop-1", "hookline.acme.approval.laptop-2.x");
  expect(desk.open()).toEqual([asked]);
  const settled = { by: "(nobody)" } as const;
  say({ ...asked, settled });
  say(asked);
  say({ ...asked, settled: { by: "boss", answer: "allow" } });
  expect(desk.all()).toMatchObject([{ asked: { ...asked, settled }, state: "settled" }]);
  expect(await desk.answer(asked.id, { answer: "allow" })).toEqual({ state: "other", settled });
  expect(published).toEqual([]);
});

test("one answer is sent, signed for exactly this question, however often it is given", async () => {
  const { desk, question, say, states, published } = opened();
  const asked = question();
  say(asked);
  const answers = [
    desk.answer(asked.id, { answer: "allow", reason: "fine" }, LONG_MS),
    desk.answer(asked.id, { answer: "allow", reason: "fine" }, LONG_MS),
    desk.answer(asked.id, { answer: "deny" }, LONG_MS),
  ];
  expect(states()).toEqual([[asked.id, "sent"]]);
  expect(await Promise.all(answers.slice(1))).toEqual([{ state: "busy" }, { state: "busy" }]);
  await expect.poll(() => published.length).toBe(1);
  const [{ subject, data, token } = { subject: "", data: new Uint8Array(), token: "" }] = published;
  expect(subject).toBe(namesOf("acme").approved("laptop-1", asked.id));
  const read = readVerdict(data, token, boss, asked);
  expect(read).toMatchObject({ ok: true, by: "boss", said: { answer: "allow", reason: "fine", call: asked.call } });
  const settled = { by: "boss", answer: "allow" } as const;
  say({ ...asked, settled });
  expect(await answers[0]).toEqual({ state: "taken", settled });
  expect(await desk.answer(asked.id, { answer: "deny" })).toEqual({ state: "other", settled });
  expect(published).toHaveLength(1);
});

test("an answer that the machine says nothing about is sent again when it asks on, and may be given otherwise", async () => {
  const { desk, question, say, states, published, pass } = opened();
  const asked = question();
  const sent = () =>
    published.map(({ data, token }) => {
      const read = readVerdict(data, token, boss, asked);
      return read.ok ? [read.said.answer, read.said.reason] : read.problem;
    });
  say(asked);
  say(asked);
  expect(await desk.answer(asked.id, { answer: "allow", reason: "fine" }, 1)).toEqual({ state: "unconfirmed" });
  expect(states()).toEqual([[asked.id, "open"]]);
  say(asked);
  // Another question, even under the same id, gets nothing.
  const args = { command: "rm -rf /" };
  say({ ...asked, args, call: callHash({ tool: "bash", args }) ?? "" });
  say({ ...asked, expires: asked.expires + 1 });
  say({ ...asked, machine: "laptop-2" });
  say(question());
  await expect.poll(sent).toEqual([
    ["allow", "fine"],
    ["allow", "fine"],
  ]);
  const changed = desk.answer(asked.id, { answer: "deny" }, LONG_MS);
  say(asked);
  await expect.poll(sent).toEqual([
    ["allow", "fine"],
    ["allow", "fine"],
    ["deny", undefined],
    ["deny", undefined],
  ]);
  const settled = { by: "boss", answer: "deny" } as const;
  say({ ...asked, settled });
  expect(await changed).toEqual({ state: "taken", settled });
  say(asked);
  // A question that is over gets no answer, whether it was answered elsewhere or its time has passed.
  const others = [question(), question()] as const;
  for (const other of others) {
    say(other);
    expect(await desk.answer(other.id, { answer: "allow" }, 1)).toEqual({ state: "unconfirmed" });
  }
  say({ ...others[0], settled: { by: "(here)" } });
  say(others[0]);
  pass(LONG_MS * 10);
  say(others[1]);
  const last = question();
  say(last);
  const answered = desk.answer(last.id, { answer: "allow" }, LONG_MS);
  say({ ...last, settled: { by: "boss", answer: "allow" } });
  expect(await answered).toMatchObject({ state: "taken" });
  await expect.poll(() => published.at(-1)?.subject).toBe(namesOf("acme").approved("laptop-1", last.id));
  expect(published.map(({ subject }) => subject.split(".").at(-1))).toEqual([
    ...Array.from({ length: 4 }, () => asked.id),
    ...others.map(({ id }) => id),
    last.id,
  ]);
});

test("nothing is sent about what is unknown or over, with too long a reason, or while the fleet is away", async () => {
  const { desk, link, question, say, published, pass } = opened();
  const asked = question();
  say(asked);
  expect(await desk.answer("0".repeat(16), { answer: "allow" })).toEqual({ state: "unknown" });
  await expect(desk.answer(asked.id, { answer: "deny", reason: "x".repeat(2001) })).rejects.toThrow(/2000 characters/);
  const { connection } = link;
  link.connection = undefined;
  link.problem = "the connection was lost";
  expect(desk.away).toBe("the connection was lost");
  expect(await desk.answer(asked.id, { answer: "allow" })).toEqual({
    state: "away",
    problem: "the connection was lost",
  });
  link.connection = connection;
  expect(desk.away).toBeUndefined();
  pass(LONG_MS * 10);
  expect(await desk.answer(asked.id, { answer: "allow" })).toEqual({ state: "expired" });
  expect(published).toEqual([]);
});

test("a machine that asks without end takes no room from others, and what is over makes room", () => {
  const { desk, question, say } = opened();
  const flood = Array.from({ length: 30 }, () => question());
  for (const one of flood) say(one);
  expect(desk.open()).toHaveLength(20);
  expect(desk.isFull).toBe(true);
  const other = question({ machine: "laptop-2" });
  say(other);
  expect(desk.open()).toContainEqual(other);
  say({ ...(flood[0] as Approval), settled: { by: "(here)" } });
  // Machines repeat what they ask.
  say(flood[25] as Approval);
  const ids = desk.all().map(({ asked: { id } }) => id);
  expect(ids).not.toContain(flood[0]?.id);
  expect(ids).toContain(flood[25]?.id);
  expect(desk.open()).toHaveLength(21);
});
