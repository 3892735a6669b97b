import { join } from "node:path";
import type { Clock } from "@hookline/ground";
import { type Diagnostic, diagnose, loadFailure, messageOf, place, type Source } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import { loadParser, theParser } from "../command/parser.ts";
import type { Expected } from "../config/expected.ts";
import type { FailClosed } from "../config/fail-closed.ts";
import { presences } from "../config/presence.ts";
import type { Loaded } from "../config/report.ts";
import type { Shadow } from "../config/shadow.ts";
import { unclaimed } from "../config/unclaimed.ts";
import type { More, OpenPiece } from "../consent/answers.ts";
import { type Consent, type ConsentState, type Judgement, needsConsent, openPart } from "../consent/consent.ts";
import { withProject } from "../consent/coverage.ts";
import { Fingerprints } from "../consent/fingerprint.ts";
import { guardTransports } from "../consent/guarded.ts";
import { steady } from "../consent/steady.ts";
import { Watch } from "../consent/watch.ts";
import type { Candidate, Dialect, Found, Scan, Surroundings, Transports } from "../dialect/dialect.ts";
import type { Background } from "../hook/background.ts";
import { Contributions } from "../hook/contribution.ts";
import type { Hook } from "../hook/hook.ts";
import { Instance } from "../hook/instance.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import { Registry } from "../hook/registry.ts";
import type { TextCache } from "../port/cache.ts";
import type { HostServices } from "../port/host.ts";
import { InertContributions, inertServices } from "./inert.ts";
import { privateFiles } from "./private-files.ts";
import { probesOf, withProbes } from "./probe-file.ts";
import type { Probe } from "./proof.ts";
import type { SessionOptions } from "./session-parts.ts";
import { countInert, runsInShadow } from "./shadows.ts";
import { STAND_IN_LANE, StandIns } from "./stand-in.ts";

/** The folders, services and settings with which a session's hooks are loaded. */
export interface LoadParts {
  readonly dialects: readonly Dialect[];
  readonly lanes: readonly Lane[];
  readonly scan: Scan;
  readonly scene: Scene;
  readonly services: HostServices;
  readonly transports: Transports;
  readonly clock: Clock;
  readonly cache: TextCache;
  readonly background: Background;
  readonly consent: Consent;
  /** Whether definitions are only found and not loaded. */
  readonly inert: boolean;
  readonly failClosed: FailClosed;
  readonly shadow: Shadow;
  /** Required hooks; while one does not run, a stand-in refuses guarded calls. */
  readonly expected: readonly Expected[];
  /** Decides which definitions count. Absent: all. */
  readonly finds: SessionOptions["finds"];
  /** Decides which hooks are asked. Absent: all. */
  readonly admits: SessionOptions["admits"];
  /** Returns the tools that calls can name. */
  readonly offer: SessionOptions["offer"];
  tell(diagnostic: Diagnostic): void;
}

/** Returns the services and folders that loading needs, with an empty map for what candidates share. */
export function surroundings(
  parts: Omit<
    LoadParts,
    "consent" | "inert" | "failClosed" | "shadow" | "expected" | "finds" | "admits" | "offer" | "tell" | "dialects"
  >,
  contributions = new Contributions(parts.lanes.map(({ id }) => id)),
): Surroundings {
  const { scan, scene, services, transports, clock, cache, background } = parts;
  const shared = new Map<string, unknown>();
  return { scan, scene, services, contributions, transports, clock, cache, background, privateFiles, shared };
}

/**
 * The time in milliseconds after loading at which work that must not slow down the start begins. By then the first
 * request to a model has been sent.
 */
export const QUIET_MS = 100;

/** The hooks that one definition has registered so far, and their events. */
interface Registered {
  events(): readonly string[];
  hooks(): readonly Hook[];
  isReachable(): boolean;
}

const IDLE = "it was loaded, but it has registered nothing that can be called";

/** Loads definitions one by one, and records what they registered and what went wrong. */
export class Loader {
  readonly registry: Registry;
  readonly contributions: Contributions;
  readonly standIns: StandIns;
  readonly #parts: LoadParts;
  readonly #around: Surroundings;
  #prints: Fingerprints;
  readonly #instances = new Map<string, Instance>();
  readonly #changed = new Map<string, string>();
  readonly #started = Promise.withResolvers<void>();
  readonly #agreed = new WeakMap<Candidate, Judgement>();
  #isAwaited = false;
  #isStarted = false;
  #diagnostics: Diagnostic[] = [];
  #isLoading = true;

