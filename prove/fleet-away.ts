import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callHash } from "@hookline/runtime/session";
import { enrolledKeys } from "../packages/fleet/src/audit/keys.ts";
import { storedIn } from "../packages/fleet/src/audit/read.ts";
import { Verifier } from "../packages/fleet/src/audit/verify.ts";
import { busOf } from "../packages/fleet/src/link/bus.ts";
import type { Bundle } from "../packages/fleet/src/policy/bundle.ts";
import { type Deciding, deciding } from "../packages/fleet/test/support/deciding.ts";
import { hasNats, RULE, TestFleet } from "../packages/fleet/test/support/fleet.ts";
import { notedIn, notingGuard } from "../packages/fleet/test/support/noting.ts";
import type { Claim } from "./claim.ts";
import type { Dice } from "./stage/dice.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { schedules } from "./stage/schedules.ts";

const FULL = 200;
const QUICK = 10;
/** The time that a fleet that is back may take until it judges again and has all decisions, in ms. */
const PATIENCE_MS = 60_000;
/** Short time limits for the agent. */
const LIMITS = { follows: true, connectMs: 100, deadlineMs: 400 } as const;

const LOCAL = { file: "extensions/local.ts", where: "agent" } as const;
const HERE = `export default (pi) =>
  pi.on("tool_call", ({ input }) => {
    if (/^rm /.test(input.command)) return { block: true, reason: "removing is for people" };
  });
`;
/** The reason of a refusal without the fleet: the fleet's name, the hook and the cause. */
const MISSED = /^fleet acme could not ask extensions\/guard\.ts: \S/;

/** A fleet with one worker, whose server goes away and comes back. */
class Stage implements AsyncDisposable {
  readonly fleet: TestFleet;
  readonly bundle: Bundle;
  readonly #notes: string;

