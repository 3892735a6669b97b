import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Desk } from "../../packages/fleet/src/approval/desk.ts";
import { type Approval, type ApproverAnswer, writeVerdict } from "../../packages/fleet/src/approval/message.ts";
import { type RemoteAnswer, RemoteApprovers } from "../../packages/fleet/src/approval/remote-approvers.ts";
import { newRoot } from "../../packages/fleet/src/command/root.ts";
import { Authority } from "../../packages/fleet/src/identity/authority.ts";
import { type Bus, busOf } from "../../packages/fleet/src/link/bus.ts";
import { headers } from "../../packages/fleet/src/link/client.ts";
import type { Root } from "../../packages/fleet/src/policy/root.ts";
import { presentIn } from "../../packages/fleet/src/presence/bucket.ts";
import { type Presence, type PresenceRead, writePresence } from "../../packages/fleet/src/presence/presence.ts";
import { type Creds, type Role, readCreds } from "../../packages/fleet/src/sign/creds.ts";
import { TOKEN_HEADER } from "../../packages/fleet/src/wire/question.ts";
import { TestFleet } from "../../packages/fleet/test/support/fleet.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import type { Dice } from "../stage/dice.ts";

/** A time limit longer than any trial, in ms. */
const LONG_MS = 600_000;
export const MACHINES = ["laptop-1", "laptop-2"] as const;
/** People whom a root may name; it always names the boss. */
export const APPROVERS = ["boss", "chief", "clerk"] as const;
/** The people whom each root names, and how many of them must approve. */
const NAMED = [
  { names: ["boss"], threshold: 1 },
  { names: ["boss", "chief"], threshold: 1 },
  { names: ["boss", "chief"], threshold: 2 },
  { names: ["boss", "chief", "clerk"], threshold: 2 },
  { names: ["boss", "chief", "clerk"], threshold: 3 },
] as const;

/** A root with the people whom it names. */
interface Rooted {
  readonly root: Root;
  readonly names: readonly string[];
  /** The number of people who must approve. */
  readonly threshold: number;
}

type Connection = Awaited<ReturnType<TestFleet["connect"]>>;

/** A message with the token of its sender. */
export interface Sent {
  readonly data: Buffer;
  readonly token: string;
}

/** An open question, and what was reported about the answers to it. */
export interface Open extends Pick<Rooted, "names" | "threshold"> {
  readonly asked: Approval;
  readonly said: Promise<RemoteAnswer | undefined>;
  /** Returns how many answers were reported as not counting. */
  refusals(): number;
  /** Returns how many approvals were reported that were not enough yet. */
  approvals(): number;
  /** Lets time pass on the asking machine while its timers stop, as in standby. */
  sleep(ms: number): void;
  /** Ends the question as a person at the machine would. */
  end(): Promise<RemoteAnswer | undefined>;
}

/** A fleet with people who approve, and a server to which an attacker may write anything. */
export class Office implements AsyncDisposable {
  readonly fleet: TestFleet;
  /** Valid answers of earlier trials, with their tokens. */
  readonly old: Sent[] = [];
  readonly #setup: Connection;
  readonly #desk: Desk;
  readonly #bus: Bus;
  readonly #strangers: Authority;
  readonly #folder: string;
  readonly #foreign = new Map<Role, Creds>();
  readonly #roots: readonly Rooted[];

  private constructor(of: {
    fleet: TestFleet;
    roots: readonly Rooted[];
    setup: Connection;
    desk: Desk;
    bus: Bus;
    strangers: Authority;
    folder: string;
  }) {
    this.fleet = of.fleet;
    this.#roots = of.roots;
    this.#setup = of.setup;
    this.#desk = of.desk;
    this.#bus = of.bus;
    this.#strangers = of.strangers;
    this.#folder = of.folder;
  }

