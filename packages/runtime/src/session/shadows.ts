import { AsyncLocalStorage } from "node:async_hooks";
import type { Diagnostic } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { Instance } from "../hook/instance.ts";
import type { Plan, Scene, Station } from "../hook/lane.ts";
import { cloneShell } from "../lens/clone.ts";
import type { Accept, DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import type { HookRun, Outcome } from "../run/outcome.ts";
import { type Would, wouldOf } from "../run/would.ts";
import { DIALOG } from "./inert.ts";

/** The maximum number of waiting asks in a session; more are dropped and counted. */
export const MOST_WAITING = 256;
/** The time limit of an ask in shadow in milliseconds, because nothing else would end it. */
const LONGEST_MS = 60_000;
/** The time in milliseconds that the end of a session waits for pending asks. */
const GRACE_MS = 2000;

/** One hook that is asked about one moment. */
interface Ask {
  readonly plan: Plan;
  readonly station: Station;
  readonly hook: Hook;
  readonly payload: object;
  readonly asked: AskedWith;
}

/** The scene of a moment and the function that corrects a changed call. Also serves as the moment's identity. */
export interface AskedWith {
  readonly scene: Scene;
  readonly accept: Accept | undefined;
}

/** The abort reason when the session ends or an instance is released; such an ask is not counted as a failure. */
const ENDED = new DOMException("the session ended", "AbortError");

interface Running {
  readonly hook: Hook;
  readonly abort: AbortController;
  asksPerson: boolean;
}

/** The ask in shadow to which the current code belongs. */
const current = new AsyncLocalStorage<Running>();

/** The result of one hook in shadow at one moment. */
export interface ToldInShadow {
  readonly event: string;
  readonly outcome: Outcome;
  readonly asked: AskedWith;
  readonly would: Would | undefined;
  /** False if the session ended, or the hook's instance was released, before the hook could answer. */
  readonly isAnswer: boolean;
}

/** The context and the listener that asking hooks in shadow needs. */
export interface ShadowParts {
  readonly context: DispatchContext;
  /** Called with the result of each asked hook; none of it has an effect. */
  answered(told: ToldInShadow): void;
}

/**
 * Asks the hooks in shadow, each alone, about moments that have been decided. Nothing waits for them; their answers are
 * counted and reported, and change nothing. The hooks of one instance, such as a file, are asked one after the other;
 * those of different instances do not wait for each other.
 */
export class Shadows {
  readonly #parts: ShadowParts;
  readonly #waiting: Ask[] = [];
  readonly #running = new Map<Instance, Running>();
  #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(parts: ShadowParts) {
    this.#parts = parts;
  }

  /** Asks all hooks of a plan, once the current code has ended. */
  queue(plan: Plan, payload: object, asked: AskedWith): void {
    let shown: object | undefined;
    for (const station of plan.stations) {
      for (const hook of station.hooks) {
        if (this.#isClosed || this.#waiting.length >= MOST_WAITING) hook.metrics.inShadow.dropped += 1;
        else {
          // The host may change the payload afterwards, so a copy is kept.
          shown ??= copied(payload);
          this.#waiting.push({ plan, station, hook, payload: shown, asked });
        }
      }
    }
    if (shown !== undefined) setImmediate(() => this.#next());
  }

  /** Resolves when no ask is running or waiting. */
  settled(): Promise<void> {
    if (this.#waiting.length === 0 && this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Removes the asks of an instance: running ones end, waiting ones are dropped. */
  release(instance: Instance): void {
    this.#drop((ask) => ask.hook.instance === instance);
    this.#running.get(instance)?.abort.abort(ENDED);
  }

  /** Waits for the asks for a short time, then drops those that have not started and ends the others. */
  async close(): Promise<void> {
    const { clock } = this.#parts.context;
    await new Promise<void>((resolve) => {
      const timer = clock.timer(GRACE_MS, resolve);
      timer.hold(true);
      void this.settled().then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.#isClosed = true;
    this.#drop(() => true);
    for (const { abort } of this.#running.values()) abort.abort(ENDED);
    await this.settled();
  }

  #drop(isMeant: (ask: Ask) => boolean): void {
    for (const ask of this.#waiting.splice(0))
      if (isMeant(ask)) ask.hook.metrics.inShadow.dropped += 1;
      else this.#waiting.push(ask);
    this.#tellIdle();
  }

  /** Starts the first waiting ask of each instance that has none running. */
  #next(): void {
    const isFree = ({ hook }: Ask): boolean => !this.#running.has(hook.instance);
    for (let at = this.#waiting.findIndex(isFree); at >= 0; at = this.#waiting.findIndex(isFree))
      for (const ask of this.#waiting.splice(at, 1)) void this.#ask(ask);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#waiting.length > 0 || this.#running.size > 0) return;
    for (const idle of this.#idle.splice(0)) idle();
  }

  async #ask({ plan, station, hook, payload, asked }: Ask): Promise<void> {
    const { context, answered } = this.#parts;
    const { instance } = hook;
    const running: Running = { hook, abort: new AbortController(), asksPerson: false };
    this.#running.set(instance, running);
    const timer = context.clock.timer(LONGEST_MS, () => running.abort.abort());
    try {
      const alone: Plan = { row: plan.row, stations: [{ ...station, hooks: [askedOnce(hook)] }] };
      const outcome = await askAlone(alone, payload, {
        context: { ...context, scene: asked.scene },
        accept: asked.accept,
        running,
      });
      const would = count(plan, outcome, running);
      const isAnswer = running.abort.signal.reason !== ENDED;
      answered({ event: plan.row.name, outcome: told(outcome), asked, would, isAnswer });
    } finally {
      timer.cancel();
      this.#running.delete(instance);
      setImmediate(() => this.#next());
    }
  }
}

/** Asks one hook in shadow alone; its answer has no effect. */
export async function askInShadow(plan: Plan, payload: object, context: DispatchContext): Promise<Outcome> {
  const [hook] = plan.stations.flatMap(({ hooks }) => hooks) as [Hook];
  const running = { hook, abort: new AbortController(), asksPerson: false };
  return told(await askAlone(plan, payload, { context, accept: undefined, running }));
}

async function askAlone(
  plan: Plan,
  payload: object,
  { context, accept, running }: { context: DispatchContext; accept: Accept | undefined; running: Running },
): Promise<Outcome> {
  const { metrics } = running.hook;
  const { blocked, edits, failedOpen, skipped, runs } = metrics;
  // An answer without effect is not a decision, so it is not reported to telemetry.
  const { watched: _, ...unwatched } = context;
  const own = { ...unwatched, trace: true, report: inShadow(context) };
  try {
    return await current.run(running, () => dispatch(plan, payload, own, running.abort.signal, accept));
  } finally {
    // A hook in shadow has no effects, so the counters of effects are restored. So is `skipped` if the hook ran,
    // because then only `askedOnce` has raised it.
    Object.assign(metrics, { blocked, edits, failedOpen, ...(metrics.runs > runs && { skipped }) });
  }
}

/** Counts an effect that shadow prevented, for the running hook or else for the file's first hook. */
export function countInert(kind: string, ofFile: () => Hook | undefined): void {
  const running = current.getStore();
  if (running !== undefined && kind === DIALOG) running.asksPerson = true;
  const hook = running?.hook ?? ofFile();
  if (hook === undefined) return;
  const { effects } = hook.metrics.inShadow;
  effects[kind] = (effects[kind] ?? 0) + 1;
}

/** Returns whether the current code belongs to a hook in shadow. */
export function runsInShadow(): boolean {
  return current.getStore() !== undefined;
}

/** Counts the hook's answer; returns the effect that it would have had. */
function count({ row }: Plan, { hooks, answer }: Outcome, { hook, abort, asksPerson }: Running): Would | undefined {
  const run = hooks.find((one) => one.hook === hook.id);
  if (run === undefined || run.status === "skipped" || run.status === "not-reached") return undefined;
  const counts = hook.metrics.inShadow;
  if (abort.signal.reason === ENDED) {
    counts.dropped += 1;
    return undefined;
  }
  counts.asked += 1;
  if (run.status === "failed" || run.status === "timed-out") counts.failed += 1;
  if (abort.signal.aborted) return undefined;
  const would = asksPerson ? "ask" : wouldOf(row, answer);
  if (would === "deny") counts.wouldDeny += 1;
  else if (would === "ask") counts.wouldAsk += 1;
  else if (would === "edit") counts.wouldEdit += 1;
  return would;
}

/**
 * Returns the hook with a matcher that matches only the first time. If the hook changes the call, it would otherwise be
 * asked again about its own change.
 */
function askedOnce(hook: Hook): Hook {
  let isAsked = false;
  const match = (event: never): boolean => {
    if (isAsked) return false;
    isAsked = true;
    return hook.match?.(event) ?? true;
  };
  return { ...hook, match };
}

/** Returns the outcome to report: each answer marked as in shadow, and no effects. */
function told(outcome: Outcome): Outcome {
  const hooks = outcome.hooks
    .filter(({ status, pass }) => status !== "not-reached" && pass === 1)
    .map((run): HookRun => ({ ...run, pass: 1, shadow: true }));
  const diagnostics = outcome.diagnostics.filter(({ code }) => !CONSEQUENCES.has(code));
  return { ...outcome, answer: {}, said: [], edits: [], notices: [], hooks, diagnostics };
}

/** Codes that are not reported in shadow: about the effect of a failure, or about a wait that a person could end. */
const CONSEQUENCES: ReadonlySet<Diagnostic["code"]> = new Set([
  "FAILED_OPEN",
  "FAILED_CLOSED",
  "WITHHELD",
  "RECHECK_REFUSED",
  "REWRITE_REFUSED",
  "HOOK_SLOW",
] as const);

/** Returns a `report` that marks a hook's faults as being in shadow. */
function inShadow({ report }: DispatchContext): DispatchContext["report"] {
  return (diagnostic) => {
    if (!CONSEQUENCES.has(diagnostic.code)) report({ ...diagnostic, message: `In shadow: ${diagnostic.message}` });
  };
}

/** Copies a payload; one that cannot be copied is passed unchanged. */
function copied(payload: object): object {
  try {
    return cloneShell(payload);
  } catch {
    return payload;
  }
}
