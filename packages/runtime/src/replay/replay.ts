import { dirname } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { catalog } from "../catalog/catalog.ts";
import type { Message } from "../catalog/message.ts";
import type { CatalogRow } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane } from "../hook/lane.ts";
import type { LlmTransport } from "../port/llm.ts";
import { compare, type MomentClass, type NotJudged } from "./compare.ts";
import { NOTHING, type SideAnswer, saidOf } from "./decision.ts";
import type { ReadServices } from "./inert.ts";
import type { Branch, BranchEntry, Moment } from "./moment.ts";
import type { Baseline, JudgedMoment, ReplayResult, SideResult, SourceResult } from "./result.ts";
import { type OpenSide, ReplaySide, type SideContext } from "./side.ts";
import type { RecognisedSource } from "./source/index.ts";
import { count, resultOf, Tally } from "./tally.ts";

/** Matches words that may precede the program's name in a command, such as `A=1` and `sudo`. */
const ASIDE = /^(?:\w+=\S*|sudo|env|time|nohup|exec|command)$/;
const PATHS = ["path", "file_path", "filePath"] as const;
/** A signal that is never aborted, for events with a signal in their payload. */
const never = new AbortController().signal;
const SIGNAL = "abort signal";
const known = new WeakMap<CatalogRow, readonly string[]>();

/** A moment with the answers of baseline (`before`) and candidate (`after`), and their comparison. */
export interface Judgement {
  readonly judged: JudgedMoment;
  readonly moment: Moment;
  readonly row: CatalogRow;
  readonly before: SideAnswer;
  readonly after: SideAnswer;
}

/** Options for a replay. */
export interface ReplayOptions {
  /** The files to replay. `id` names a source in the result. Default: `s1` for the first one, and so on. */
  readonly sources: readonly (RecognisedSource & { readonly id?: string })[];
  /** The lanes of the runtime whose hooks are asked. */
  readonly lanes: readonly Lane[];
  /** Opens a session with the hooks to try. */
  readonly candidate: OpenSide;
  /** Opens a session with the hooks of the baseline `current`. Default: the same hooks as in `candidate`. */
  readonly current?: OpenSide;
  /**
   * The baseline that the candidate is compared with. Default: `recorded`. For a source without recorded decisions that
   * means the hooks of `current` if given, else `none`.
   */
  readonly baseline?: Baseline;
  /** The working folder of the hooks. */
  readonly cwd: string;
  /**
   * Returns whether a moment is compared and counted. Hooks are asked about every other moment too, to keep their
   * state. Default: all are.
   */
  wanted?(moment: Moment): boolean;
  /** Further events for which hooks that are programs are started. For events that can refuse they always are. */
  readonly startedFor?: readonly string[];
  /** Returns whether a program is started for all its events, also those that it only observes. Default: none is. */
  isObserver?(hook: Hook): boolean;
  /** The candidate counts as slower if it takes more than this many times as long. Default: it never does. */
  readonly slower?: number;
  /** The number of source files that are read at the same time. Default 1. */
  readonly jobs?: number;
  /** Answers hooks that ask a model. Default: they get no answer. */
  readonly llm?: LlmTransport;
  /** The host's services that hooks may still use. */
  readonly services?: ReadServices;
  /** Returns the session's store at a branch, which hooks get as `ctx.sessionManager`. */
  storeOf?(branch: Branch): object;
  /** Returns the messages that the recorded agent sends a model for these entries. Default: those in the entries. */
  messagesOf?(entries: readonly BranchEntry[]): readonly Message[];
  /** Called with every compared moment, in the order of its source. */
  onJudged?(judgement: Judgement): void;
  /** Called with the progress from time to time. */
  onProgress?(progress: { readonly moments: number; readonly bytes: number }): void;
  /** Ends the replay early; the result is then partial. */
  readonly signal?: AbortSignal;
}

/** The number of moments after which the event loop gets a turn. */
const AT_ONCE = 256;