  static async open(): Promise<Office> {
    const fleet = await TestFleet.start();
    const boss = await fleet.creds("boss", "approver");
    for (const name of [...APPROVERS, "deputy"]) await fleet.creds(name, "approver");
    const roots = NAMED.map((approvers) => {
      newRoot(fleet.authority, { approvers });
      return { ...approvers, root: fleet.newestRoot };
    });
    const desk = await fleet.desk(boss);
    const { token, key } = await fleet.authority.administrator(24 * 60);
    const setup = await fleet.connect({ ...boss, machine: "setup", token, key });
    const bus = await busOf(await fleet.connect(await fleet.creds("the-auditor", "auditor")));
    const folder = mkdtempSync(join(tmpdir(), "hookline-prove-approvals-"));
    const strangers = await Authority.create(join(folder, "fleet"), "acme");
    return new Office({ fleet, roots, setup, desk, bus, strangers, folder });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns creds from a fleet with the same name and other keys. */
  async foreign(role: Role): Promise<Creds> {
    const known = this.#foreign.get(role) ?? readCreds(await this.#strangers.enroll(`the-${role}`, role));
    this.#foreign.set(role, known);
    return known;
  }

  /** Asks about a random call from a random machine, and waits until the approvers have received the question. */
  async ask(dice: Dice, id: string): Promise<Open> {
    const creds = await this.fleet.creds(dice.pick(MACHINES), "agent");
    const { root, names, threshold } = dice.pick(this.#roots);
    const told: string[] = [];
    const ended = new AbortController();
    let slept = 0;
    const elsewhere = new RemoteApprovers({
      membership: { creds, url: this.fleet.url },
      clock: { ...systemClock, wall: () => systemClock.wall() + slept },
      env: {},
      root: () => root,
      waitMs: LONG_MS,
      everyMs: 100,
      tell: (line) => told.push(line),
    });
    const said = elsewhere
      .ask({ tool: "bash", args: { command: `make ${id}` }, reason: "?" }, ended.signal)
      .finally(() => elsewhere.close());
    const name = told[0]?.split(" ").at(-1) ?? "";
    const asked = await this.#desk.wait(name, () => true, 30_000);
    if (asked === undefined) throw new Error("the approvers did not hear of the question");
    return {
      asked,
      names,
      threshold,
      said,
      refusals: () => told.filter((line) => line.includes("is ignored")).length,
      approvals: () => told.filter((line) => / of \d+ approved: /.test(line)).length,
      sleep: (ms) => {
        slept += ms;
      },
      end: () => {
        ended.abort();
        return said;
      },
    };
  }

  /** Sends an answer to the asking machine's subject, as only a lying server could. */
  async send(to: Approval, data: Uint8Array, token: string): Promise<void> {
    const own = headers();
    own.set(TOKEN_HEADER, token);
    this.#setup.publish(this.fleet.names.approved(to.machine, to.id), data, { headers: own });
    await this.#setup.flush();
  }

  /** Writes data under a machine's name into the bucket of presence. */
  async present(machine: string, data: Uint8Array, token: string): Promise<void> {
    const own = headers();
    own.set(TOKEN_HEADER, token);
    const subject = `$KV.${this.fleet.names.buckets.presence}.${machine}`;
    await this.#setup.request(subject, data, { headers: own, timeout: 5000 });
  }

  /** Reads a machine's presence as an auditor. */
  async presenceOf(machine: string): Promise<PresenceRead | undefined> {
    const auditor = await this.fleet.creds("the-auditor", "auditor");
    for await (const one of presentIn(this.#bus, auditor)) if (one.machine === machine) return one.read;
    return undefined;
  }
}

/** Returns the answer to exactly this question. */
export function verdictOn({ id, machine, call, expires }: Approval, answer: ApproverAnswer["answer"]): ApproverAnswer {
  return { v: 1, id, machine, call, expires, answer };
}

/** Parts from which a trial's false answers are made. */
export interface Forging {
  readonly office: Office;
  readonly dice: Dice;
  /** The right answer to the question. */
  readonly good: ApproverAnswer;
  /** The right answer to another question. */
  readonly other: ApproverAnswer;
}

type Forged = Promise<Sent>;

/** Returns an answer about something else, signed by somebody who may approve. */
const other =
  (change: (about: Forging) => object) =>
  async (about: Forging): Forged => {
    const boss = await about.office.fleet.creds("boss", "approver");
    return { data: writeVerdict({ ...about.good, ...change(about) }, boss), token: boss.token };
  };

/** Answers that must not count, by what is wrong with them. */
export const FORGERIES: Readonly<Record<string, (about: Forging) => Forged>> = {
  "of another role": async ({ office, dice, good }) => {
    const role = dice.pick(["agent", "worker", "publisher", "auditor"] as const);
    const creds = await office.fleet.creds(`the-${role}`, role);
    return { data: writeVerdict(good, creds), token: creds.token };
  },
  "of an approver whom the root does not name": async ({ office, good }) => {
    const creds = await office.fleet.creds("deputy", "approver");
    return { data: writeVerdict(good, creds), token: creds.token };
  },
  "with an approver's token and another key": async ({ office, dice, good }) => {
    const boss = await office.fleet.creds("boss", "approver");
    const creds = await office.fleet.creds(dice.pick([...MACHINES]), "agent");
    return { data: writeVerdict(good, creds), token: boss.token };
  },
  "with another token": async ({ office, dice, good }) => {
    const boss = await office.fleet.creds("boss", "approver");
    const { token } = await office.fleet.creds("laptop-1", "agent");
    return { data: writeVerdict(good, boss), token: dice.pick([token, "", "x.y.z"]) };
  },
  "of another fleet's approver": async ({ office, good }) => {
    const creds = await office.foreign("approver");
    return { data: writeVerdict(good, creds), token: creds.token };
  },
  altered: async ({ office, good }) => {
    const boss = await office.fleet.creds("boss", "approver");
    const [from, to] = good.answer === "allow" ? ["deny", "allow"] : ["allow", "deny"];
    const text = writeVerdict({ ...good, answer: from as ApproverAnswer["answer"] }, boss).toString();
    return { data: Buffer.from(text.replace(`"answer":"${from}"`, `"answer":"${to}"`)), token: boss.token };
  },
  "to another question": async ({ office, other }) => {
    const boss = await office.fleet.creds("boss", "approver");
    return { data: writeVerdict(other, boss), token: boss.token };
  },
  "from an earlier trial": async ({ office, dice, other }) => {
    const boss = await office.fleet.creds("boss", "approver");
    return office.old.length === 0 ? { data: writeVerdict(other, boss), token: boss.token } : dice.pick(office.old);
  },
  "with another id": other(({ dice }) => ({
    id: dice
      .below(2 ** 31)
      .toString(16)
      .padStart(16, "0"),
  })),
  "with another machine": other(({ good }) => ({ machine: MACHINES.find((one) => one !== good.machine) ?? "" })),
  "with another call": other(({ dice, other: { call } }) => ({ call: dice.pick([call, "0".repeat(64)]) })),
  "with another expiry": other(({ good, dice }) => ({ expires: good.expires + dice.pick([1, -1, 3600_000]) })),
  "with a field more": other(({ dice }) => ({ [dice.pick(["sure", "args", "tool"])]: true })),
  "with another answer": other(({ dice }) => ({ answer: dice.pick(["yes", "", true, "ALLOW"]) })),
  "that is no message": async ({ office, dice }) => {
    const { token } = await office.fleet.creds("boss", "approver");
    return { data: Buffer.from(dice.pick(["", "{}", "allow", "null"])), token };
  },
};

/** Returns a machine's announcement of itself. */
export function presence(machine: string, version: number): Presence {
  const bundle = { version, digest: "f".repeat(64), hooks: 1 };
  return { v: 1, machine, hookline: "1.0.0", t: Date.now(), channel: "stable", bundle };
}

/** Announcements that must not be believed, by what is wrong with them. */
export const IMPOSTURES: Readonly<
  Record<string, (about: { readonly office: Office; readonly dice: Dice; readonly said: Presence }) => Forged>
> = {
  "of another machine": async ({ office, said }) => {
    const creds = await office.fleet.creds("laptop-2", "agent");
    return { data: writePresence(said, creds), token: creds.token };
  },
  "of another machine, under its own name": async ({ office, said }) => {
    const creds = await office.fleet.creds("laptop-2", "agent");
    return { data: writePresence({ ...said, machine: "laptop-2" }, creds), token: creds.token };
  },
  "with another machine's key": async ({ office, said }) => {
    const { token } = await office.fleet.creds("laptop-1", "agent");
    return { data: writePresence(said, await office.fleet.creds("laptop-2", "agent")), token };
  },
  "of a role that is never there": async ({ office, dice, said }) => {
    const role = dice.pick(["publisher", "auditor", "approver"] as const);
    const creds = await office.fleet.creds(`the-${role}`, role);
    return { data: writePresence({ ...said, machine: `the-${role}` }, creds), token: creds.token };
  },
  "of another fleet": async ({ office, said }) => {
    const creds = await office.foreign("agent");
    return { data: writePresence(said, creds), token: creds.token };
  },
  altered: async ({ office, dice, said }) => {
    const creds = await office.fleet.creds("laptop-1", "agent");
    const text = writePresence(said, creds).toString();
    const { version } = said.bundle;
    const changed = dice.pick([
      text.replace(`"version":${version}`, `"version":${version + 1}`),
      text.replace(`"t":${said.t}`, `"t":${said.t + 1}`),
    ]);
    return { data: Buffer.from(changed), token: creds.token };
  },
  "with a field that is not its own": async ({ office, dice, said }) => {
    const creds = await office.fleet.creds("laptop-1", "agent");
    const more = { [dice.pick(["session", "cwd", "prompt"])]: "x" };
    return { data: writePresence({ ...said, ...more } as Presence, creds), token: creds.token };
  },
  "that is no message": async ({ office, dice }) => {
    const { token } = await office.fleet.creds("laptop-1", "agent");
    return { data: Buffer.from(dice.pick(["{}", "x", "x".repeat(5000)])), token };
  },
};
