import { hash } from "node:crypto";
import { join } from "node:path";
import {
  cleanText,
  type Diagnostic,
  diagnose,
  guess,
  HooklineError,
  isFields,
  place,
  type Source,
  type Tier,
} from "@hookline/ground";
import { isServerTool } from "../agent-tools/server-tool.ts";
import { catalog, type EventName, type Folded, type Payload } from "../catalog/catalog.ts";
import type { Missing } from "../config/admission.ts";
import { callHash } from "../config/call-hash.ts";
import { type Expected, expectedByDialects, expectedBySettings } from "../config/expected.ts";
import { FailClosed } from "../config/fail-closed.ts";
import { mayGuard } from "../config/presence.ts";
import { type LoadReport, loadReport, type ReportedSource } from "../config/report.ts";
import { Shadow } from "../config/shadow.ts";
import { StatsKeeper } from "../config/stats-keeper.ts";
import { Reach } from "../consent/reach.ts";
import type { Surroundings } from "../dialect/dialect.ts";
import { keepText } from "../dialect/kept-text.ts";
import type { Guard } from "../guard/guard.ts";
import { Background, type InBackground } from "../hook/background.ts";
import type { Call } from "../hook/call.ts";
import { Contributions } from "../hook/contribution.ts";
import type { Hook } from "../hook/hook.ts";
import { Instance } from "../hook/instance.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import { narrowed } from "../hook/narrowed.ts";
import { Registry } from "../hook/registry.ts";
import type { DispatchContext } from "../run/context.ts";
import type { Explanation } from "../run/explain.ts";
import { checkPayload } from "../run/given.ts";
import { type Operation, type OperationStart, UNWATCHED } from "../run/observer.ts";
import { type HookRun, NOBODY, type Outcome } from "../run/outcome.ts";
import {
  type Asked,
  type EmitOptions,
  type LeftOut,
  type ToolOutput,
  type WrappedCall,
  type WrappedResult,
  wrap,
} from "../run/wrap.ts";
import { emitKnown, KNOWN_TOOLS, unknownTool } from "./alias.ts";
import { confirmBy } from "./confirm.ts";
import { Dispatches } from "./dispatches.ts";
import type { Session } from "./face.ts";
import { type FireOptions, fireStation } from "./fire.ts";
import { givenGuard, handlerSpec } from "./handler.ts";
import { type LoadedHooks, loadHooks } from "./load.ts";
import { type LoadParts, surroundings } from "./loader.ts";
import { privateFiles } from "./private-files.ts";
import { type Proof, Proofs } from "./proof.ts";
import { type Recording, recordingOf } from "./recording.ts";
import { rehearseHooks } from "./rehearse.ts";
import { type Review, reviewHooks } from "./review.ts";
import { runningOf } from "./running.ts";
import type { OnOptions, SessionOptions, SessionParts } from "./session-parts.ts";
import { Shadows, type ToldInShadow } from "./shadows.ts";
import { type ExplainParts, explainEvent, explainOfLane, stationOf } from "./station.ts";
import { type HooksWithin, hooksWithin } from "./within.ts";
import { writeTrace } from "./write-trace.ts";

/**
 * The number of reported texts that are remembered so that none is reported twice. More would only be texts that always
 * differ, such as an error that includes the time.
 */
const MOST_REMEMBERED = 500;
/** The number of characters above which a text is remembered by its hash. */
const LONGEST_KEY = 200;

