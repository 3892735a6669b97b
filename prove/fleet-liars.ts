import { WORKERS } from "../packages/fleet/src/name/subjects.ts";
import type { Question } from "../packages/fleet/src/wire/question.ts";
import { hasNats, RULE, TestFleet } from "../packages/fleet/test/support/fleet.ts";
import type { Claim } from "./claim.ts";
import { answerTo, EVENTS, lieAbout, SPOILS, someOf } from "./fleet-liars/lies.ts";
import type { Dice } from "./stage/dice.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { schedules } from "./stage/schedules.ts";

const FULL = 1000;
const QUICK = 60;

/** A fleet whose only worker gives the answers of a trial. */
class Den implements AsyncDisposable {
  readonly #fleet: TestFleet;
  #said: (question: Question) => unknown = () => undefined;
  /** Answers of earlier trials. */
  readonly #before: object[] = [];
  /** Number of answers that changed something, and of those that must not count. */
  readonly counts = { effective: 0, refused: 0 };

  private constructor(fleet: TestFleet) {
    this.#fleet = fleet;
  }

  static async open(): Promise<Den> {
    const den = new Den(await TestFleet.start());
    const connection = await den.#fleet.connect(await den.#fleet.creds("liar", "worker"));
    connection.subscribe(den.#fleet.names.ask("*", "*"), {
      queue: WORKERS,
      callback: (_, message) => {
        const said = den.#said(message.json() as Question);
        message.respond(typeof said === "string" ? said : JSON.stringify(said));
      },
    });
    await connection.flush();
    return den;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#fleet.stop();
  }

  /** Sends a random answer about one event; returns which of its effects were not allowed. */
  async trial(dice: Dice, seed: number): Promise<string | undefined> {
    const event = dice.pick(Object.keys(EVENTS));
    const may = someOf(dice);
    const lie = lieAbout(event, dice);
    // Each kind of invalid answer in turn, and equally many valid answers.
    const spoils = Object.keys(SPOILS);
    const spoil = spoils[seed % (2 * spoils.length)];
    const values = Object.fromEntries(Object.entries(lie).map(([name, { value }]) => [name, value]));
    this.#said = (question) => {
      const said = answerTo(question, values, dice);
      const spoilt = spoil === undefined ? said : SPOILS[spoil]?.(said, { dice, before: this.#before.at(-1) });
      this.#before.push(said);
      return spoilt;
    };
    const agent = await this.#fleet.agent("laptop-1", this.#fleet.bundle([{ ...RULE, events: [event], may }]));
    const isForbidden = dice.chance(0.3);
    if (isForbidden)
      agent.session.on("tool.before", function forbid() {
        return { decision: "deny", reason: "this machine's own guard" };
      });
    const { answer } = await agent.session.emit(event as "tool.before", EVENTS[event]?.payload as never);
    await agent.close();
    const outcome = answer as Readonly<Record<string, unknown>>;
    const what = `${event}, may ${may.join(" ") || "nothing"}, ${spoil ?? "an answer"} ${JSON.stringify(values)}`;
    const no = (problem: string): string => `${what}: ${problem}: ${JSON.stringify(outcome).slice(0, 300)}`;
    if (event === "tool.before" && isForbidden && outcome["decision"] !== "deny") return no("a denial was lifted");
    if (spoil !== undefined) {
      this.counts.refused += 1;
      if (JSON.stringify(outcome).includes("LIE ")) return no("a part of it counts");
      return refusal(event, outcome) ? undefined : no("the event was not refused");
    }
    // A denied call has no other effects to compare.
    const isDenied = outcome["decision"] === "deny";
    for (const [name, { value, does }] of Object.entries(lie)) {
      const isIn = holds(outcome[name], value);
      const isOwn = name === "decision" && isForbidden;
      if (isIn && !isOwn && (value === "allow" || !may.includes(does))) return no(`${name} counts`);
      if (!isIn && !isDenied && value !== "allow" && may.includes(does)) return no(`${name} does not count`);
      if (isIn) this.counts.effective += 1;
    }
    return undefined;
  }
}

/** Whether an event's outcome says that the event could not be judged. */
function refusal(event: string, outcome: Readonly<Record<string, unknown>>): boolean {
  const said = {
    "tool.before": outcome["decision"] === "deny",
    "tool.after": JSON.stringify(outcome["content"] ?? "").includes("withheld"),
    "prompt.before": outcome["stop"] === true,
    "agent.spawn": outcome["cancel"] === true,
  };
  return said[event as keyof typeof said];
}

/** Whether a field of an outcome has this value, alone or in a list. */
function holds(found: unknown, value: unknown): boolean {
  const text = JSON.stringify(value);
  return JSON.stringify(found) === text || (Array.isArray(found) && found.some((one) => JSON.stringify(one) === text));
}

const lies: Experiment = {
  id: "answers of a worker that lies",
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using den = await Den.open();
    await schedules(tally, full ? FULL : QUICK, (dice, seed) => den.trial(dice, seed));
    const { effective, refused } = den.counts;
    tally.figure(`${effective} fields had an effect that the manifest lists, ${refused} answers were none`);
    if (full && (effective === 0 || refused === 0)) tally.trial("no lie was ever told");
  },
};

export const claim: Claim = {
  name: "fleet-liars",
  says: "a worker of a fleet that lies can refuse, and do nothing else that the manifest does not list",
  run: (size) => findingOf([lies], size),
};
