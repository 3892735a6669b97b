import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Files } from "@hookline/ground";
import { chooseFrom, type Diagnostic, diagnose, HooklineError, systemClock } from "@hookline/ground";
import { systemFiles } from "@hookline/ground/system";
import { catalog } from "../catalog/catalog.ts";
import { approveEverything, type Consent, trustEverything, trustNothing } from "../consent/consent.ts";
import type { Dialect, Transports } from "../dialect/dialect.ts";
import type { Lane } from "../hook/lane.ts";
import type { TextCache } from "../port/cache.ts";
import type { ProcessTransport } from "../port/process.ts";
import type { Recorder } from "../record/recorder.ts";
import type { RecordSink } from "../record/sink.ts";
import { Deadlines } from "../run/deadline.ts";
import { checkOptions, shown } from "../run/given.ts";
import { libraryLane } from "../run/library.ts";
import type { Observer } from "../run/observer.ts";
import { boundLlm } from "../transport/llm/bounded.ts";
import { checkAliases } from "./alias.ts";
import type { Runtime } from "./face.ts";
import { hooklineHomeOf, personHome } from "./home.ts";
import { recorderOf } from "./recorder.ts";
import { HookSession } from "./session.ts";
import type { SessionOptions } from "./session-parts.ts";
import { standInLane } from "./stand-in.ts";
import { createTransports, type HostTransports } from "./transports.ts";

/** The options of a runtime; each has a default that fits this machine. */
export interface RuntimeOptions {
  /** The dialects whose hooks are loaded. Default: none, so only library handlers run. */
  readonly dialects?: readonly Dialect[];
  /** The order of lanes; lanes that are not named follow, ranked by their dialects. Library handlers are last. */
  readonly lanes?: readonly string[];
  /** Decides which hooks of a project may run, such as a `TrustStore` with a person's approvals. Default: none may. */
  readonly consent?: Consent;
  /** Whether every hook of a project runs without anybody's approval, instead of `consent`. Default false. */
  readonly runUnapprovedProjectHooks?: boolean;
  readonly clock?: Clock;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** hookline's home folder. Default: `$HOOKLINE_HOME` if it is absolute, else `.hookline` in the home folder. */
  readonly hooklineHome?: string;
  /** The folder of this machine's administrator for settings, absolute. Default `/etc`. */
  readonly etc?: string;
  readonly transports?: Partial<Transports>;
  /**
   * Whether to start processes through the system's C library, with the optional package `koffi` on Linux. Otherwise
   * Node starts them, which takes longer; nothing else changes. Default true.
   */
  readonly nativeSpawn?: boolean;
  /**
   * The sink for a recording of what hooks are asked and answer: each moment as lines that `readRecording` reads. The
   * sessions of a runtime share it. A sink that throws is reported once and then not used. Default: nothing is
   * recorded.
   */
  readonly record?: RecordSink;
  /**
   * Whether a hook that has no time limit and never answers keeps the process alive for ever. A host that handles
   * `beforeExit` passes false, and is then notified that nothing is left that could end the wait. Default true.
   */
  readonly keepsAlive?: boolean;
}

