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

/** Everything that discovery reads: the folders to search for hooks, and the settings. Discovery runs nothing. */
export interface Scan {
  /** The session's working folder, absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  /** hookline's own home, absolute. */
  readonly hooklineHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  /** The folder of this machine's administrator for settings, absolute. Default `/etc`. */
  readonly etc?: string;
  /** Files and folders named on the command line, in order, as written. */
  readonly explicit: readonly string[];
  readonly settings: DialectSettings;
  /** A cache across runs for results that depend only on a file's bytes and are slow to compute. */
  readonly cache?: TextCache;
}

/** The settings that dialects read; names and defaults are in the settings reference. */
export interface DialectSettings {
  readonly extensionOrder?: "seed" | "cli";
  readonly handlerTimeoutMs?: number;
  readonly toolCallTimeoutMs?: number;
  /** The dialects' own settings, by dialect and name. */
  readonly own?: OwnSettings;
  /** Hooks of any dialect that fail closed, by file or id; read by the host. */
  readonly failClosed?: readonly string[];
  /** Hooks that must run, as a path or `path#event`; read by the host. */
  readonly required?: readonly string[];
  /** Whether tool calls, `!` commands and sub-agents are refused while no guard is loaded; read by the host. */
  readonly refuseWithoutGuards?: boolean;
  /** Hooks in shadow, by file or id; read by the host at each load. */
  readonly shadow?: readonly string[];
  /** Values that the project's own settings add to the person's (ruling 56); paths in them are absolute. */
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
 * The kinds of items that take effect only after a person has approved them (ruling 77): a project's hooks, and
 * items of a host's own kinds, such as skills.
 */
export type ItemKind = "hook" | "rule" | "prompt" | "skill" | "packages" | "agent" | "mcp";

/** One definition that was found: a module, a plugin, or one entry of a configuration file. */
export interface Candidate {
  /** The kind of item, such as `skill` or `mcp`; absent for a hook. */
  readonly kind?: ItemKind;
  /** The id of the hook's lane; for an item that is not a hook, its `kind`. */
  readonly lane: string;
  readonly source: Source;
  /** `runs`, or the reason why the definition does not run. Definitions in one file share an `Instance`. */
  readonly state: CandidateState;
  /** Why the definition does not run, in words; set for every state but `runs`. */
  readonly reason?: string;
  /** Files whose bytes decide what runs; a consent covers them. */
  readonly files: readonly string[];
  /** The file with the cases that a session tests the hook with. A consent covers it; nothing in it is run. */
  readonly cases?: string;
  /** Whether the files are read as text and never run: a consent covers them, but not what they name. */
  readonly isText?: boolean;
  /** Shell commands that the hook runs; a consent covers what they name. */
  readonly commands?: readonly string[];
  /** Environment variables that the definition sets for its commands; a consent covers what they make programs load. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders in which the hook is started or looks for its programs, besides the session's. */
  readonly folders?: readonly string[];
  /** The hook's events, if the definition lists them before it is loaded. */
  readonly events?: readonly string[];
  readonly filter?: string;
  readonly timeoutMs?: number;
  /** The effect of a failure of the hook, in words. */
  readonly onFailure?: string;
  /**
   * Whether this is a person's own hook that runs code of the project: then that code needs consent, but the definition
   * does not.
   */
  readonly runsProject?: true;
  /**
   * A program or file that the hook starts and that does not exist, with the remedy. The hook is loaded all the same,
   * and fails when it is asked.
   */
  readonly absent?: { readonly problem: string; readonly remedy: string };
  /** Whether only hookline runs the hook, because the dialect's own program does not look where the hook is. */
  readonly onlyHere?: true;
  /** The definition itself, which only the dialect reads. */
  readonly definition: unknown;
  /** The path of the identical copy that runs instead, if the state is `shadowed`. */
  readonly twin?: string;
}

/** A dialect's candidates, and the places that it searched. */
export interface Found {
  /** Every place that was searched, existing or not. */
  readonly searched: readonly string[];
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The session's services, folders and transports with which a dialect loads a candidate. */
export interface Surroundings {
  readonly scan: Scan;
  readonly scene: Scene;
  readonly services: HostServices;
  readonly contributions: Contributions;
  readonly transports: Transports;
  readonly clock: Clock;
  /** Values that all instances of a session share, such as an event bus, under keys that the dialects choose. */
  readonly shared: Map<string, unknown>;
  /** The dialect's cache across runs. */
  readonly cache?: TextCache;
  /** Runs hooks that nobody waits for, and lists them for the person. */
  readonly background: Background;
  /** Writes files that only the user can read, such as a transcript for a hook's program. */
  readonly privateFiles: PrivateFiles;
  /** The approved files, if the approval lists files. */
  readonly approved?: readonly LoadedFile[];
  /**
   * Returns whether a hook may have an effect besides its answer and the host's services, such as an event on its
   * dialect's bus. False for a hook in shadow, whose effect is only counted. Absent: every effect is allowed.
   */
  acts?(kind: string): boolean;
  /** Resolves soon after everything is loaded; for work that must not slow down the start. */
  started?(): Promise<void>;
}

/** The functions that run programs and modules, and that ask models and HTTP hooks. */
export interface Transports {
  readonly process: ProcessTransport;
  readonly module: ModuleTransport;
  readonly llm: LlmTransport;
  readonly http: HttpTransport;
}

/** Another agent's names for events, fields and configuration: translation tables and a loader. */
export interface Dialect {
  readonly id: string;
  /**
   * Names, places and settings. Without it, the dialect has no settings or places of its own, and its lanes are asked
   * last.
   */
  readonly about?: About;
  /** The lanes, in the dialect's own order. */
  readonly lanes: readonly Lane[];
  /** Whether the dialect's program refuses to start if a hook cannot be loaded; unattended runs do too (ruling 53). */
  readonly endsWhenBroken?: boolean;
  /**
   * Definitions that must load: guarded calls are refused until all of them do. `path` is that of the definition's
   * source.
   */
  readonly mustLoad?: readonly { readonly name: string; readonly path: string }[];
  /** Returns hookline's name for one of the program's tools; unknown names are returned unchanged. */
  toolOf?(name: string): string;
  /** Finds definitions without running them. Never throws for anything that it finds. */
  discover(scan: Scan): Found | Promise<Found>;
  /**
   * Loads one approved candidate: registers its hooks on the instance and adds its contributions. A fault of the
   * definition is thrown and becomes its load error; then nothing stays registered.
   */
  load(candidate: Candidate, instance: Instance, around: Surroundings): void | Promise<void>;
}
