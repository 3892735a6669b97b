import type { Clock, Diagnostic, Files, PrivateFiles, Source } from "@hookline/ground";
import type { Background } from "../hook/background.ts";
import type { Contributions } from "../hook/contribution.ts";
import type { Instance } from "../hook/instance.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { TextCache } from "../port/cache.ts";
import type { HostServices } from "../port/host.ts";
import type { HttpTransport } from "../port/http.ts";
import type { LlmTransport } from "../port/llm.ts";
import type { LoadedFile, ModuleTransport } from "../port/module.ts";
import type { ProcessTransport } from "../port/process.ts";
import type { About, OwnSettings } from "./about.ts";

/** Where to look for hooks, and with what. Everything is passed in; discovery runs nothing. */
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
  /** Files and folders named on the command line, in order, as written. */
  readonly explicit: readonly string[];
  readonly settings: DialectSettings;
  /** Caches across runs what depends only on a file's bytes and is slow to read. */
  readonly cache?: TextCache;
}

/** The settings that dialects read; names and defaults are in the settings reference. */
export interface DialectSettings {
  readonly extensionOrder?: "seed" | "cli";
  readonly handlerTimeoutMs?: number;
  readonly toolCallTimeoutMs?: number;
  /** Settings of single dialects, as each `about` names them. */
  readonly own?: OwnSettings;
  /** Hooks of any dialect that fail closed, by file or id; read by the host. */
  readonly failClosed?: readonly string[];
  /** Hooks that must run, as a path or `path#event`; read by the host. */
  readonly required?: readonly string[];
  /** Refuses what guards judge while no guard is loaded; read by the host. */
  readonly refuseWithoutGuards?: boolean;
  /** Hooks in shadow, by file or id; read by the host at each load. */
  readonly shadow?: readonly string[];
  /** Everything that a project may add (decision 56); its paths are absolute. */
  readonly project?: {
    readonly failClosed?: readonly string[];
    readonly required?: readonly string[];
    readonly shadow?: readonly string[];
    readonly own?: OwnSettings;
  };
}

/** Why a definition that was found does or does not run. */
export type CandidateState = "runs" | "disabled" | "untrusted" | "shadowed" | "unreachable" | "unsupported" | "broken";

/**
 * The kinds of items that take effect only after a person has approved them (decision 77): a project's hooks, and
 * items of a host's own kinds, such as skills.
 */
export type ItemKind = "hook" | "rule" | "prompt" | "skill" | "packages" | "agent" | "mcp";

/** One definition that was found: a module, a plugin, or one entry of a configuration file. */
export interface Candidate {
  /** Absent: a hook. */
  readonly kind?: ItemKind;
  /** The kind of an item that is not a hook. */
  readonly lane: string;
  readonly source: Source;
  /** Whether it would run; candidates with the same source path share an instance. */
  readonly state: CandidateState;
  /** In words, for every state but `runs`. */
  readonly reason?: string;
  /** Files whose bytes decide what runs, for consent. */
  readonly files: readonly string[];
  /** The file of the cases that a session asks it; consent covers it, and nothing of it is run. */
  readonly cases?: string;
  /** Its files are read as text and never run: consent covers them, but not what they name. */
  readonly isText?: boolean;
  /** Shell commands that it runs; consent covers what they name. */
  readonly commands?: readonly string[];
  /** Variables that its commands get from its definition; what they make programs load is covered. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders in which it is started or looks for its programs, besides the session's. */
  readonly folders?: readonly string[];
  /** Known before loading, if the definition states it. */
  readonly events?: readonly string[];
  readonly filter?: string;
  readonly timeoutMs?: number;
  /** The effect of its failure, in words. */
  readonly onFailure?: string;
  /** A person's own, which runs code of the project: that code needs consent, and the definition does not. */
  readonly runsProject?: true;
  /** A program or file that it starts and that is not there, with the remedy; it is loaded all the same, and fails when it is asked. */
  readonly absent?: { readonly problem: string; readonly remedy: string };
  /** The dialect's own program does not look where this was found, so that nothing but hookline runs it. */
  readonly onlyHere?: true;
  /** Private to the dialect; nothing else reads it. */
  readonly definition: unknown;
  /** If it is shadowed: the path of the identical copy that runs instead. */
  readonly twin?: string;
}

/** A dialect's candidates, and the places that it searched. */
export interface Found {
  /** Every searched place, existing or not. */
  readonly searched: readonly string[];
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Parts that a dialect gets to load a candidate. */
export interface Surroundings {
  readonly scan: Scan;
  readonly scene: Scene;
  readonly services: HostServices;
  readonly contributions: Contributions;
  readonly transports: Transports;
  readonly clock: Clock;
  /** Shared by all instances of a session, such as an event bus; keyed by the dialect. */
  readonly shared: Map<string, unknown>;
  /** A dialect's cache across runs. */
  readonly cache?: TextCache;
  /** Runs background hooks, which a host shows. */
  readonly background: Background;
  /** Files that a dialect passes to its programs. */
  readonly privateFiles: PrivateFiles;
  /** The approved files, if approval was file by file. */
  readonly approved?: readonly LoadedFile[];
  /**
   * Asked before a hook has an effect outside the host's services, such as on its dialect's bus; false for a hook in
   * shadow, whose effect is counted. Absent: all effects happen.
   */
  acts?(kind: string): boolean;
  /** Resolves soon after everything is loaded: for work that must not slow down the start. */
  started?(): Promise<void>;
}

/** The ways in which hooks are reached. */
export interface Transports {
  readonly process: ProcessTransport;
  readonly module: ModuleTransport;
  readonly llm: LlmTransport;
  readonly http: HttpTransport;
}

/** Another agent's names for events, fields and configuration: translation tables and a loader. */
export interface Dialect {
  readonly id: string;
  /** Names, places and settings; a dialect without it has none, and its lanes are asked last. */
  readonly about?: About;
  /** In the dialect's own order. */
  readonly lanes: readonly Lane[];
  /** Whether its program refuses to start if a hook cannot be loaded; unattended runs do the same (decision 53). */
  readonly endsWhenBroken?: boolean;
  /** Definitions that must load: while one of them does not, guarded calls are refused. The path is that of its source. */
  readonly mustLoad?: readonly { readonly name: string; readonly path: string }[];
  /** The host's name for one of the program's tools; unknown names are returned unchanged. */
  toolOf?(name: string): string;
  /** Finds definitions without running them. Never throws for what it finds. */
  discover(scan: Scan): Found | Promise<Found>;
  /**
   * Loads one approved candidate: registers its hooks on the instance and adds its contributions. A fault of the
   * definition is thrown and becomes its load error; nothing stays registered.
   */
  load(candidate: Candidate, instance: Instance, around: Surroundings): void | Promise<void>;
}
