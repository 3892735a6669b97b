import { join } from "node:path";
import type { Answer, EventName, Folded, Payload } from "../catalog/catalog.ts";
import { catalog } from "../catalog/catalog.ts";
import type { Missing } from "../config/admission.ts";
import { callHash } from "../config/call-hash.ts";
import { type Expected, expectedBySettings } from "../config/expected.ts";
import { FailClosed } from "../config/fail-closed.ts";
import { Reach } from "../config/reach.ts";
import { type LoadReport, loadReport } from "../config/report.ts";
import { StatsKeeper } from "../config/stats-keeper.ts";
import type { Surroundings } from "../dialect/dialect.ts";
import { type Diagnostic, diagnose, type Source, type Tier } from "../error/diagnostic.ts";
import { HooklineError, messageOf } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import { Background } from "../hook/background.ts";
import type { Call } from "../hook/call.ts";
import { Contributions } from "../hook/contribution.ts";
import type { Hook } from "../hook/hook.ts";
import { Instance } from "../hook/instance.ts";
import type { Plan } from "../hook/lane.ts";
import { Registry } from "../hook/registry.ts";
import type { DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import { type Explanation, explain, explainLane } from "../run/explain.ts";
import { firePlan } from "../run/fire.ts";
import { NOBODY, type Outcome } from "../run/outcome.ts";
import { traceLine } from "../run/trace.ts";
import { type EmitOptions, type ToolOutput, type WrappedCall, type WrappedResult, wrap } from "../run/wrap.ts";
import { attachedSources } from "./attached.ts";
import { checkHandler } from "./handler.ts";
import { type LoadedHooks, loadHooks } from "./load.ts";
import { type LoadParts, surroundings } from "./loader.ts";
import { depthOf, nested } from "./nesting.ts";
import { Once } from "./once.ts";
import { rehearseHooks } from "./rehearse.ts";
import { type Review, reviewHooks } from "./review.ts";
import type { OnOptions, SessionOptions, SessionParts } from "./session-parts.ts";
import { stationOf, withIdle } from "./station.ts";
import { unemitted } from "./unemitted.ts";

const NOTHING_LOADED: LoadReport = loadReport([], [], []);

/** How deep handlers may emit from inside handlers. */
const MAX_DEPTH = 8;

/**
 * The hooks of one session: emits its events, and owns what was loaded for it.
 * Several sessions of a runtime share nothing but caches.
 */
export class Session {
  /** Hooks that were started and that nobody waits for. */
  readonly background: Background;
  readonly #parts: SessionParts;
  readonly #options: SessionOptions;
  readonly #unended: DispatchContext;
  /** The same, and the session takes part in the end of what is waited for. */
  readonly #context: DispatchContext;
  readonly #library: Instance;
  readonly #attached: Instance[] = [];
  readonly #failClosed: FailClosed;
  readonly #expected: readonly Expected[];
  readonly #excused = new Set<string>();
  readonly #reported = new Once();
  #registry: Registry;
  #contributions: Contributions;
  #loaded: LoadedHooks | undefined;
  #reached: Reach | undefined;
  readonly #stats: StatsKeeper | undefined;
  /** Dispatches that have not ended. */
  #running = 0;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(parts: SessionParts, options: SessionOptions) {
    this.#parts = parts;
    this.#options = options;
    this.background = new Background(parts.clock);
    this.#unended = {
      scene: options.scene,
      clock: parts.clock,
      deadlines: parts.deadlines,
      signal: undefined,
      trace: options.trace !== undefined,
      hashCall: callHash,
      report: (diagnostic) => this.tell(diagnostic),
    };
    this.#context = { ...this.#unended, ended: (plan, outcome) => this.#ended(plan, outcome) };
    this.#registry = this.#newRegistry();
    this.#contributions = new Contributions(parts.lanes.map(({ id }) => id));
    const { scene, settings } = options;
    const from = { cwd: scene.cwd, home: parts.scan.home };
    const closed = [...(settings?.failClosed ?? []), ...(settings?.project?.failClosed ?? [])];
    this.#failClosed = new FailClosed(closed, from);
    this.#expected = [...expectedBySettings(settings ?? {}, from), ...(options.expected ?? [])];
    this.#library = this.#instanceOf("library", { path: "library", tier: "builtin" });
    if (options.stats === true) {
      const folder = join(parts.scan.hooklineHome, "stats");
      const hooks = (): Hook[] => this.hooks().map(({ hook }) => hook);
      this.#stats = new StatsKeeper({ folder, clock: parts.clock, hooks, report: (problem) => this.tell(problem) });
    }
  }

  /** What was searched, found, loaded and left out, as of the last load. */
  get report(): LoadReport {
    const report = this.#loaded?.report ?? NOTHING_LOADED;
    return this.#attached.some(({ hooks }) => hooks.length > 0) ? attachedSources(report, this.#attached) : report;
  }

  /** What must run and does not, as of now: guarded calls are refused for it. */
  missing(): readonly Missing[] {
    return this.#loaded?.standIns.missing() ?? [];
  }

  /** A person goes on without a hook that must run: nothing stands in for it any longer. */
  excuse(name: string): void {
    this.#excused.add(name);
    this.#loaded?.standIns.excuse(name);
  }

  /** What a person goes on without although a project says that it must run. */
  get excused(): readonly string[] {
    return [...this.#excused];
  }

  get contributions(): Contributions {
    return this.#contributions;
  }

  /** Whether anybody listens; lets a host skip building a payload. */
  has(event: EventName): boolean {
    return this.#registry.plan(event) !== undefined;
  }

  /** Every hook that is registered, in lane order. */
  hooks(): readonly { readonly lane: string; readonly hook: Hook }[] {
    return [...this.#registry.all()].map(({ lane, hook }) => ({ lane: lane.id, hook }));
  }

  /** Asks the hooks of an event; at once where every handler answers at once. Never rejects for what a hook does. */
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: EmitOptions,
  ): Outcome<Folded<E>> | Promise<Outcome<Folded<E>>> {
    const plan = this.#registry.planned(event);
    if (plan === null) return NOBODY;
    if (plan === undefined || this.#closed) throw unemitted(event, plan, this.#options.scene);
    // Nothing that runs while nothing else does is nested; what may be pays for being known.
    if (this.#running !== 0) return this.#nested(plan, payload as object, options) as Promise<Outcome<Folded<E>>>;
    this.#running = 1;
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = dispatch(plan, payload as object, this.#context, options?.signal, options?.accept);
    } catch (thrown) {
      this.#over();
      throw thrown;
    }
    return (outcome instanceof Promise ? outcome : this.#ended(plan, outcome)) as Promise<Outcome<Folded<E>>>;
  }

  #nested(plan: Plan, payload: object, options: EmitOptions | undefined): Outcome | Promise<Outcome> {
    const depth = 1 + depthOf(this);
    if (depth >= MAX_DEPTH) throw new HooklineError("REENTRANT_EMIT", { event: plan.row.name, depth });
    this.#running += 1;
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = nested(this, () => dispatch(plan, payload, this.#context, options?.signal, options?.accept));
    } catch (thrown) {
      this.#over();
      throw thrown;
    }
    return outcome instanceof Promise ? outcome : this.#ended(plan, outcome);
  }

  /** Takes in the outcome of a dispatch. */
  #ended(plan: Plan, outcome: Outcome): Outcome {
    this.#over();
    return this.#context.trace ? this.#traced(plan.row.name, outcome) : outcome;
  }

  #over(): void {
    this.#running -= 1;
    if (this.#running === 0 && this.#idle.length > 0) for (const idle of this.#idle.splice(0)) idle();
  }

  /**
   * Asks one lane's hooks about an event in the dialect's own shape, as `hooks fire` does; the answer is the
   * dialect's own outcome. Throws for a lane or event that there is not.
   */
  async fire(
    laneId: string,
    name: string,
    event: object,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome> {
    const { lane, row, hooks } = stationOf(this.#parts.lanes, this.hooks(), laneId, name);
    if (hooks.length === 0) {
      const diagnostic = diagnose("NOBODY_LISTENS", { lane: laneId, event: name }, { event: name });
      return { ...NOBODY, diagnostics: [diagnostic] };
    }
    return dispatch(firePlan(lane, row, hooks), event, { ...this.#unended, trace: true }, options?.signal);
  }

  /** Which hooks would run for an event, in order, and why everything else would not. Runs none of them. */
  explain(event: EventName, payload: object = {}): Explanation {
    const row = catalog.get(event);
    if (row === undefined) throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) });
    return withIdle(
      explain(row, this.#registry.plan(event), [...this.#registry.all()], payload, this.#options.scene),
      this.report,
    );
  }

  /** The same for one lane's own event, in the dialect's own shape. Throws for a lane or event that there is not. */
  explainLane(laneId: string, name: string, event: object = {}): Explanation {
    const station = stationOf(this.#parts.lanes, this.hooks(), laneId, name);
    return withIdle(explainLane(station, catalog.get(station.row.of), [...this.#registry.all()], event), this.report);
  }

  /** Puts hooks around one tool call of the host's own loop. */
  wrap(
    call: WrappedCall,
    run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  ): Promise<WrappedResult> {
    const { ui } = this.#options.services ?? {};
    const confirm =
      ui?.confirm === undefined
        ? undefined
        : async (reason: string) => (await ui.confirm?.(`Run ${call.tool}?`, reason)) ?? false;
    return wrap(this, call, run, confirm);
  }

  /** Registers a library handler behind all dialects; returns the undo. The handler must not change the event. */
  on<E extends EventName>(
    event: E,
    handler: (event: Payload<E>, call: Call) => Answer<E> | undefined | Promise<Answer<E> | undefined>,
    options: OnOptions = {},
  ): () => void {
    checkHandler(event, handler, options);
    return this.#library.on({
      event,
      name: options.name ?? (handler.name === "" ? undefined : handler.name),
      run: handler as (event: never, call: Call) => unknown,
      timeoutMs: options.timeoutMs,
      failClosed: options.redact,
    });
  }

  /**
   * A place for hooks of the host's own making in a dialect's lane, behind those that were found; it outlives loading.
   * Gives it with what a dialect registers hooks with.
   */
  attach(lane: string, source: Source): { readonly instance: Instance; readonly around: Surroundings } {
    const instance = this.#instanceOf(lane, source);
    this.#attached.push(instance);
    return { instance, around: surroundings(this.#loadParts(), this.#contributions) };
  }

  #instanceOf(lane: string, source: Source): Instance {
    return new Instance(lane, source, {
      add: (to, hook) => this.#registry.add(to, hook),
      remove: (from, hook) => this.#registry.remove(from, hook),
      report: (diagnostic) => this.tell(diagnostic),
      failsClosed: (id, path) => this.#failClosed.hook(id, path),
    });
  }

  /**
   * Finds and loads everything anew. A dispatch that runs goes on with the hooks it started with;
   * their instances are disposed when the last such dispatch has ended. Where `admit` throws for what was loaded, the
   * hooks of before stay, and that is thrown.
   */
  async load(admit?: (fresh: Pick<Session, "report" | "missing">) => Promise<void> | void): Promise<LoadReport> {
    const loaded = await loadHooks(this.#loadParts());
    try {
      await admit?.({ report: loaded.report, missing: () => loaded.standIns.missing() });
    } catch (thrown) {
      for (const instance of loaded.instances) instance.dispose();
      throw thrown;
    }
    const old = this.#loaded?.instances ?? [];
    for (const { lane, hooks } of [...this.#attached, this.#library])
      for (const hook of hooks) loaded.registry.add(lane, hook);
    for (const name of this.#excused) loaded.standIns.excuse(name);
    this.#registry = loaded.registry;
    this.#contributions = loaded.contributions;
    this.#loaded = loaded;
    this.#reached = undefined;
    if (old.length > 0) {
      await this.#settled();
      this.#dispose(old);
    }
    return this.report;
  }

  /**
   * Makes the hooks of some dialects anew from what was found, once the running dispatches have ended. Their old
   * instances are disposed first. A hook that ran and does not run again is missed, unless `withdrawn` is its tier.
   */
  async renew(dialectIds: readonly string[], { withdrawn }: { readonly withdrawn?: Tier } = {}): Promise<LoadReport> {
    await this.#settled();
    await this.#loaded?.renew(dialectIds, (old) => this.#dispose(old), withdrawn);
    return this.report;
  }

  /** What decides which hooks run, as they were found: the places looked at, and every file that hooks come to. */
  get reach(): Reach {
    this.#reached ??= new Reach(this.#loaded?.found ?? [], this.#loadParts().scan, this.report.searched);
    return this.#reached;
  }

  /**
   * Reads what a load would load of the dialects whose program does not start with a broken hook, and runs none of it;
   * gives what could not be loaded.
   */
  rehearse(): Promise<readonly Diagnostic[]> {
    return rehearseHooks(this.#loadParts());
  }

  /** What of the project a person may be asked about, read to the end but not run; for `hookline trust`. */
  review(): Promise<readonly Review[]> {
    return reviewHooks(this.#loaded?.found ?? [], this.#loadParts());
  }

  /** Disposes everything once the running dispatches have ended; afterwards the session emits nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#settled();
    this.#closed = true;
    this.#dispose([...(this.#loaded?.instances ?? []), ...this.#attached, this.#library]);
    this.#stats?.close();
    this.#parts.closed(this);
  }

  #dispose(instances: readonly Instance[]): void {
    for (const instance of instances) {
      this.#stats?.keep(instance.hooks);
      instance.dispose();
    }
  }

  #loadParts(): LoadParts {
    const { scan, ...parts } = this.#parts;
    const { scene, services = {}, explicit = [], settings = {}, consent = parts.consent } = this.#options;
    return {
      ...parts,
      consent,
      inert: this.#options.inert ?? false,
      background: this.background,
      failClosed: this.#failClosed,
      expected: this.#expected,
      scan: { ...scan, cwd: scene.cwd, explicit, settings, cache: parts.cache },
      scene,
      services,
      tell: (diagnostic) => this.tell(diagnostic),
    };
  }

  #newRegistry(): Registry {
    return new Registry(this.#parts.lanes, catalog, (diagnostic) => this.tell(diagnostic));
  }

  #traced(event: string, outcome: Outcome): Outcome {
    const { trace, scene } = this.#options;
    if (trace !== undefined) {
      try {
        trace.write(
          traceLine(event, outcome, {
            session: scene.sessionId,
            t: this.#parts.clock.wall(),
            payloads: trace.payloads ?? false,
          }),
        );
      } catch (thrown) {
        this.tell(diagnose("LISTENER_THREW", { what: "the trace", problem: messageOf(thrown) }));
      }
    }
    return outcome;
  }

  /** Resolves when no dispatch is running. */
  #settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Hands a problem to the host, once for each hook, event and code; of very many the oldest may be told again. */
  tell(diagnostic: Diagnostic): void {
    const key = `${diagnostic.code}\0${diagnostic.hook ?? ""}\0${diagnostic.event ?? ""}\0${diagnostic.hook === undefined ? diagnostic.message : ""}`;
    if (!this.#reported.isNew(key)) return;
    try {
      this.#options.onDiagnostic?.(diagnostic);
    } catch {
      // A listener's fault changes nothing, and telling the same listener again would not help.
    }
  }
}