/** Asks hooks about the moments in source files, and compares their answers with a baseline. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const progress = { moments: 0, bytes: 0 };
  const runs = options.sources.map((source, at) => new SourceRun(source, source.id ?? `s${at + 1}`, options, progress));
  const waiting = [...runs];
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined && options.signal?.aborted !== true; run = waiting.shift())
      await run.run();
  };
  await Promise.all(Array.from({ length: Math.max(1, options.jobs ?? 1) }, work));
  return resultOf(runs, options.signal?.aborted === true);
}

class SourceRun {
  readonly about: Pick<SourceResult, "id" | "path" | "kind" | "machine" | "baseline">;
  readonly tally = new Tally();
  readonly #source: RecognisedSource;
  readonly #options: ReplayOptions;
  readonly #progress: { moments: number; bytes: number };
  #candidate: ReplaySide | undefined;
  #current: ReplaySide | undefined;
  #isOpen = false;

  constructor(
    source: RecognisedSource,
    id: string,
    options: ReplayOptions,
    progress: { moments: number; bytes: number },
  ) {
    const unrecorded = options.current === undefined ? "none" : "current";
    const { path, name = path, kind, machine, decided } = source;
    const { baseline: wanted = "recorded" } = options;
    const baseline = wanted === "recorded" && !decided ? unrecorded : wanted;
    this.about = { id, path: name, kind, ...(machine !== undefined && { machine }), baseline };
    this.#source = source;
    this.#options = options;
    this.#progress = progress;
  }

  async run(): Promise<void> {
    try {
      await this.#open();
      await this.#read();
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    await Promise.all([this.#candidate?.close(), this.#current?.close()]);
    this.#isOpen = false;
  }

  /** Loads the hooks of baseline and candidate; if that fails, every moment is counted as `not-loadable`. */
  async #open(): Promise<void> {
    const { candidate, current = candidate } = this.#options;
    try {
      this.#candidate = await ReplaySide.open(
        candidate,
        this.#context((kind) => count(this.tally.effects, kind)),
        catalog,
      );
      if (this.about.baseline === "current")
        this.#current = await ReplaySide.open(
          current,
          this.#context(() => {}),
          catalog,
        );
      this.#isOpen = true;
    } catch {
      // `#isOpen` stays false, so every moment is counted as `not-loadable`; the replay itself does not fail.
    }
  }

  #context(effect: (kind: string) => void): SideContext {
    const { cwd, lanes, startedFor = [], isObserver, llm, services = {}, storeOf, signal } = this.#options;
    return {
      sessionId: this.#source.session === "" ? this.about.id : this.#source.session,
      cwd,
      lanes,
      startedFor: new Set(startedFor),
      isObserver: isObserver ?? (() => false),
      read: services,
      llm,
      ...(storeOf !== undefined && { storeOf }),
      effect,
      signal,
    };
  }

  async #read(): Promise<void> {
    const { signal, messagesOf } = this.#options;
    const before = this.#progress.bytes;
    const moments = this.#source.reader.moments({
      path: this.#source.path,
      skip: (reason) => count(this.tally.skipped, reason),
      passed: (bytes) => (this.#progress.bytes = before + bytes),
      ...(messagesOf !== undefined && { messagesOf }),
    });
    let [isBegun, isEnded, turn] = [false, false, 0];
    for await (const moment of moments) {
      if (signal?.aborted === true) return;
      if (!isBegun && moment.event !== "") {
        isBegun = true;
        if (moment.event !== "session.start" && this.#isOpen)
          await this.#makeUp("session.start", { reason: "startup" }, moment);
      } else if (isFreshStart(moment, isEnded)) {
        await this.#close();
        await this.#open();
      }
      // A line that cannot be read does not tell whether the session has ended.
      if (moment.event !== "") isEnded = moment.event === "session.end";
      const row = this.#rowOf(moment);
      if (row !== undefined) await this.#judge(row, moment);
      if (++turn % AT_ONCE === 0) {
        this.#options.onProgress?.(this.#progress);
        await breathe();
      }
    }
    if (isBegun && !isEnded && this.#isOpen)
      await this.#makeUp("session.end", { reason: "quit" }, { line: 0, t: this.tally.to, scene: {} });
    this.#options.onProgress?.(this.#progress);
  }

  /** Asks hooks about a session's start or end that is missing in the source. */
  async #makeUp(event: string, payload: object, near: Pick<Moment, "line" | "t" | "scene" | "branch">): Promise<void> {
    const row = catalog.get(event) as CatalogRow;
    this.tally.madeUp.push(event);
    const moment: Moment = { ...near, event, payload: payload as Moment["payload"] };
    await Promise.allSettled([this.#candidate, this.#current].map(async (side) => side?.ask(row, moment)));
  }

  /** Returns the row of a moment's event; `undefined` if hooks cannot be asked about it, which is then counted. */
  #rowOf(moment: Moment): CatalogRow | undefined {
    const row = catalog.get(moment.event);
    const reason = moment.notAsked ?? (row === undefined ? "no-such-event" : this.#isOpen ? undefined : "not-loadable");
    if (reason === undefined) return row;
    if (moment.event !== "" && !this.#isWanted(moment)) return undefined;
    this.#count(moment);
    this.tally.left(reason);
    return undefined;
  }

  #isWanted(moment: Moment): boolean {
    return this.#options.wanted?.(moment) ?? true;
  }

  #count(moment: Moment): void {
    this.#progress.moments += 1;
    this.tally.moment(moment);
    for (const run of moment.recorded?.shadow ?? []) this.tally.inShadow(run, this.#nameOf(moment));
  }

  #nameOf({ line, part }: Moment): string {
    return `${this.about.id}:${part === undefined ? line : `${line}.${part}`}`;
  }

  /** Asks the hooks of baseline and candidate about one moment, one after the other. */
  async #judge(row: CatalogRow, moment: Moment): Promise<void> {
    const isWanted = this.#isWanted(moment);
    const shown = withSignals(row, moment);
    let after: SideAnswer | undefined;
    let before: SideAnswer | undefined;
    try {
      after = moment.payload && (await this.#candidate?.ask(row, shown));
      before = after && (await this.#current?.ask(row, shown));
    } catch {
      after = undefined;
    }
    if (after !== undefined) this.#settle(row, shown, before, after, isWanted);
    else if (isWanted) {
      this.#count(moment);
      this.#leave(row, moment, "no-payload");
    }
  }

  #settle(row: CatalogRow, moment: Moment, asked: SideAnswer | undefined, after: SideAnswer, isWanted: boolean): void {
    // Answers after the replay was aborted do not count.
    if (!isWanted || this.#options.signal?.aborted === true) return;
    this.#count(moment);
    const before = asked ?? this.#recorded(row, moment);
    if (this.#candidate?.missedModel === true || this.#current?.missedModel === true) {
      this.#leave(row, moment, "no-model", { before, after });
      return;
    }
    const { slower } = this.#options;
    const verdict = compare(row, moment.payload ?? {}, { before, after, slower });
    const why = verdict.class === "same" ? undefined : this.#unclear(row, moment, before);
    if (why !== undefined) {
      this.#leave(row, moment, why, { before, after });
      return;
    }
    this.tally.judged(verdict.class);
    if (verdict.class === "same" && this.#options.onJudged === undefined) return;
    this.#tell(row, moment, verdict, { before, after });
  }

  /** Returns why a difference at this moment is not evidence about the hooks; `undefined` if it is. */
  #unclear(row: CatalogRow, moment: Moment, before: SideAnswer): NotJudged | undefined {
    const { recorded } = moment;
    if (recorded === undefined) return undefined;
    if (isPartial(row, moment)) return "no-payload";
    if (recorded.redacted.length > 0) return "redacted";
    if (this.about.baseline !== "recorded") return undefined;
    const silent = this.#candidate?.unstarted;
    return before.hooks.some(({ hook, status }) => status !== "no-answer" && silent?.has(hook))
      ? "not-started"
      : undefined;
  }

  #recorded(row: CatalogRow, { recorded }: Moment): SideAnswer {
    if (this.about.baseline !== "recorded" || recorded === undefined) return NOTHING;
    return saidOf(row, recorded.answer, recorded);
  }

  #leave(
    row: CatalogRow,
    moment: Moment,
    why: NotJudged,
    sides?: { readonly before: SideAnswer; readonly after: SideAnswer },
  ): void {
    this.tally.unjudged(why);
    const { onJudged } = this.#options;
    if (onJudged === undefined) return;
    const { before, after } = sides ?? { before: this.#recorded(row, moment), after: NOTHING };
    const judged: JudgedMoment = {
      ...this.#exampleOf(row, moment, before, after),
      event: row.name,
      class: "notJudged",
      why,
    };
    onJudged({ judged, moment, row, before, after });
  }

  #tell(
    row: CatalogRow,
    moment: Moment,
    verdict: MomentClass,
    sides: { readonly before: SideAnswer; readonly after: SideAnswer },
  ): void {
    const { before, after } = sides;
    const { class: name, hook } = verdict;
    const { onJudged } = this.#options;
    const example = () => this.#exampleOf(row, moment, before, after);
    if (name !== "same") this.tally.group({ hook: hook ?? "-", class: name, shape: shapeOf(moment) }, example);
    if (onJudged === undefined) return;
    const judged: JudgedMoment = { ...example(), event: row.name, class: name, ...(hook !== undefined && { hook }) };
    onJudged({ judged, moment, row, before, after });
  }

  #exampleOf(
    row: CatalogRow,
    moment: Moment,
    before: SideAnswer,
    after: SideAnswer,
  ): Omit<JudgedMoment, "event" | "class"> {
    const { line, t } = moment;
    const person = moment.recorded?.asked?.answer;
    return {
      moment: this.#nameOf(moment),
      source: this.about.path,
      line,
      t,
      before: { ...sideOf(row, moment, before), ...(person !== undefined && { person }) },
      after: sideOf(row, moment, after),
    };
  }
}