/** Opens sessions, and owns the transports, caches and deadlines that they share. */
export class HookRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #lanes: readonly Lane[];
  readonly #dialects: readonly Dialect[];
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #transports: HostTransports;
  readonly #sessions = new Set<HookSession>();
  /** The session that was closed last; it gets problems that occur while no session is open. */
  #last: HookSession | undefined;
  readonly #watched: { observer?: Observer | undefined } = {};
  readonly #recorder: Recorder | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#deadlines = new Deadlines(this.#clock, options.keepsAlive);
    // The lane of stand-ins for absent guards is always first and cannot be left out by an option.
    this.#lanes = [standInLane(), ...orderLanes(options.dialects ?? [], options.lanes ?? []), libraryLane(catalog)];
    const rank = (dialect: Dialect): number => Math.min(...dialect.lanes.map((lane) => this.#lanes.indexOf(lane)));
    this.#dialects = [...(options.dialects ?? [])].sort((a, b) => rank(a) - rank(b));
    const { record } = options;
    if (record !== undefined)
      this.#recorder = recorderOf({
        to: record,
        level: record.level,
        env: options.env ?? process.env,
        files: options.files ?? systemFiles,
        clock: this.#clock,
        lost: (problem) => this.#tell(diagnose("LISTENER_THREW", { what: "the recording", problem })),
      });
    this.#transports = createTransports({
      given: options.transports ?? {},
      hooklineHome: this.#home(),
      env: options.env ?? process.env,
      clock: this.#clock,
      nativeSpawn: options.nativeSpawn,
      protocol: (options.dialects ?? []).flatMap(({ about }) => about?.variables ?? []),
      report: (diagnostic) => this.#tell(diagnostic),
    });
  }

  get lanes(): readonly Lane[] {
    return this.#lanes;
  }

  /** The process transport of this runtime, for a host whose own tools start programs. */
  get processes(): ProcessTransport {
    return this.#transports.process;
  }

  /** Lets one telemetry observer watch all sessions, including open ones; returns a function that removes it. */
  observe(observer: Observer): () => void {
    if (this.#watched.observer !== undefined)
      throw new HooklineError("INVALID_OPTION", {
        option: "runtime.observe",
        problem: "was called for a runtime that is already instrumented",
        remedy: "Instrument a runtime once.",
      });
    this.#watched.observer = observer;
    return () => {
      if (this.#watched.observer === observer) this.#watched.observer = undefined;
    };
  }

  /** Opens a session and loads its hooks; look at `session.report` for what was found and what does not run. */
  async open(options: SessionOptions): Promise<HookSession> {
    checkScene(options);
    checkAliases(options.tools);
    checkOptions(options, Object.keys(SESSION_OPTIONS), "open");
    const env = this.#options.env ?? process.env;
    const session = new HookSession(
      {
        dialects: this.#dialects,
        lanes: this.#lanes,
        clock: this.#clock,
        deadlines: this.#deadlines,
        transports: {
          ...this.#transports,
          process: forHooks(this.#transports.process),
          llm: boundLlm(options.services?.llm ?? this.#transports.llm, this.#clock),
        },
        scan: {
          home: this.#personHome(),
          hooklineHome: this.#home(),
          ...(this.#options.etc !== undefined && { etc: this.#options.etc }),
          env,
          files: this.#options.files ?? systemFiles,
        },
        consent:
          this.#options.runUnapprovedProjectHooks === true
            ? approveEverything
            : (this.#options.consent ?? trustNothing),
        watched: this.#watched,
        recorder: this.#recorder,
        closed: (session) => {
          this.#sessions.delete(session as HookSession);
          this.#last = session as HookSession;
        },
        cache: fileCache(join(this.#home(), "cache", "texts")),
      },
      options,
    );
    this.#sessions.add(session);
    await session.load();
    this.#transports.reap();
    return session;
  }

  /** Closes every session, then ends everything that still runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await this.#recorder?.close();
    this.#deadlines.close();
    await this.#transports.close();
  }

  /** Reports a problem to every open session, or to the last one if all are closed. */
  #tell(diagnostic: Diagnostic): void {
    const told = this.#sessions.size === 0 && this.#last !== undefined ? [this.#last] : this.#sessions;
    for (const session of told) session.tell(diagnostic);
  }

  #home(): string {
    const env = this.#options.env ?? process.env;
    return this.#options.hooklineHome ?? hooklineHomeOf(env, this.#personHome());
  }

  #personHome(): string {
    return this.#options.home ?? personHome(this.#options.env ?? process.env);
  }
}

/** Makes a runtime; nothing is read or started until a session is opened. */
export function createHookRuntime(options: RuntimeOptions = {}): HookRuntime {
  checkOptions(options, Object.keys(OPTIONS), "createRuntime", {
    trustEverything: "runUnapprovedProjectHooks",
  });
  checkDialects(options.dialects);
  if (options.consent === trustEverything)
    throw new HooklineError("INVALID_OPTION", {
      option: "createRuntime: consent",
      problem: "is trustEverything, which has another name now",
      remedy: "Write { runUnapprovedProjectHooks: true }.",
    });
  return new HookRuntime(options);
}

const OPTIONS: Readonly<Record<keyof RuntimeOptions, true>> = {
  dialects: true,
  lanes: true,
  consent: true,
  runUnapprovedProjectHooks: true,
  clock: true,
  files: true,
  env: true,
  home: true,
  hooklineHome: true,
  etc: true,
  transports: true,
  nativeSpawn: true,
  record: true,
  keepsAlive: true,
};

const SESSION_OPTIONS: Readonly<Record<keyof SessionOptions, true>> = {
  scene: true,
  services: true,
  tools: true,
  explicit: true,
  consent: true,
  settings: true,
  expected: true,
  trace: true,
  recorder: true,
  stats: true,
  host: true,
  inert: true,
  proves: true,
  admits: true,
  offer: true,
  finds: true,
  onDiagnostic: true,
};

/** Throws if an untyped program passes anything but dialects, such as their names. */
function checkDialects(dialects: unknown = []): void {
  const odd = Array.isArray(dialects)
    ? dialects.find((one) => !Array.isArray((one as { readonly lanes?: unknown } | null)?.lanes))
    : dialects;
  if (Array.isArray(dialects) && dialects.every((one) => one !== odd)) return;
  throw new HooklineError("INVALID_OPTION", {
    option: "createRuntime: dialects",
    problem: Array.isArray(dialects)
      ? `has ${shown(odd)}, which is no dialect`
      : `is ${shown(odd)}, and not a list of dialects`,
    remedy: 'Import them: import { pi } from "@hookline/runtime/dialects", then { dialects: [pi] }.',
  });
}

/** Wraps the process transport for hooks: a program gets the telemetry variables of its own run, never the host's. */
function forHooks(processes: ProcessTransport): ProcessTransport {
  return {
    run: (call) => processes.run({ trace: "none", ...call }),
    open: (call) => processes.open({ trace: "none", ...call }),
    close: () => processes.close(),
  };
}

function orderLanes(dialects: readonly Dialect[], wanted: readonly string[]): Lane[] {
  const all = dialects.flatMap((dialect) => dialect.lanes);
  const ids = all.map(({ id }) => id);
  for (const id of wanted) {
    if (!ids.includes(id)) {
      throw new HooklineError("INVALID_OPTION", {
        option: "lanes",
        problem: `names "${id}", which no dialect has`,
        remedy: chooseFrom(id, ids),
      });
    }
  }
  const ranks = new Map(dialects.flatMap(({ about }) => Object.entries(about?.ranks ?? {})));
  // Lanes that the option names are first, in that order; lanes without a rank are last.
  const at = ({ id }: Lane): number =>
    wanted.includes(id) ? wanted.indexOf(id) - wanted.length : (ranks.get(id) ?? Number.MAX_SAFE_INTEGER);
  return [...all].sort((a, b) => at(a) - at(b));
}

/** Returns a cache with one file per key, readable only by its owner. Skips entries that it cannot read or write. */
function fileCache(folder: string): TextCache {
  const pathOf = (key: string): string => join(folder, key.replaceAll(/[^\w.-]/g, "_"));
  return {
    get(key) {
      try {
        return readFileSync(pathOf(key), "utf8");
      } catch {
        return undefined;
      }
    },
    put(key, text) {
      const path = pathOf(key);
      const next = `${path}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(next, text, { mode: 0o600 });
        renameSync(next, path);
      } catch {
        // A full or read-only disk must not keep a hook from running.
      }
    },
  };
}

/** Throws if an untyped program opens a session without the required fields. */
function checkScene(options: unknown): void {
  const { scene } = (options ?? {}) as { readonly scene?: unknown };
  if (typeof scene !== "object" || scene === null) throw missing("scene", "an object", scene);
  for (const field of ["sessionId", "cwd"] as const) {
    const value = (scene as Readonly<Record<string, unknown>>)[field];
    if (typeof value !== "string") throw missing(`scene.${field}`, "a text", value);
  }
}

function missing(option: string, wanted: string, given: unknown): HooklineError {
  return new HooklineError("INVALID_OPTION", {
    option: `open: ${option}`,
    problem: given === undefined ? "is missing" : `is ${shown(given)}, and not ${wanted}`,
    remedy: 'Pass the session\'s id and its folder: open({ scene: { sessionId: "1", cwd: process.cwd() } }).',
  });
}
