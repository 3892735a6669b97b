import { randomUUID } from "node:crypto";
import { type Diagnostic, diagnose, place, type Source } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import { expectedWord, type GuardCase, provingCase } from "../hook/guard-case.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Plan, Station } from "../hook/lane.ts";
import { HookMetrics } from "../hook/metrics.ts";
import { narrowed } from "../hook/narrowed.ts";
import type { DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import type { Outcome } from "../run/outcome.ts";
import { wouldOf } from "../run/would.ts";

/** The time in milliseconds that a guard may take for its test, if its own limit is longer. */
const LONGEST_MS = 15_000;

/** The result of testing guards with their own cases. */
export interface Proof {
  /** The number of guards that have a case which they must refuse or edit, and were tested with it. */
  readonly asked: number;
  /** The number of tested guards that passed. */
  readonly alive: number;
  /** The guards that failed; calls that they listen to are refused. */
  readonly dead: readonly DeadGuard[];
  /** The names of guards without a case that they must refuse or edit. */
  readonly untested: readonly string[];
}

/** A guard that failed its test. */
export interface DeadGuard {
  readonly name: string;
  readonly source: Source;
  readonly event: string;
  /** The reason, as words that follow "the guard … does not work:", such as "it let its case pass". */
  readonly problem: string;
}

/** A test: a case, and the hooks that are asked about it together. */
export interface Probe {
  readonly name: string;
  /** The name of the catalog event. */
  readonly event: string;
  readonly hooks: readonly Hook[];
  readonly one: GuardCase;
  /** Returns a text that changes when a file that the hooks run does; absent if they are modules, which stay loaded. */
  readonly stamp?: () => string;
}

/** The functions of the session that tests need. */
export interface ProofParts {
  readonly context: DispatchContext;
  plan(event: string): Plan | undefined;
  hooks(): Iterable<{ readonly lane: Lane; readonly hook: Hook }>;
  isShadow(hook: Hook): boolean;
  /** Returns the test cases for hooks that are not in hookline's own format. */
  foreign(): readonly Probe[];
  /** Called with the outcome of each test, for the trace. */
  asked(event: string, outcome: Outcome): void;
  report(diagnostic: Diagnostic): void;
}

/**
 * Tests each guard once with a case that it must refuse or edit. The test takes every step of a real event: matcher,
 * process, decoder, fold. No other hook is asked, nothing is counted or recorded. From then on, a guard that lets its
 * case pass counts as one that could not be run (ruling 97).
 *
 * A hook cannot tell a test from a real event: its id is random, like any call's. An event of the host with the id of a
 * test is treated as real, and is reported.
 */
export class Proofs {
  readonly #parts: ProofParts;
  /** The hooks that have been considered, whether tested or not. */
  readonly #known = new WeakSet<Hook>();
  #results: readonly Result[] = [];
  #running: Promise<void> | undefined;
  /** The call ids of all tests so far; `check` reports any other event that uses one. */
  readonly #ids = new Set<unknown>();

  constructor(parts: ProofParts) {
    this.#parts = parts;
  }

  /** Tests the guards that were not tested yet; returns `undefined` if that needs no waiting. */
  run(): Promise<void> | undefined {
    if (this.#running !== undefined) return this.#running.then(() => this.run());
    this.#forgetChanged();
    const asked = this.#probes().map((probe) => this.#ask(probe));
    const pending = asked.filter((one) => one !== undefined);
    if (pending.length === 0) return undefined;
    this.#running = Promise.all(pending).then(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Whether a file that a guard runs has changed since the guard was asked its case. */
  get isStale(): boolean {
    return this.#results.some(isChanged);
  }

  /** Reports a payload that has the id of a case: only somebody who has seen the case can know it. */
  check(event: string, payload: { readonly toolCallId?: unknown }): void {
    const { toolCallId: id } = payload;
    if (this.#ids.has(id)) this.#parts.report(diagnose("GUARD_CASE_CLAIMED", { id: String(id), event }, { event }));
  }

  /** Forgets the results of hooks whose files have changed, so that they are tested again. */
  #forgetChanged(): void {
    const changed = new Set(this.#results.filter(isChanged).flatMap(({ probe }) => probe.hooks));
    if (changed.size === 0) return;
    for (const hook of changed) {
      this.#known.delete(hook);
      hook.fault = undefined;
    }
    this.#results = this.#results.filter(({ probe }) => !probe.hooks.some((hook) => changed.has(hook)));
  }

  get proof(): Proof {
    const hooks = [...this.#parts.hooks()].map(({ hook }) => hook);
    // Only guards that are still registered count.
    const results = this.#results.filter(({ probe }) => probe.hooks.some((hook) => hooks.includes(hook)));
    const dead = results.flatMap((one) => one.dead ?? []);
    const asked = new Set(results.flatMap(({ probe }) => probe.hooks));
    const untested = hooks.flatMap((hook) =>
      hook.carries !== undefined && this.#known.has(hook) && !asked.has(hook) ? [hook.carries.name] : [],
    );
    return { asked: results.length, alive: results.length - dead.length, dead, untested };
  }

  #probes(): readonly Probe[] {
    const { hooks, isShadow, foreign } = this.#parts;
    const isNew = (hook: Hook): boolean => !this.#known.has(hook) && !isShadow(hook);
    const probes: Probe[] = foreign().flatMap((probe) => {
      const fresh = probe.hooks.filter(isNew);
      return fresh.length === 0 ? [] : [{ ...probe, hooks: fresh }];
    });
    for (const { lane, hook } of hooks()) {
      if (hook.carries === undefined || !isNew(hook)) continue;
      const one = provingCase(hook.carries.cases);
      const event = lane.rows.find(({ name }) => name === hook.event)?.of;
      this.#known.add(hook);
      if (one !== undefined && event !== undefined) probes.push({ name: hook.carries.name, event, hooks: [hook], one });
    }
    for (const { hooks: all } of probes) for (const hook of all) this.#known.add(hook);
    return probes;
  }

  #ask(probe: Probe): Promise<void> | undefined {
    const { plan, context } = this.#parts;
    const [first] = probe.hooks as readonly [Hook];
    const whole = plan(probe.event);
    const alone =
      whole === undefined ? null : narrowed(whole, ({ hooks }) => hooks.filter((one) => probe.hooks.includes(one)));
    if (whole === undefined || alone === null) return undefined;
    const payload = payloadOf(probe);
    this.#ids.add(payload.toolCallId);
    const stamp = probe.stamp?.();
    const faults: Diagnostic[] = [];
    const abort = new AbortController();
    const { scene, clock, deadlines, hashCall } = context;
    const own = {
      ...{ scene, clock, deadlines, trace: true, signal: undefined },
      ...(hashCall !== undefined && { hashCall }),
      report: (fault: Diagnostic) => void faults.push(fault),
    };
    const outcome = dispatch({ row: whole.row, stations: alone.stations.map(uncounted) }, payload, own, abort.signal);
    if (!(outcome instanceof Promise)) {
      this.#judge(probe, first, whole.row, { outcome, stamp });
      return undefined;
    }
    const timer = clock.timer(LONGEST_MS, () => abort.abort());
    timer.hold(true);
    return outcome.then((late) => {
      timer.cancel();
      this.#judge(probe, first, whole.row, { outcome: late, stamp, isLate: abort.signal.aborted });
    });
  }

  #judge(probe: Probe, { source }: Hook, row: CatalogRow, { outcome, stamp, isLate = false }: Judged): void {
    this.#parts.asked(probe.event, outcome);
    const problem = problemOf(probe, row, outcome, isLate);
    const dead = problem === undefined ? undefined : { name: probe.name, source, event: probe.event, problem };
    this.#results = [...this.#results, { probe, dead, stamp }];
    if (dead === undefined) return;
    const asked = new Set(outcome.hooks.flatMap(({ hook, status }) => (status === "skipped" ? [] : [hook])));
    // If the case matches no hook, it is unknown which one should have refused it, so all hooks of the test are faulty.
    const meant = asked.size === 0 ? probe.hooks : probe.hooks.filter(({ id }) => asked.has(id));
    for (const hook of meant) hook.fault = `the guard ${dead.name} does not work: ${dead.problem}`;
    this.#parts.report(
      diagnose(
        "GUARD_NOT_ALIVE",
        { hook: probe.name, place: place(source), event: probe.event, problem: dead.problem },
        { source, event: probe.event },
      ),
    );
  }
}

interface Result {
  readonly probe: Probe;
  readonly dead: DeadGuard | undefined;
  /** The text that the probe's `stamp` returned when the guard was asked. */
  readonly stamp: string | undefined;
}

/** The outcome of a probe, with what is needed to judge it. */
interface Judged extends Pick<Result, "stamp"> {
  readonly outcome: Outcome;
  readonly isLate?: boolean;
}

function isChanged({ probe, stamp }: Result): boolean {
  return probe.stamp?.() !== stamp;
}

/** Returns why the outcome does not show that the guard works; `undefined` if it does. */
function problemOf({ one }: Probe, row: CatalogRow, { answer, hooks }: Outcome, isLate: boolean): string | undefined {
  const named = one.name === undefined ? "its case" : `its case "${one.name}"`;
  if (isLate) return `it gave no answer to ${named} within ${LONGEST_MS / 1000} s`;
  const failed = hooks.find(({ status }) => status === "failed" || status === "timed-out");
  if (failed !== undefined) return `it failed at ${named}: ${failed.problem ?? failed.status}`;
  const [would, word] = [wouldOf(row, answer), expectedWord(one)];
  if (would === "deny" || (would !== undefined && would === word)) return undefined;
  if (word === "edit") return `it left ${named} as it was`;
  return would === "ask" ? `it only asked about ${named}, which it must refuse` : `it let ${named} pass`;
}

/** Copies a station so that runs are not added to its hooks' counters. */
function uncounted(station: Station): Station {
  return { ...station, hooks: station.hooks.map((hook) => ({ ...hook, metrics: new HookMetrics() })) };
}

function payloadOf({ one }: Probe): { readonly toolCallId: string } {
  const { tool, args, payload } = one;
  const call = tool === undefined && args === undefined ? {} : { tool: tool ?? "bash", args: args ?? {} };
  return { toolCallId: `call_${randomUUID().replaceAll("-", "")}`, ...call, ...payload };
}
