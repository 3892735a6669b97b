import { join } from "node:path";
import { catalog } from "../catalog/catalog.ts";
import { type Consent, trustNothing } from "../config/consent.ts";
import type { Dialect, Transports } from "../dialect/dialect.ts";
import { HooklineError } from "../error/error.ts";
import { chooseFrom } from "../error/nearest.ts";
import type { Lane } from "../hook/lane.ts";
import type { Clock } from "../port/clock.ts";
import type { Files } from "../port/files.ts";
import type { ProcessTransport } from "../port/process.ts";
import { Deadlines } from "../run/deadline.ts";
import { libraryLane } from "../run/library.ts";
import { boundLlm } from "../transport/llm/bounded.ts";
import { fileCache } from "./cache.ts";
import { systemClock } from "./clock.ts";
import { systemFiles } from "./files.ts";
import { hooklineHomeOf, personHome } from "./home.ts";
import { Session } from "./session.ts";
import type { SessionOptions } from "./session-parts.ts";
import { standInLane } from "./stand-in.ts";
import { createTransports, type HostTransports } from "./transports.ts";

/** What a runtime is made of; every part has a default that fits this machine. */
export interface RuntimeOptions {
  /** Default: none, library handlers only. */
  readonly dialects?: readonly Dialect[];
  /** Order of lanes; those not named come after, by the ranks that their dialects give. Library handlers are always last. */
  readonly lanes?: readonly string[];
  /** Whether a project's hooks may run. Default: they may not. */
  readonly consent?: Consent;
  readonly clock?: Clock;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** Default `$HOOKLINE_HOME` where it is absolute, else `.hookline` in the home folder. */
  readonly hooklineHome?: string;
  /** Where this machine's administrator keeps settings, absolute. Default `/etc`. */
  readonly etc?: string;
  readonly transports?: Partial<Transports>;
  /**
   * Whether processes may be started through the system's own library, for which the optional package `koffi` is loaded
   * on Linux. Without it Node starts them, which takes longer; nothing else changes. Default true.
   */
  readonly nativeSpawn?: boolean;
  /**
   * Whether a hook without a time limit that never answers keeps the process alive for good. A host that looks after
   * `beforeExit` says false, and sees there that nothing is left that could end the wait. Default true.
   */
  readonly keepsAlive?: boolean;
}

/** What is per process: transports, caches, deadlines. */
export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #lanes: readonly Lane[];
  readonly #dialects: readonly Dialect[];
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #transports: HostTransports;
  readonly #sessions = new Set<Session>();

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#deadlines = new Deadlines(this.#clock, options.keepsAlive);
    // No option reaches the first: what stands in for an absent guard must be asked whatever is left out.
    this.#lanes = [standInLane(), ...orderLanes(options.dialects ?? [], options.lanes ?? []), libraryLane(catalog)];
    const rank = (dialect: Dialect): number => Math.min(...dialect.lanes.map((lane) => this.#lanes.indexOf(lane)));
    this.#dialects = [...(options.dialects ?? [])].sort((a, b) => rank(a) - rank(b));
    this.#transports = createTransports({
      given: options.transports ?? {},
      hooklineHome: this.#home(),
      env: options.env ?? process.env,
      clock: this.#clock,
      nativeSpawn: options.nativeSpawn,
      protocol: (options.dialects ?? []).flatMap(({ about }) => about?.variables ?? []),
      report: (diagnostic) => {
        for (const session of this.#sessions) session.tell(diagnostic);
      },
    });
  }

  get lanes(): readonly Lane[] {
    return this.#lanes;
  }

  /** The process transport of this runtime, for a host whose own tools start programs. */
  get processes(): ProcessTransport {
    return this.#transports.process;
  }

  /** Opens a session and loads its hooks; look at `session.report` for what was found and what does not run. */
  async open(options: SessionOptions): Promise<Session> {
    const env = this.#options.env ?? process.env;
    const session = new Session(
      {
        dialects: this.#dialects,
        lanes: this.#lanes,
        clock: this.#clock,
        deadlines: this.#deadlines,
        transports: {
          ...this.#transports,
          llm: boundLlm(options.services?.llm ?? this.#transports.llm, this.#clock),
        },
        scan: {
          home: this.#personHome(),
          hooklineHome: this.#home(),
          ...(this.#options.etc !== undefined && { etc: this.#options.etc }),
          env,
          files: this.#options.files ?? systemFiles,
        },
        consent: this.#options.consent ?? trustNothing,
        closed: (session) => this.#sessions.delete(session as Session),
        cache: fileCache(join(this.#home(), "cache", "texts")),
      },
      options,
    );
    this.#sessions.add(session);
    await session.load();
    this.#transports.reap();
    return session;
  }

  /** Closes every session, then ends what still runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
    this.#deadlines.close();
    await this.#transports.close();
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
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  return new Runtime(options);
}

function orderLanes(dialects: readonly Dialect[], wanted: readonly string[]): Lane[] {
  const all = dialects.flatMap((dialect) => dialect.lanes);
  const ids = all.map(({ id }) => id);
  for (const id of wanted) {
    if (!ids.includes(id)) {
      throw new HooklineError("INVALID_OPTION", {
        option: "lanes",
        problem: `names "${id}", which is no lane`,
        remedy: chooseFrom(id, ids),
      });
    }
  }
  const ranks = new Map(dialects.flatMap(({ about }) => Object.entries(about?.ranks ?? {})));
  // Lanes that are named come first, in the order in which they are named; those without a rank come last.
  const at = ({ id }: Lane): number =>
    wanted.includes(id) ? wanted.indexOf(id) - wanted.length : (ranks.get(id) ?? Number.MAX_SAFE_INTEGER);
  return [...all].sort((a, b) => at(a) - at(b));
}