  private constructor(fleet: TestFleet) {
    this.fleet = fleet;
    this.#notes = join(fleet.place, "judged");
    writeFileSync(this.#notes, "");
    this.bundle = fleet.bundle([RULE, LOCAL], { [RULE.file]: notingGuard(this.#notes), [LOCAL.file]: HERE });
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await TestFleet.start());
    await stage.fleet.worker("worker-1", stage.bundle);
    return stage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.stop();
  }

  async serve(): Promise<void> {
    if (this.fleet.server === undefined) await this.fleet.startServer();
  }

  /** Whether a worker has allowed this command. */
  hasJudged(command: string): boolean {
    return notedIn(this.#notes).has(command);
  }

  /** Returns the machine's calls in the stream, or what is wrong with the stream. */
  async arrived(machine: string): Promise<readonly string[] | string> {
    const auditor = await this.fleet.creds("the-auditor", "auditor");
    const connection = await this.fleet.connect(auditor);
    try {
      const verifier = new Verifier("acme", enrolledKeys(auditor));
      const found: string[] = [];
      for await (const stored of storedIn(await busOf(connection), "acme", { machine }))
        for (const [, call = ""] of `${verifier.take(stored)?.content}`.matchAll(/"call":"([0-9a-f]{64})"/g))
          found.push(call);
      const [fault] = verifier.faults;
      if (fault !== undefined) return `the stream is not as it was signed: ${fault.message}`;
      return new Set(found).size === found.length ? found : "a decision is in the stream twice";
    } finally {
      await connection.close();
    }
  }
}

/** A machine that works while its fleet goes away and comes back. */
class Machine {
  readonly #stage: Stage;
  readonly #name: string;
  readonly #home: string;
  #agent: Promise<Deciding> | undefined;
  #count = 0;
  readonly #decided = new Set<string>();
  readonly #lost: string[] = [];
  /** The reason of the last refusal for which no worker could be asked. */
  #missed = "";
  /** Number of calls that a worker has judged, and of those that were refused because none could be asked. */
  readonly counts = { judged: 0, refused: 0 };

  constructor(stage: Stage, name: string, home: string) {
    this.#stage = stage;
    this.#name = name;
    this.#home = home;
  }

  /** The possible events, by name. */
  readonly steps: Readonly<Record<string, (dice: Dice) => Promise<string | undefined>>> = {
    "the server is killed": async () => void (await this.#stage.fleet.killServer()),
    "the server is killed in a turn": async (dice) => {
      const calls = Promise.all(["ls", `sleep ${dice.below(200)}`, "git push"].map((verb) => this.#ask(verb, false)));
      await sleep(dice.below(30));
      await this.#stage.fleet.killServer();
      return (await calls).find((problem) => problem !== undefined);
    },
    "the server is back": async () => void (await this.#stage.serve()),
    "the agent starts again": async () => void (await this.close()),
  };

  /** Lets the agent work for a turn; returns what it did wrong. */
  async work(): Promise<string | undefined> {
    const isAway = this.#stage.fleet.server === undefined;
    const agent = await this.#running();
    const { answer } = await agent.session.emit("prompt.before", { text: "go on" });
    if (Object.keys(answer).length > 0) return `a prompt that no guard covers came to ${JSON.stringify(answer)}`;
    const here = await this.#call(`rm ${++this.#count}`);
    if (here !== "removing is for people") return `the guard in the agent said ${here}`;
    return (await this.#ask("ls", isAway)) ?? (await this.#ask("git push", isAway));
  }

  /** Waits until calls of the running agent are judged again, then until the stream has all its decisions. */
  async recover(): Promise<string | undefined> {
    const until = performance.now() + PATIENCE_MS;
    await this.#stage.serve();
    for (let judged = 0; judged < 2; await sleep(20)) {
      if (performance.now() > until) return `calls are not judged after the fleet is back: ${this.#missed}`;
      const before = this.counts.judged;
      const problem = (await this.#ask("ls", false)) ?? (await this.#ask("git push", false));
      if (problem !== undefined) return problem;
      judged = this.counts.judged - before;
    }
    await this.close();
    if (this.#lost.length > 0) return `decisions were lost: ${this.#lost[0]}`;
    for (;;) {
      const found = await this.#stage.arrived(this.#name);
      if (typeof found === "string") return found;
      const missing = [...this.#decided].filter((call) => !found.includes(call));
      if (missing.length === 0) return undefined;
      if (performance.now() > until) return `${missing.length} of ${this.#decided.size} decisions did not arrive`;
      // The next agent sends the decisions that this one has left.
      await this.work();
      await this.close();
    }
  }

  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = undefined;
    await agent?.close();
    this.#lost.push(...(agent?.lost ?? []));
  }

  #running(): Promise<Deciding> {
    this.#agent ??= deciding(this.#home, {}, LIMITS);
    return this.#agent;
  }

  async #call(command: string): Promise<string | undefined> {
    const reason = await (await this.#running()).call(command);
    this.#decided.add(callHash({ tool: "bash", args: { command } }) ?? "");
    return reason;
  }

  /** Makes a call that a closed remote guard covers; `isAway` if no worker can receive it. */
  async #ask(verb: string, isAway: boolean): Promise<string | undefined> {
    const command = `${verb} ${this.#name}-${++this.#count}`;
    const reason = await this.#call(command);
    if (MISSED.test(reason ?? "")) {
      this.#missed = reason ?? "";
      this.counts.refused += 1;
      return undefined;
    }
    this.counts.judged += 1;
    if (isAway) return `"${command}" was not refused for want of the fleet: ${reason}`;
    if (verb === "git push") return reason === "pushing is for people" ? undefined : `"${command}" ran: ${reason}`;
    if (reason !== undefined) return `"${command}" was refused without the fleet, the hook and the cause: ${reason}`;
    return this.#stage.hasJudged(command) ? undefined : `"${command}" ran unjudged`;
  }
}

/** Runs one schedule. In half of them the server is away from the start, in the others later. */
async function play(stage: Stage, dice: Dice, seed: number, total: Machine["counts"]): Promise<string | undefined> {
  await stage.serve();
  const name = `m-${seed}`;
  const machine = new Machine(stage, name, await stage.fleet.home(name, stage.bundle));
  const names = Object.keys(machine.steps);
  const away = dice.pick(names.slice(0, 2));
  const rest = Array.from({ length: 2 + dice.below(3) }, () => dice.pick(names));
  const order = dice.chance(0.5) ? [names[0] as string, ...rest] : [...rest, away];
  const isFromTheStart = order[0] === names[0];
  try {
    let problem = isFromTheStart ? undefined : await machine.work();
    for (const step of order) problem ??= (await machine.steps[step]?.(dice)) ?? (await machine.work());
    problem ??= await machine.recover();
    return problem && `${problem} (${order.join("; ")})`;
  } finally {
    await machine.close();
    total.judged += machine.counts.judged;
    total.refused += machine.counts.refused;
  }
}

const away: Experiment = {
  id: "a fleet that goes away and comes back",
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using stage = await Stage.open();
    const total = { judged: 0, refused: 0 };
    await schedules(tally, full ? FULL : QUICK, (dice, seed) => play(stage, dice, seed, total));
    tally.figure(`${total.judged} calls judged by a worker, ${total.refused} refused because none could be asked`);
  },
};

export const claim: Claim = {
  name: "fleet-away",
  says: "the agent works, says what is missing and loses no decision, with the fleet away from the start, in the middle, and back",
  run: (size) => findingOf([away], size),
};
