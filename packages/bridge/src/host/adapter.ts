/** The owner of an installation: a person, or a project. */
export type Scope = "user" | "project";

/** One hook entry of a host that asks the bridge. */
export interface Entry {
  readonly event: string;
  readonly command: string;
  /** The time limit in the host's own unit. */
  readonly timeout: number;
}

/** Folders and environment of a person. */
export interface At {
  readonly home: string;
  readonly hooklineHome: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Describes how a host is configured to ask the bridge. */
export interface HostAdapter {
  /** Returns the path of the file that holds the hook entries. */
  path(scope: Scope, at: At): string;
  /** The unit of the host's time limits. */
  readonly unit: "s" | "ms";
  format(scope: Scope, at: At): AdapterFormat;
  /** Whether to skip an event that the person's version of the host, or for a project any version, may not know. */
  leavesOut?(event: string, scope: Scope, at: At): boolean;
  /** Returns the command of an entry; without it, entries run the shell command that starts the client. */
  command?(event: string): string;
  /** Returns what the host would download before it starts with the entries; nothing if it is already there. */
  needs?(scope: Scope, at: At): Need | undefined;
  /** The host's own trust step, which the installation never takes unless a person says so. */
  readonly trust: HostTrust;
  /** Files of other agents that this agent reads too, so that hook entries which are installed there also run here. */
  readonly reads?: readonly { readonly host: string; readonly scopes: readonly Scope[] }[];
  /** Returns warnings about other settings of the host that run other hooks, or have hookline's hooks asked twice. */
  also?(scope: Scope, at: At): readonly string[];
  /** The variable that contains the session's folder, for a host that starts its hooks in another folder. */
  readonly folder?: string;
  /** The host's own settings that make it skip hooks. */
  readonly off?: HooksOff;
  /** Returns notes for the person about an installation that works. */
  notes?(scope: Scope, at: At): readonly string[];
}

/** Settings that make a host skip hooks, each as a path of keys. */
export interface HooksOff {
  /** The host runs no hook if this setting has this value in the file that takes precedence. */
  readonly all: readonly [path: readonly string[], value: boolean];
  /** The setting that lists commands which the host skips. */
  readonly some?: readonly string[];
  /** Returns files that take precedence over the project's, such as `.claude/settings.local.json`. */
  first?(at: At): readonly string[];
}

/** A prerequisite of a host besides the hook entries, such as a download. */
export interface Need {
  /** Tells the person in a sentence or two what is needed, why, and what hookline does about it. */
  readonly text: string;
  /** Installs what is needed; throws an error for the person if that fails. */
  provide(): Promise<void>;
}

/** Reads and writes entries in a host's file. All methods throw an error for the person if they cannot read a text. */
export interface AdapterFormat {
  /** Whether the host accepts comments in its settings. */
  readonly hasComments?: boolean;
  /** Returns the text with exactly these entries of hookline; everything else stays, character by character. */
  write(text: string | undefined, entries: readonly Entry[]): string;
  /** Returns the text without hookline's entries; `undefined` if nothing else is in it. */
  strip(text: string): string | undefined;
  /** Finds hookline's entries, and the events of other hooks. */
  find(text: string): Found;
  /** Whether the text has exactly this entry, with the same limit and without a matcher. */
  has(text: string, entry: Entry): boolean;
}

/** The contents of a host's file, as far as they concern hooks. */
export interface Found {
  readonly entries: readonly Entry[];
  readonly foreign: readonly string[];
}

/** The host's own approval of hooks. */
export interface HostTrust {
  /** Says what the person must do, in one or more sentences; `undefined` if the host asks for nothing. */
  how?(scope: Scope, at: At): string | undefined;
  /** Whether the host trusts this file's entries, or `unknown`; absent for a host that cannot be asked. */
  given?(path: string, at: At): Promise<boolean | "unknown">;
  /** Prepares the host's trust in this file's entries, for a person to agree to. Throws an error if it cannot. */
  grant?(path: string, at: At): Promise<Grant>;
}

/** Trust in hook entries, which `give` has the host record once a person has agreed. */
export interface Grant {
  /**
   * The full text for the person: what becomes trusted, the bytes to which the trust is bound, and what is written
   * where.
   */
  readonly text: string;
  /** Whether everything is already trusted. */
  readonly isGiven: boolean;
  give(): Promise<void>;
  close(): void;
}