/**
 * Returns whether the host loaded its hooks anew for this session start: because a new process resumed the session, or
 * because the session had ended before.
 */
function isFreshStart({ event, payload }: Moment, isEnded: boolean): boolean {
  return event === "session.start" && (isEnded || payload?.["reason"] === "startup");
}

/** Returns an answer as results show it. For a guarded event it includes the judged value, changed or not. */
function sideOf(row: CatalogRow, { payload }: Moment, { decision, reason, handed }: SideAnswer): SideResult {
  const field = row.guard?.judges;
  const judged = field === undefined ? undefined : (handed[field] ?? payload?.[field]);
  const { decision: _, reason: __, ...rest } = handed;
  const shown = field === undefined && Object.keys(rest).length > 0 ? rest : judged;
  return { decision, ...(reason !== undefined && { reason }), ...(shown !== undefined && { args: shown }) };
}

/**
 * Returns the key by which calls are grouped: the tool with the first word of its command or the folder of its path;
 * else the event.
 */
function shapeOf({ event, payload }: Pick<Moment, "event" | "payload">): string {
  const tool = payload?.["tool"];
  if (typeof tool !== "string") return event;
  const args = (payload?.["args"] ?? {}) as Readonly<Record<string, unknown>>;
  const { command } = args;
  if (typeof command === "string") return `${tool} ${programOf(command)}`.trim();
  const path = PATHS.map((name) => args[name]).find((value) => typeof value === "string");
  return path === undefined ? tool : `${tool} ${dirname(path as string)}/`;
}

