import type { Diagnostic, Source } from "../error/diagnostic.ts";
import type { Background } from "../hook/background.ts";
import type { Contributions } from "../hook/contribution.ts";
import type { Instance } from "../hook/instance.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { TextCache } from "../port/cache.ts";
import type { Clock } from "../port/clock.ts";
import type { Files } from "../port/files.ts";
import type { HostServices } from "../port/host.ts";
import type { HttpTransport } from "../port/http.ts";
import type { LlmTransport } from "../port/llm.ts";
import type { LoadedFile, ModuleTransport } from "../port/module.ts";
import type { PrivateFiles } from "../port/private-files.ts";
import type { ProcessTransport } from "../port/process.ts";
import type { About, OwnSettings } from "./about.ts";

/** Where to look for hooks, and with what. Everything is handed in; discovery runs nothing. */
export interface Scan {
  /** Absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  /** hookline's own home, absolute. */
  readonly hooklineHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  /** Where this machine's administrator keeps settings, absolute. Default `/etc`. */
  readonly etc?: string;
  /** Files and folders named on the command line, in order, as they were written. */
  readonly explicit: readonly string[];
  readonly settings: DialectSettings;
  /** Keeps over runs what follows from a file's bytes alone and takes long to be read. */
  readonly cache?: TextCache;
}

/** The settings that dialects read; names and defaults as in the reference of settings. */
export interface DialectSettings {
  readonly extensionOrder?: "seed" | "cli";
  readonly handlerTimeoutMs?: number;
  readonly toolCallTimeoutMs?: number;
  /** Settings of single dialects, as each `about` names them. */
  readonly own?: OwnSettings;
  /** Hooks of any dialect whose failures are closed, by file or id; read by the host. */
  readonly failClosed?: readonly string[];
  /** Hooks that must run, as a path or `path#event`; read by the host. */
  readonly required?: readonly string[];
  /** All that a project may add (decision 56); its paths are absolute. */
  readonly project?: {
    readonly failClosed?: readonly string[];
    readonly required?: readonly string[];
    readonly own?: OwnSettings;
  };
}

/** Why a definition that was found does or does not run. */
export type CandidateState = "runs" | "disabled" | "untrusted" | "shadowed" | "unreachable" | "unsupported" | "broken";

/**
 * What a project may bring along that acts only once a person has approved it (decision 77): hooks, and items of a host's
 * own kinds, such as skills.
 */
export type ItemKind = "hook" | "rule" | "prompt" | "skill" | "packages" | "agent" | "mcp";

/** One definition that was found: a module, a plugin, or one entry of a configuration file. */
export interface Candidate {
  /** Absent: a hook. */
  readonly kind?: ItemKind;
  /** Of an item that is no hook, its kind. */
  readonly lane: string;
  readonly source: Source;
  /** What would run; candidates with the same source path share an instance. */
  readonly state: CandidateState;
  /** In words, for every state but `runs`. */
  readonly reason?: string;
  /** Files whose bytes decide what runs, for consent. */
  readonly files: readonly string[];
  /** Its files are read as text and never run: consent covers them, and not what they name. */
  readonly isText?: boolean;
  /** Shell commands that it runs; consent covers what they name. */
  readonly commands?: readonly string[];
  /** Folders that it is started in or looks for its programs in, beside the session's. */
  readonly folders?: readonly string[];
  /** Known before it is loaded, where the definition says so. */
  readonly events?: readonly string[];
  readonly filter?: string;
  readonly timeoutMs?: number;
  /** What a failure of it counts as, in words. */
  readonly onFailure?: string;
  /** The dialect's own; nobody else reads it. */
  readonly definition: unknown;
  /** For one that is shadowed: the path of the identical copy that runs in its place. */
  readonly twin?: string;
}

/** What a dialect found, and where it looked. */
export interface Found {
  /** Every place that was looked at, present or not. */
  readonly searched: readonly string[];
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a dialect works with when it loads a candidate. */
export interface Surroundings {
  readonly scan: Scan;
  readonly scene: Scene;
  readonly services: HostServices;
  readonly contributions: Contributions;
  readonly transports: Transports;
  readonly clock: Clock;
  /** Shared by all instances of a session, such as an event bus; keyed by the dialect. */
  readonly shared: Map<string, unknown>;
  /** Where a dialect keeps over runs what it would otherwise have to ask again. */
  readonly cache?: TextCache;
  /** Runs hooks that nobody waits for; a host shows them. */
  readonly background: Background;
  /** Files that a dialect hands to its programs. */
  readonly papers: PrivateFiles;
  /** The files that a person has agreed to, where they did so file by file. */
  readonly approved?: readonly LoadedFile[];
  /** Resolves a moment after everything was loaded: for work that must not slow the start down. */
  started?(): Promise<void>;
}

/** The ways in which hooks are reached. */
export interface Transports {
  readonly process: ProcessTransport;
  readonly module: ModuleTransport;
  readonly llm: LlmTransport;
  readonly http: HttpTransport;
}

/** Another agent's spelling of events, fields and configuration: translation tables and a loader. */
export interface Dialect {
  readonly id: string;
  /** Names, places and settings; a dialect without it has none, and its lanes are asked behind the others. */
  readonly about?: About;
  /** In the dialect's own order. */
  readonly lanes: readonly Lane[];
  /** Whether its program does not start when a hook cannot be loaded; runs without a person follow it (decision 53). */
  readonly endsWhenBroken?: boolean;
  /** Finds definitions without running anything of them. Never throws for what it finds. */
  discover(scan: Scan): Found | Promise<Found>;
  /**
   * Loads one consented candidate: registers its hooks on the instance and adds what it contributes.
   * A fault of the definition is thrown and becomes its load error; nothing of it stays.
   */
  load(candidate: Candidate, instance: Instance, around: Surroundings): void | Promise<void>;
}