  constructor(parts: LoadParts) {
    this.#parts = parts;
    const { lanes, shadow } = parts;
    // A stand-in has the name of the hook that it replaces, so its lane must be checked first.
    const isShadow = (hook: Hook): boolean => hook.instance.lane !== STAND_IN_LANE && shadow.has(hook);
    this.registry = new Registry(lanes, catalog, (diagnostic) => this.#report(diagnostic), isShadow);
    this.contributions = new Contributions(parts.lanes.map(({ id }) => id));
    const { expected, scan } = parts;
    const real = (path: string): string => scan.files.real(path) ?? path;
    const needsGuard = scan.settings.refuseWithoutGuards === true;
    this.standIns = new StandIns({ expected, registry: this.registry, lanes, real, needsGuard });
    this.#around = { ...surroundings(parts, this.contributions), started: () => this.#awaitStart() };
    this.#prints = new Fingerprints(parts.scan);
  }

  get instances(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** Returns the approval by which a definition was allowed to load; `undefined` if it was not allowed. */
  agreedOf(candidate: Candidate): Judgement | undefined {
    return this.#agreed.get(candidate);
  }

  /** Returns all problems of loading so far; later ones are reported only to the session. */
  finish(): readonly Diagnostic[] {
    this.#isLoading = false;
    this.#prints.release(this.#parts.scan.files);
    return [...this.#diagnostics];
  }

  /** Removes what a dialect has loaded, and returns it for the caller to dispose. */
  release({ lanes }: Dialect): readonly Instance[] {
    // Files may have changed, so fingerprints are computed again.
    this.#prints = new Fingerprints(this.#parts.scan);
    const old = [...this.#instances].filter(([, { lane }]) => lanes.some(({ id }) => id === lane));
    for (const [key] of old) this.#instances.delete(key);
    const gone = new Set(old.map(([, { source }]) => source.path));
    this.#diagnostics = this.#diagnostics.filter(({ source }) => source === undefined || !gone.has(source.path));
    return old.map(([, instance]) => instance);
  }

  /** Resolves `Surroundings.started` after `QUIET_MS`, for work that must not slow down the start. */
  started(): void {
    this.#isStarted = true;
    if (this.#isAwaited) this.#parts.clock.timer(QUIET_MS, this.#started.resolve);
  }

  #awaitStart(): Promise<void> {
    // The session has started already, so work that begins with a reload need not wait.
    if (this.#isStarted) this.#started.resolve();
    this.#isAwaited = true;
    return this.#started.promise;
  }

  /** Reports files that no dialect reads although they are where hooks are expected. */
  tellUnclaimed(searched: readonly string[], candidates: readonly Candidate[]): void {
    for (const diagnostic of unclaimed(
      this.#parts.scan,
      searched,
      candidates,
      this.#diagnostics,
      this.#parts.dialects.flatMap(({ about }) => about ?? []),
    ))
      this.#report(diagnostic);
  }

  /** Returns the test cases for loaded hooks in other agents' formats; reports faults in the files with the cases. */
  async probes(loaded: ReadonlyMap<string, readonly Loaded[]>): Promise<readonly Probe[]> {
    const { lanes, scan, inert } = this.#parts;
    if (inert) return [];
    const { probes, diagnostics } = await probesOf([...loaded.values()].flat(), { scan, lanes });
    for (const diagnostic of diagnostics) this.#report(diagnostic);
    return probes;
  }

  /** Removes the stand-ins of required hooks that now run without a fault. */
  settle(loaded: ReadonlyMap<string, readonly Loaded[]>): void {
    const { lanes, scan } = this.#parts;
    const files = steady(scan.files);
    const presenceOf = presences({
      loaded: [...loaded.values()].flat(),
      diagnostics: this.#diagnostics,
      lanes,
      real: (path: string) => files.real(path) ?? path,
      exists: (path: string) => files.stat(path) !== undefined,
    });
    this.standIns.end(presenceOf);
  }

  /** Reports places that exist but cannot be read, which would otherwise look empty. */
  tellUnreadable(searched: readonly string[]): void {
    const { files } = this.#parts.scan;
    for (const path of searched) {
      const problem = files.fault?.(path);
      const isTold = this.#diagnostics.some(({ source, message }) => source?.path === path || message.includes(path));
      if (problem !== undefined && !isTold)
        this.#report(diagnose("UNREADABLE", { path, problem }, { source: this.#sourceOf(path) }));
    }
  }

  #sourceOf(path: string): Source {
    const { cwd, home, hooklineHome } = this.#parts.scan;
    const isOwn = [home, hooklineHome].some((folder) => path.startsWith(`${folder}/`)) && !path.startsWith(`${cwd}/`);
    return { path, tier: isOwn ? "user" : "project" };
  }

  /** Reports names in the settings `failClosed` and `shadow` that have no effect. */
  tellVain(): void {
    if (this.#parts.inert) return;
    const { failClosed, shadow } = this.#parts;
    const hooks = [...this.registry.all()];
    for (const diagnostic of failClosed.vain(
      () => hooks,
      (hook) => this.registry.isShadow(hook),
    ))
      this.#report(diagnostic);
    for (const diagnostic of shadow.told(hooks.map(({ hook }) => hook))) this.#report(diagnostic);
  }

  async discover(dialect: Dialect): Promise<Found> {
    try {
      const { finds = () => true, scan } = this.#parts;
      const { searched, candidates, diagnostics } = await dialect.discover(scan);
      const counts = ({ source }: { readonly source?: Source | undefined }): boolean =>
        source === undefined || finds(source);
      // Several dialects may search the same place and report the same problem.
      const told = new Set(this.#diagnostics.map(({ message }) => message));
      for (const diagnostic of diagnostics.filter(counts)) if (!told.has(diagnostic.message)) this.#report(diagnostic);
      if (candidates.length > 0) await loadParser();
      const place = { ...scan, files: steady(scan.files) };
      return {
        searched,
        diagnostics,
        candidates: candidates
          .filter(counts)
          .map((one) => withProject(withProbes(this.#closed(one), place.files), place, theParser())),
      };
    } catch (thrown) {
      this.#report(loadFailure(dialect.id, thrown));
      return { searched: [], candidates: [], diagnostics: [] };
    }
  }

  /** Replaces a definition's text about the effect of its failure, if the settings make the definition fail closed. */
  #closed(candidate: Candidate): Candidate {
    const { source, lane, events = [], onFailure = "reported" } = candidate;
    if (!this.#parts.failClosed.file(source, lane, events)) return candidate;
    return {
      ...candidate,
      onFailure: `failClosed: refuses what it guards, withholds what it redacts; else ${onFailure}`,
    };
  }

  /**
   * Starts to read and transform modules in parallel; they still run one after the other. Returns a function to call
   * when they have been loaded.
   */
  #prepare(candidates: readonly Candidate[]): () => void {
    const mayRun = candidates.filter(({ source, state }) => source.api !== undefined && state === "runs");
    const files = mayRun.filter((candidate) => !needsConsent(candidate)).flatMap((candidate) => candidate.files);
    return (files.length === 0 ? undefined : this.#parts.transports.module.prepare?.(files)) ?? (() => {});
  }

  /** Loads one dialect's candidates one after the other. */
  async loadAll(dialect: Dialect, candidates: readonly Candidate[]): Promise<readonly Loaded[]> {
    this.#isLoading = true;
    this.#prints.release(this.#parts.scan.files);
    const release = this.#prepare(candidates);
    const loaded: Loaded[] = [];
    for (const candidate of candidates) {
      const one = this.#load(dialect, candidate);
      // Most definitions load synchronously, and a promise for each would cost as much as loading it.
      loaded.push(one instanceof Promise ? await one : one);
    }
    release();
    return loaded;
  }

  #load(dialect: Dialect, candidate: Candidate): Loaded | Promise<Loaded> {
    const { source, state, reason, events = [], files } = candidate;
    const hashed = (agreed?: Judgement) => (): string | undefined =>
      files.length === 0 ? undefined : this.#prints.of(candidate, agreed === undefined ? {} : agreedMore(agreed)).hash;
    const definition = (): string => this.#prints.of(candidate).definition;
    if (state !== "runs") return { candidate, state, reason, events, hash: hashed(), definition };
    const judgement = this.#judge(candidate);
    const { verdict, remedy } = judgement;
    if (verdict !== "approved") {
      // Unapproved items other than hooks, such as MCP servers, get no report each: one line reports them all.
      if (candidate.kind !== undefined) return this.#waiting(candidate, verdict, hashed());
      const { changed } = judgement;
      const told =
        verdict === "changed"
          ? this.#changedSince(source, changed)
          : diagnose("UNTRUSTED", { path: place(source) }, { source });
      return this.#refused(candidate, remedy === undefined ? told : { ...told, hint: remedy }, hashed());
    }
    const hash = hashed(judgement);
    const open = (): OpenPiece | undefined =>
      needsConsent(candidate) ? openPart(judgement, (...at) => this.#prints.of(candidate, ...at)) : undefined;
    this.#agreed.set(candidate, judgement);
    const agreed = needsConsent(candidate) ? { agreed: judgement } : {};
    if (this.#parts.inert) return { candidate, state, reason, events, hash, definition, ...agreed };
    const done = ({ events: own, hooks, isReachable }: Registered): Loaded => ({
      candidate,
      get state() {
        return isReachable() && !isDead(hooks()) ? state : "unreachable";
      },
      get reason() {
        return isReachable() ? reason : IDLE;
      },
      hooks,
      get events() {
        return own();
      },
      shadow: () => this.registry.shadowOf(hooks()),
      open,
      hash,
      definition,
      ...agreed,
    });
    const failed = (thrown: unknown): Loaded => {
      const changed = this.#changed.get(place(source));
      if (changed !== undefined) return this.#refused(candidate, this.#changedSince(source, changed), hash);
      this.#report(loadFailure(source, thrown));
      return { candidate, state: "broken", reason: messageOf(thrown), events, isApproved: true, hash, definition };
    };
    try {
      const registered = this.#run(dialect, candidate, this.#aroundOf(candidate, judgement));
      return registered instanceof Promise ? registered.then(done, failed) : done(registered);
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #judge(candidate: Candidate): Judgement {
    if (!needsConsent(candidate)) return { verdict: "approved" };
    const allowed = this.#parts.consent.allows(candidate, (...at) => this.#prints.of(candidate, ...at));
    return typeof allowed === "boolean" ? { verdict: allowed ? "approved" : "pending" } : allowed;
  }

  #waiting(candidate: Candidate, verdict: ConsentState, hash: Loaded["hash"]): Loaded {
    const reason = verdict === "changed" ? "it changed after it was approved" : "nobody has approved it";
    return {
      candidate,
      state: "untrusted",
      reason,
      events: [],
      hash,
      definition: () => this.#prints.of(candidate).definition,
    };
  }

  /** Returns a diagnostic about the file that differs from what was approved. */
  #changedSince(source: Source, changed: string | undefined): Diagnostic {
    const isGone = changed !== undefined && this.#parts.scan.files.stat(changed) === undefined;
    const details = { path: place(source), changed: changed ?? "it", how: isGone ? "was removed" : "changed" };
    return diagnose("TRUST_CHANGED", details, { source });
  }

  #refused(candidate: Candidate, diagnostic: Diagnostic, hash: Loaded["hash"]): Loaded {
    this.#report(diagnostic);
    const { events = [] } = candidate;
    const definition = (): string => this.#prints.of(candidate).definition;
    return { candidate, state: "untrusted", reason: diagnostic.message, events, hash, definition };
  }

  /** Returns the surroundings for a definition. If its approval lists files, its transports run only those. */
  #aroundOf(candidate: Candidate, agreed: Judgement): Surroundings {
    const { shadow } = this.#parts;
    const around = inShadow(this.#around, candidate.source, { shadow, registry: this.registry });
    if (agreed.files === undefined) return around;
    const { scan, clock } = this.#parts;
    const { source } = candidate;
    // The configuration file with an entry has been read already and is never run, so it may change.
    const read = source.line === undefined ? [] : [scan.files.real(source.path) ?? source.path];
    const onRefused = (path: string): void => {
      // While loading, a changed file becomes a load error of its definition; later it is reported at once.
      if (this.#isLoading) this.#changed.set(place(source), path);
      else this.#report(this.#changedSince(source, path));
    };
    const more = agreedMore(agreed);
    const watch = new Watch(scan.files, clock.wall, (files) =>
      new Fingerprints({ ...scan, files }).of(candidate, more),
    );
    const transports = guardTransports(this.#parts.transports, {
      ...agreed,
      read: new Set(read),
      compiledTo: join(scan.hooklineHome, "cache", "python"),
      look: () => watch.value,
      onRefused,
    });
    return { ...around, transports, approved: agreed.files };
  }

  /** Runs a dialect's `load` and returns what was registered; throws its fault, and then nothing stays registered. */
  #run(dialect: Dialect, candidate: Candidate, around: Surroundings): Registered | Promise<Registered> {
    const { source, lane } = candidate;
    const key = `${lane}\0${source.path}`;
    const known = this.#instances.get(key);
    const instance =
      known ??
      new Instance(lane, source, {
        add: (to, hook) => this.#parts.admits?.(to, hook) !== false && this.registry.add(to, hook),
        remove: (from, hook) => this.registry.remove(from, hook),
        report: (diagnostic) => this.#report(diagnostic),
        failsClosed: (hook) => this.#parts.failClosed.hook(hook, lane),
      });
    this.registry.seat(instance);
    const before = instance.hooks.length;
    const registered = (): Registered => {
      this.#instances.set(key, instance);
      // The entries of one settings file share an instance, so an entry's hooks are only those that its own load has
      // added. A module has an instance of its own, and may add hooks later.
      if (source.line === undefined)
        return {
          events: () => eventsOf(instance.hooks),
          hooks: () => instance.hooks,
          isReachable: () => instance.isReachable,
        };
      const hooks = instance.hooks.slice(before);
      const events = eventsOf(hooks);
      return {
        events: () => events,
        hooks: () => hooks,
        isReachable: () => events.length > 0 || candidate.kind !== undefined,
      };
    };
    const undone = (thrown: unknown): never => {
      if (known === undefined) instance.dispose();
      throw thrown;
    };
    try {
      const loading = dialect.load(candidate, instance, around);
      return loading === undefined ? registered() : Promise.resolve(loading).then(registered, undone);
    } catch (thrown) {
      return undone(thrown);
    }
  }

  #report(diagnostic: Diagnostic): void {
    if (this.#isLoading) this.#diagnostics.push(diagnostic);
    this.#parts.tell(diagnostic);
  }
}

/** Returns an approval's files and bound folders, which are checked even if the definition no longer uses them. */
function agreedMore({ files = [], bound = [] }: Judgement): More {
  return { kept: files.map(({ path }) => path), bound: bound.map(({ path }) => path) };
}

/** Returns whether no tool call could start any of these hooks, even with the tools of the hooks' own program. */
function isDead(hooks: readonly Hook[]): boolean {
  return hooks.length > 0 && hooks.every(({ reach }) => reach?.(undefined).state === "none");
}

function eventsOf(hooks: readonly Hook[]): string[] {
  return [...new Set(hooks.map(({ event }) => event))];
}

/**
 * Returns surroundings for a file with hooks in shadow, in which the effects of these hooks are counted but do not
 * happen. If the whole file is in shadow, so are all its effects, and its contributions are not added.
 */
function inShadow(
  around: Surroundings,
  source: Source,
  { shadow, registry }: { readonly shadow: Shadow; readonly registry: Registry },
): Surroundings {
  if (!shadow.concerns(source)) return around;
  const isWhole = shadow.hasFile(source);
  const first = (): Hook | undefined => [...registry.all()].find(({ hook }) => hook.path === source.path)?.hook;
  const acts = (kind: string): boolean => {
    if (!isWhole && !runsInShadow()) return true;
    countInert(kind, first);
    return false;
  };
  const { services, contributions } = around;
  return {
    ...around,
    acts,
    services: inertServices(services, acts),
    contributions: isWhole ? new InertContributions(contributions) : contributions,
  };
}