/** The hooks of one session: emits its events and owns what was loaded for it. Sessions share nothing but caches. */
export class HookSession implements Session {
  /** Hooks that were started and are not awaited. */
  readonly background: Background;
  readonly #parts: SessionParts;
  readonly #options: SessionOptions;
  readonly #unended: DispatchContext;
  /**
   * Like `#unended`, but each dispatch is written to the trace when it ends. Used for events, not for tests of guards.
   */
  readonly #context: DispatchContext;
  readonly #library: Instance;
  readonly #attached: Instance[] = [];
  readonly #failClosed: FailClosed;
  #shadow: Shadow;
  readonly #shadows: Shadows;
  readonly #expected: readonly Expected[];
  readonly #excused = new Set<string>();
  /** The names of tools that `#checkName` has checked. */
  readonly #namesSeen = new Set<string>();
  readonly #reported = new Once();
  #registry: Registry;
  #contributions: Contributions;
  #loaded: LoadedHooks | undefined;
  #reached: Reach | undefined;
  readonly #stats: StatsKeeper | undefined;
  #recording: Recording | undefined;
  readonly #dispatches = new Dispatches();
  /** Files with hooks' texts that were too long to be passed on; they are removed when the session closes. */
  readonly #passing: string[] = [];
  readonly #proofs: Proofs;
  /** The number of hooks that had been registered when the guards were last tested. */
  #provenAt = -1;
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
      watched: parts.watched,
      hashCall: callHash,
      report: (diagnostic) => this.tell(diagnostic),
      keep: (text) => this.#keep(text),
    };
    this.#context = { ...this.#unended, ended: (plan, outcome, scene) => this.#ended(plan, outcome, scene) };
    this.record(options.recorder ?? parts.recorder);
    this.#registry = new Registry(parts.lanes, catalog, (diagnostic) => this.tell(diagnostic));
    this.#contributions = new Contributions(parts.lanes.map(({ id }) => id));
    this.#shadows = new Shadows({ context: this.#unended, answered: (told) => this.#saidInShadow(told) });
    this.#proofs = new Proofs({
      context: this.#unended,
      plan: (event) => this.#registry.plan(event),
      hooks: () => this.#registry.all(),
      isShadow: (hook) => this.#registry.isShadow(hook),
      foreign: () => this.#loaded?.probes ?? [],
      asked: (event, outcome) => this.#write(event, outcome, options.scene, true),
      report: (diagnostic) => this.tell(diagnostic),
    });
    const { scene, settings } = options;
    const from = { cwd: scene.cwd, home: parts.scan.home };
    this.#shadow = new Shadow({}, from);
    const real = (path: string): string => parts.scan.files.real(path) ?? path;
    this.#failClosed = new FailClosed(settings ?? {}, { ...from, lanes: parts.lanes, real });
    const bySettings = expectedBySettings(settings ?? {}, from);
    this.#expected = [...bySettings, ...(options.expected ?? []), ...expectedByDialects(parts.dialects)];
    this.#library = this.#instanceOf("library", { path: "library", tier: "builtin" });
    if (options.stats === true) {
      const folder = join(parts.scan.hooklineHome, "stats");
      const hooks = (): Hook[] => this.hooks().map(({ hook }) => hook);
      const { clock, report } = this.#unended;
      this.#stats = new StatsKeeper({ folder, clock, project: scene.cwd, host: options.host, hooks, report });
    }
  }

  /** Uses another recorder for the moments from now on. */
  record(recorder: SessionOptions["recorder"]): void {
    this.#recording = recordingOf(recorder, this.#unended, (of) => this.#registry.plan(of));
  }

  /** The searched places, and the hooks that were found, loaded and skipped, as of the last load. */
  get report(): LoadReport {
    return attachedSources(this.#loaded?.report ?? loadReport([], [], []), this.#attached);
  }

  /** Whether any hook is required to run: by a setting, a lock file or a dialect. */
  get expects(): boolean {
    return this.#expected.length > 0;
  }

  /** Returns the required hooks that do not run now; while there are any, guarded calls are refused. */
  missing(): readonly Missing[] {
    return [...(this.#loaded?.standIns.missing() ?? []), ...this.#deadOf(this.#expected)];
  }

  /** Returns the required hooks that failed their test. */
  #deadOf(expected: readonly Expected[]): Missing[] {
    const { files } = this.#parts.scan;
    const real = (path: string): string => files.real(path) ?? path;
    const { dead } = this.proof;
    if (dead.length === 0) return [];
    return expected.flatMap((one): Missing[] => {
      const guard = dead.find(({ source }) => real(source.path) === real(one.path));
      if (guard === undefined || this.#excused.has(one.name)) return [];
      return [{ expected: one, cause: `${guard.name} does not work: ${guard.problem}`, on: "guard", isPending: false }];
    });
  }

  /** Removes the stand-in of a required hook, because a person chose to continue without the hook. */
  excuse(name: string): void {
    this.#excused.add(name);
    this.#loaded?.standIns.excuse(name);
  }

  /** The names of hooks that a project requires but the person continues without. */
  get excused(): readonly string[] {
    return [...this.#excused];
  }

  get contributions(): Contributions {
    return this.#contributions;
  }

  /** Returns whether a hook listens to an event, or the event is recorded; lets a host skip building a payload. */
  has(event: EventName): boolean {
    return this.listens(event) || this.#recording?.wants(event) === true;
  }

  /** Returns whether a hook listens to an event, not counting those in `leftOut`. Unlike `has`, ignores recordings. */
  listens(event: EventName, leftOut?: LeftOut): boolean {
    const plan = this.#registry.plan(event);
    return plan !== undefined && (leftOut === undefined || planWithout(plan, leftOut).plan !== null);
  }

  /** Returns every registered hook, in lane order. */
  hooks(): readonly { readonly lane: string; readonly hook: Hook }[] {
    return [...this.#registry.all()].map(({ lane, hook }) => ({ lane: lane.id, hook }));
  }

  /** Returns the same hooks for a sub-agent: with the sub-agent's scene, and without hooks for the main agent only. */
  within(scene: Scene): HooksWithin {
    const context = { ...this.#context, scene };
    return hooksWithin(scene, {
      plan: (event) => this.#registry.planned(event),
      recording: () => this.#recording,
      emit: (event, plan, payload, options) =>
        emitKnown(this.#options.tools, payload, options, (known, how) => this.#emit(event, plan, known, context, how)),
      operation: (about, of) => this.operation(about, of),
      ui: this.#options.services?.ui,
    });
  }

  /** Asks the hooks of an event; returns synchronously if every handler does. Never rejects because of a hook. */
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: EmitOptions,
  ): Outcome<Folded<E>> | Promise<Outcome<Folded<E>>> {
    const plan = this.#registry.planned(event);
    if (plan === null && this.#recording === undefined) return NOBODY;
    const emitted = emitKnown(this.#options.tools, payload as object, options, (known, how) =>
      plan != null && how?.leftOut !== undefined
        ? this.#emitWithout(how.leftOut, plan, known, how)
        : this.#emit(event, plan, known, this.#context, how),
    );
    return emitted as Promise<Outcome<Folded<E>>>;
  }

  #emitWithout(leftOut: LeftOut, whole: Plan, payload: object, options: EmitOptions): Outcome | Promise<Outcome> {
    const { plan, left } = planWithout(whole, leftOut);
    const told = (outcome: Outcome): Outcome => ({ ...outcome, hooks: [...outcome.hooks, ...left] });
    if (plan === null && !this.#closed) {
      checkPayload(whole.row, payload, "emit");
      return this.#recording?.unheard(whole.row.name, payload, this.#context.scene, undefined, told(NOBODY)) ?? NOBODY;
    }
    const { ended } = this.#context;
    const context: DispatchContext = {
      ...this.#context,
      ended: (of, outcome, scene) => ended?.(of, told(outcome), scene) ?? told(outcome),
    };
    return this.#emit(whole.row.name, plan ?? whole, payload, context, options);
  }

  #emit(
    event: string,
    plan: Plan | null | undefined,
    payload: object,
    context: DispatchContext,
    options: EmitOptions | undefined,
  ): Outcome | Promise<Outcome> {
    if (plan === null) return this.#recording?.unheard(event, payload, context.scene) ?? NOBODY;
    if (plan === undefined || this.#closed) throw unemitted(event, plan, this.#options.scene);
    checkPayload(plan.row, payload, "emit");
    const proving = plan.row.guard === undefined ? undefined : this.#proving(event, payload);
    if (proving !== undefined) return proving.then(() => this.#emit(event, plan, payload, context, options));
    this.#stats?.wake();
    const asked = plan.shadow && { plan: plan.shadow, moment: { scene: context.scene, accept: options?.accept } };
    const final = asked && ((left: object): void => this.#shadows.queue(asked.plan, left, asked.moment));
    if (final !== undefined && plan.stations.length === 0) {
      final(payload);
      return this.#recording?.unheard(event, payload, context.scene, asked) ?? NOBODY;
    }
    const live = final === undefined ? plan : { ...plan, shadow: undefined };
    const around = final === undefined ? context : { ...context, final };
    const own = this.#recording?.context(around, live, payload, asked) ?? around;
    const outcome = this.#dispatches.begin(live, payload, own, options);
    return outcome instanceof Promise ? outcome : (own.ended?.(live, outcome, own.scene) ?? outcome);
  }

  /** Records the answer to a guard's `ask`, by a person or by a hook in the person's place. */
  asked(toolCallId: string, answer: Asked): void {
    this.#recording?.asked(toolCallId, answer);
  }

  #write(event: string, outcome: Outcome, scene: Scene, isProbe = false): void {
    writeTrace(this.#options, { event, outcome, scene, isProbe, clock: this.#parts.clock }, (one) => this.tell(one));
  }

  #saidInShadow(told: ToldInShadow): void {
    this.#write(told.event, told.outcome, told.asked.scene);
    this.#recording?.saidInShadow(told);
  }

  /** Ends a dispatch: writes its outcome to the trace, and returns the outcome. */
  #ended(plan: Plan, outcome: Outcome, scene: Scene): Outcome {
    this.#dispatches.over();
    this.#stats?.wake();
    this.#write(plan.row.name, outcome, scene);
    return outcome;
  }

  /**
   * Asks one lane's hooks about an event in the dialect's own form, as `hooks fire` does; the outcome has that form
   * too. Throws for an unknown lane or event.
   */
  async fire(laneId: string, name: string, event: object, options?: FireOptions): Promise<Outcome> {
    const station = stationOf(this.#parts.lanes, this.hooks(), laneId, name);
    const isShadow = (hook: Hook): boolean => this.#registry.isShadow(hook);
    return fireStation(station, event, { context: this.#unended, signal: options?.signal, isShadow });
  }

  /** Returns the hooks that are running now, longest first; each can be ended, and then counts as timed out. */
  running(): readonly InBackground[] {
    return runningOf(new Set(this.hooks().map(({ hook }) => hook.instance)), this.#parts);
  }

  /** Resolves when hooks in shadow have been asked about everything so far. */
  shadowsSettled(): Promise<void> {
    return this.#shadows.settled();
  }

  /** Returns which hooks would run for an event, in order, and why the others would not. Runs none of them. */
  explain(event: EventName, payload: object = {}): Explanation {
    return explainEvent(event, payload, this.#explained());
  }

  /** Explains a lane's own event, in the dialect's form, as `explain` does. Throws for an unknown lane or event. */
  explainLane(laneId: string, name: string, event: object = {}): Explanation {
    return explainOfLane(stationOf(this.#parts.lanes, this.hooks(), laneId, name), event, this.#explained());
  }

  #explained(): ExplainParts {
    return { registry: this.#registry, scene: this.#options.scene, report: this.report, lanes: this.#parts.lanes };
  }

  /** Tells the telemetry observer that the host begins an operation; the result must be closed. */
  operation(about: OperationStart, scene: Scene = this.#options.scene): Operation {
    return this.#parts.watched.observer?.operation(about, { scene, clock: this.#parts.clock }) ?? UNWATCHED;
  }

  /** Runs one tool call of the host's own loop with its hooks. */
  wrap(
    call: WrappedCall,
    run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  ): Promise<WrappedResult> {
    this.#checkName(call);
    return wrap(this, call, run, confirmBy(this.#options.services?.ui, call));
  }

  /** Warns once about each tool whose name is unknown and matches no hook: guards would overlook its calls. */
  #checkName(call: WrappedCall): void {
    const { tool } = call;
    if (typeof tool !== "string" || this.#namesSeen.has(tool) || !isFields(call.args) || !this.listens("tool.before"))
      return;
    this.#namesSeen.add(tool);
    const { tools = {} } = this.#options;
    const isKnown = KNOWN_TOOLS.includes(tool) || isServerTool(tool) || Object.hasOwn(tools, tool);
    if (isKnown || this.hooks().some(({ hook }) => hook.fits?.(tool, []) === true)) return;
    this.tell(diagnose("TOOL_UNKNOWN", { tool, ...unknownTool(call) }));
  }

  /** Registers a library handler or a guard, asked after all dialects' hooks; returns a function that removes it. */
  readonly on: Session["on"] = (of: EventName | Guard, handler?: unknown, options: OnOptions = {}): (() => void) => {
    if (typeof of === "object" && of !== null) return this.#library.on(givenGuard(of));
    return this.#library.on(handlerSpec(of, handler as (event: never, call: Call) => unknown, options));
  };

  /**
   * Tests each guard once with a case that it must refuse or edit. The first guarded event of a session does so too,
   * and waits for it; a host that wants to show the result calls this earlier. Returns the results so far.
   */
  async prove(): Promise<Proof> {
    await this.#prove();
    return this.proof;
  }

  /** The results of the tests of guards so far. */
  get proof(): Proof {
    return this.#proofs.proof;
  }

  /** Tests new and changed guards before an event that guards may refuse; returns a promise if that takes time. */
  #proving(event: string, payload: object): Promise<void> | undefined {
    if (this.#options.proves === false) return undefined;
    this.#proofs.check(event, payload);
    if (this.#proofs.isStale) this.#provenAt = -1;
    return this.#provenAt === this.#registry.additions ? undefined : this.#prove();
  }

  #prove(): Promise<void> | undefined {
    const { additions } = this.#registry;
    const running = this.#proofs.run();
    if (running === undefined) this.#provenAt = additions;
    return running?.then(() => void (this.#provenAt = additions));
  }

  /**
   * Returns an instance for hooks that the host adds to a dialect's lane, after the hooks that were found; it survives
   * reloads. `around` is what the dialect needs to load them.
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
      failsClosed: (hook) => this.#failClosed.hook(hook, lane),
    });
  }

  /**
   * Finds and loads everything again. A running dispatch keeps the hooks it started with; their instances are disposed
   * when the last such dispatch has ended. If `admit` throws for the new load, the old hooks stay, and the error is
   * thrown.
   */
  async load(admit?: (fresh: Pick<HookSession, "report" | "missing">) => Promise<void> | void): Promise<LoadReport> {
    const { scene, settings = {} } = this.#options;
    this.#shadow = new Shadow(settings, { cwd: scene.cwd, home: this.#parts.scan.home });
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
    this.#provenAt = -1;
    this.#contributions = loaded.contributions;
    this.#loaded = loaded;
    this.#reached = undefined;
    if (old.length > 0) {
      await this.#dispatches.settled();
      this.#dispose(old);
    }
    return this.report;
  }

  /**
   * Loads the hooks of some dialects again from the definitions found before, once the running dispatches have ended.
   * Their old instances are disposed first. In a dialect such as pi, whose program refuses to start with a broken hook,
   * each hook that ran becomes required, except in the tier `withdrawn`, which a person trusts no longer.
   */
  async renew(dialectIds: readonly string[], { withdrawn }: { readonly withdrawn?: Tier } = {}): Promise<LoadReport> {
    await this.#dispatches.settled();
    await this.#loaded?.renew(dialectIds, (old) => this.#dispose(old), withdrawn);
    return this.report;
  }

  /** The files that decide which hooks run: the places that were searched, and every file that hooks run or read. */
  get reach(): Reach {
    const parts = this.#loadParts();
    return (this.#reached ??= new Reach(
      (this.#loaded?.found ?? []).map(({ candidate }) => ({
        candidate,
        isGuard: mayGuard(candidate, parts.lanes),
        agreed: this.#loaded?.agreedOf(candidate)?.data,
      })),
      parts.scan,
      this.report.searched,
    ));
  }

  /** Returns load problems in dialects whose program refuses to start with a broken hook, such as pi. Runs nothing. */
  rehearse(): Promise<readonly Diagnostic[]> {
    return rehearseHooks(this.#loadParts());
  }

  /** Returns the project's items that a person may approve, fully read but not run; for `hookline trust`. */
  review(): Promise<readonly Review[]> {
    return reviewHooks(this.#loaded?.found ?? [], this.#loadParts());
  }

  /** Disposes everything once the running dispatches have ended; afterwards `emit` throws for events with hooks. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#dispatches.settled();
    this.#closed = true;
    await this.#shadows.close();
    this.#registry.close();
    this.#dispose([...(this.#loaded?.instances ?? []), ...this.#attached, this.#library]);
    this.#stats?.close();
    for (const path of this.#passing) privateFiles.remove(path);
    this.#parts.closed(this);
  }

  #keep(text: string): string | undefined {
    const { scene } = this.#options;
    const path = keepText(text, scene, privateFiles);
    if (path !== undefined && scene.sessionFile === undefined) this.#passing.push(path);
    return path;
  }

  #dispose(instances: readonly Instance[]): void {
    for (const instance of instances) {
      this.#shadows.release(instance);
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
      finds: this.#options.finds,
      admits: this.#options.admits,
      offer: this.#options.offer,
      background: this.background,
      failClosed: this.#failClosed,
      shadow: this.#shadow,
      expected: this.#expected,
      scan: { ...scan, cwd: scene.cwd, explicit, settings, cache: parts.cache },
      scene,
      services,
      tell: (diagnostic) => this.tell(diagnostic),
    };
  }

  /**
   * Reports a problem to the host, once for each hook, event and code; after very many others a problem may be
   * repeated.
   */
  tell(diagnostic: Diagnostic): void {
    if (!this.#reported.isNew(aboutOf(diagnostic))) return;
    try {
      (this.#options.onDiagnostic ?? toStderr)(diagnostic);
    } catch {
      // A listener's fault changes nothing, and reporting it to the same listener would not help.
    }
  }
}

/** Returns the complete session behind the interface that embedding agents see. */
export function wholeOf(session: Session): HookSession {
  return session as HookSession;
}

/** Writes a problem to stderr, for hosts without an `onDiagnostic`. */
function toStderr({ severity, message, hint }: Diagnostic): void {
  process.stderr.write(`hookline: ${severity}: ${cleanText(`${message}. ${hint}`)}\n`);
}

/** Returns the reason why an event was not emitted: it is not in the catalog, or its session is closed. */
function unemitted(event: string, plan: Plan | undefined, { sessionId }: Scene): HooklineError {
  return plan === undefined
    ? new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) })
    : new HooklineError("SESSION_CLOSED", { session: sessionId });
}

/** Returns a plan without the hooks that `has` selects, and an outcome's entry "skipped" for each of them. */
function planWithout(
  whole: Plan,
  { has, because }: LeftOut,
): { readonly plan: Plan | null; readonly left: readonly HookRun[] } {
  const plan = narrowed(whole, ({ lane, hooks }) => hooks.filter((hook) => !has(hook, lane.id)));
  const left = whole.stations.flatMap(({ lane, hooks }) =>
    hooks.flatMap((hook): HookRun[] => {
      if (!has(hook, lane.id)) return [];
      const about = { hook: hook.id, lane: lane.id, place: place(hook.source) };
      return [{ ...about, pass: 1, status: "skipped", problem: because, ms: 0 }];
    }),
  );
  return { plan, left };
}

/** Recognises texts that were reported recently; its memory is bounded, however long a session lasts. */
class Once {
  readonly #known = new Set<string>();

  /** Remembers a text; returns false if it is among the recent ones. */
  isNew(text: string): boolean {
    const key = text.length <= LONGEST_KEY ? text : hash("sha256", text);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return true;
  }
}

/** Returns a key for a diagnostic; two with the same key look alike to a person. */
function aboutOf({ code, hook, event = "", message }: Diagnostic): string {
  return `${code}\0${hook ?? ""}\0${event}\0${hook === undefined ? message : ""}`;
}

/**
 * Returns a load report with the hooks that the host has added by `attach`, each as a source of its own, after
 * everything that was found.
 */
function attachedSources(report: LoadReport, attached: readonly Instance[]): LoadReport {
  if (attached.every(({ hooks }) => hooks.length === 0)) return report;
  const { found, runs, notRunning } = report.summary;
  const added = attached
    .flatMap(({ lane, hooks }) => hooks.map((hook) => ({ lane, hook })))
    .map(({ lane, hook }, at): ReportedSource => {
      const { source, event, filter, timeoutMs, onError } = hook;
      return {
        dialect: source.dialect ?? lane,
        lane,
        tier: source.tier,
        path: source.path,
        state: "runs",
        events: [event],
        order: runs + at + 1,
        ...(filter !== undefined && { filter }),
        ...(timeoutMs !== undefined && Number.isFinite(timeoutMs) && { timeoutMs }),
        ...(onError !== undefined && { onFailure: onError }),
      };
    });
  const summary = { found: found + added.length, runs: runs + added.length, notRunning };
  return { ...report, sources: [...report.sources, ...added], summary };
}
