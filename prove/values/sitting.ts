import type { Outcome } from "@hookline/runtime";
import type { Dialect, Lane, LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../../conformance/case.ts";
import { fromData, toData } from "../../conformance/data.ts";
import { sceneOf } from "../../conformance/scene.ts";
import { type Opened, openStaged } from "../stage/functions.ts";
import { type Answer, Unread } from "./answers.ts";

/** A row of a dialect, with a moment at which its hooks are asked. */
export interface Seat {
  readonly dialect: Dialect;
  readonly lane: Lane;
  readonly row: LaneRow;
  readonly moment: Case;
  /** Names of the fields that an answer may have. */
  readonly names: readonly string[];
  /** A valid answer. */
  readonly base: Readonly<Record<string, unknown>>;
}

const ODD = "/odd";
const LIMIT_MS = 20_000;

/** Matches a report's words for the type of a value. */
const TYPES = /\b(?:a|an) (?:list|object|string|number|boolean|bigint|symbol|function)\b|\b(?:null|nothing)\b/;

/** Matches a refusal in another program's own words, which says what is required and not what was given. */
const ITS_WORDS = /^.*Invalid user_bash handler result: /;

/** A session with a hook that gives awkward answers, between two others that only listen. */
export class Sitting {
  readonly #seat: Seat;
  readonly #stage: Opened;
  readonly #turn: { next: () => unknown; heard: number };

  private constructor(seat: Seat, stage: Opened, turn: { next: () => unknown; heard: number }) {
    this.#seat = seat;
    this.#stage = stage;
    this.#turn = turn;
  }

  static async open(seat: Seat): Promise<Sitting> {
    const { dialect, lane, row, moment } = seat;
    const turn = { next: (): unknown => undefined, heard: 0 };
    const at = { lane: lane.id, event: row.name };
    const stage = await openStaged(
      [dialect],
      [
        { ...at, path: "/first", run: () => undefined },
        { ...at, path: ODD, run: () => turn.next() },
        { ...at, path: "/third", run: () => void (turn.heard += 1) },
      ],
      { scene: sceneOf(moment) },
    );
    return new Sitting(seat, stage, turn);
  }

  /** Returns what is wrong with the outcome of an answer. */
  async problemWith(answer: Answer): Promise<string | undefined> {
    const problem = await this.#told(answer).catch((thrown: unknown) => `it threw ${String(thrown).slice(0, 200)}`);
    const { lane, row } = this.#seat;
    return problem && `${lane.id} ${row.name}, ${answer.field ?? "the answer"} is ${answer.name}: ${problem}`;
  }

  async #told({ field, make }: Answer): Promise<string | undefined> {
    const { row } = this.#seat;
    let given: unknown;
    let unread: unknown;
    this.#turn.next = () => {
      try {
        return (given = make());
      } catch (thrown) {
        unread = thrown;
        throw thrown;
      }
    };
    const metrics = this.#metrics();
    const before = { ...metrics };
    const payload = fromData(this.#seat.moment.payload);
    const shown = JSON.stringify(toData(payload));
    const { heard } = this.#turn;
    const outcome = await this.#emit(payload);
    if (typeof outcome === "string") return outcome;
    const told = outcome.diagnostics;
    if (metrics.runs === before.runs) return "the hook was not asked";
    if (JSON.stringify(toData(payload)) !== shown) return "the host's own payload was changed";
    const lost = flaw(outcome.answer);
    if (lost !== undefined && row.kind !== "observe") return `the host was given what it cannot store: ${lost}`;
    if (metrics.failed === before.failed) return undefined;
    if (metrics.ok !== before.ok) return "it counts as failed and as one that went well";
    const own = told.find(({ code, hook }) => hook?.includes(ODD) && /^HOOK_(BAD_ANSWER|THREW)$/.test(code));
    if (own === undefined) return `nobody was told: ${told.map(({ code }) => code).join(", ")}`;
    if (!own.message.includes(ODD) || !own.message.includes(row.name))
      return `hook or event is missing: ${own.message}`;
    if (!(unread instanceof Unread) && !ITS_WORDS.test(own.message)) {
      // A field alone may be valid, and the refusal is about another, missing field.
      const { names, base } = this.#seat;
      const isWhole =
        field === undefined || Object.keys(base).every((name) => Object.hasOwn(Object(given) as object, name));
      const meant = isWhole ? [field ?? ""] : names;
      if (!meant.some((name) => own.message.includes(name))) return `the field is missing: ${own.message}`;
      // A text that is not one of the allowed words still has the right type.
      const isText = field !== undefined && typeof (given as Record<string, unknown>)[field] === "string";
      if (!isText && !TYPES.test(own.message)) return `the type is missing: ${own.message}`;
    }
    const isClosed = told.some(({ code }) => code === "FAILED_CLOSED" || code === "REWRITE_REFUSED");
    const mayEnd = isClosed || Object.keys(outcome.answer).length > 0;
    return this.#turn.heard > heard || mayEnd ? undefined : "those behind it were not asked";
  }

  /** Throws if the hooks of this row are no longer asked after all the answers. */
  async rest(): Promise<void> {
    this.#turn.next = () => undefined;
    const { heard } = this.#turn;
    await this.#emit(fromData(this.#seat.moment.payload));
    if (this.#turn.heard === heard) throw new Error(`${this.#seat.row.name}: the other hooks are not asked any more`);
  }

  #metrics() {
    const found = this.#stage.session.hooks().find(({ hook }) => hook.source.path === ODD);
    if (found === undefined) throw new Error("the hook is gone");
    return found.hook.metrics;
  }

  async #emit(payload: unknown): Promise<Outcome | string> {
    const abort = new AbortController();
    let late: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<string>((resolve) => {
      late = setTimeout(() => resolve(`no end within ${LIMIT_MS / 1000} s`), LIMIT_MS);
    });
    const emitted = this.#stage.session.emit(this.#seat.moment.event as never, payload as never, {
      signal: abort.signal,
    });
    const outcome = await Promise.race([emitted, limit]);
    clearTimeout(late);
    abort.abort();
    return outcome;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#stage[Symbol.asyncDispose]();
  }
}

/** Returns why the host could not serialize a value. */
function flaw(value: unknown): string | undefined {
  try {
    JSON.stringify(value);
    return undefined;
  } catch (thrown) {
    return String(thrown).slice(0, 100);
  }
}