function programOf(command: string): string {
  const words = command.slice(0, 1000).split(/[\s;|&()<>]+/);
  return (words.find((word) => word !== "" && !ASIDE.test(word)) ?? "").slice(0, 60);
}

interface Entry {
  readonly wrapped?: Entry;
  readonly pipe?: readonly Entry[];
  readonly title?: string;
}

/** Returns the moment with a signal in each field of its payload that must contain one. */
function withSignals(row: CatalogRow, moment: Moment): Moment {
  const signals = signalsOf(row);
  if (signals.length === 0) return moment;
  return { ...moment, payload: { ...moment.payload, ...Object.fromEntries(signals.map((name) => [name, never])) } };
}

/** Returns whether the recording lacks a part of the payload that cannot be restored; only abort signals can. */
function isPartial(row: CatalogRow, { recorded }: Moment): boolean {
  const { partial = [] } = recorded ?? {};
  return partial.length > 0 && partial.some((path) => !signalsOf(row).some((name) => path === `payload.${name}`));
}

/** Returns the fields of an event that are abort signals, which no file can contain. */
function signalsOf(row: CatalogRow): readonly string[] {
  const before = known.get(row);
  if (before !== undefined) return before;
  const { entries = {} } = row.payload() as { readonly entries?: Readonly<Record<string, Entry>> };
  const parts = ({ wrapped, pipe = [] }: Entry): readonly Entry[] => (wrapped === undefined ? pipe : parts(wrapped));
  const isSignal = (entry: Entry): boolean => parts(entry).some(({ title }) => title === SIGNAL);
  const signals = Object.keys(entries).filter((name) => isSignal(entries[name] as Entry));
  known.set(row, signals);
  return signals;
}
