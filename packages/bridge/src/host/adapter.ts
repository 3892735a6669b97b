/** The owner of an installation: a person, or a project. */
export type Scope = "user" | "project";

/** One hook entry of a host that asks the bridge. */
export interface Entry {
  readonly event: string;
  readonly command: string;
  /** In the host's own unit. */
  readonly timeout: number;
}

/** Where a person is. */
export interface At {
  readonly home: string;
  readonly hooklineHome: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a host is made to ask the bridge. */
export interface HostAdapter {
  /** The file that holds the entries. */
  path(scope: Scope, at: At): string;
  /** The unit of the host's time limits. */
  readonly unit: "s" | "ms";
  format(scope: Scope, at: At): AdapterFormat;
  /** Whether the version that a person has, or any version for a project, may not know an event. */
  leavesOut?(event: string, scope: Scope, at: At): boolean;
  /** Returns the command of an entry; without it, entries run the shell command that starts the client. */
  command?(event: string): string;
  /** Returns what the host would download before it starts with the entries; nothing if it is already there. */
  needs?(scope: Scope, at: At): Need | undefined;
  /** The host's own trust step, which the installation never takes unless a person says so. */
  readonly trust: HostTrust;
  /** Files of other agents that this one reads too: what is installed there asks hookline from here as well. */
  readonly reads?: readonly { readonly host: string; readonly scopes: readonly Scope[] }[];
  /** Other places of the host from which hookline's hooks would be asked a second time, or other hooks run. */
  also?(scope: Scope, at: At): readonly string[];
  /** The variable that names the folder of the session, where the host starts its hooks in another one. */
  readonly folder?: string;
  /** The host's own settings that make it skip hooks. */
  readonly off?: HooksOff;
  /** Returns notes for the person about an installation that works. */
  notes?(scope: Scope, at: At): readonly string[];
}

/** Settings that make a host skip hooks, each as a path of names. */
export interface HooksOff {
  /** It runs no hook if this one has this value; the last file that has the setting decides. */
  readonly all: readonly [path: readonly string[], value: boolean];
  /** A list of commands that it skips. */
  readonly some?: readonly string[];
  /** Files whose settings count before those of the project, which count before the person's. */
  first?(at: At): readonly string[];
}

/** Something that a host needs beside the entries. */
export interface Need {
  /** Says what is needed, why, and what is done about it, in a sentence or two. */
  readonly text: string;
  /** Puts it there; throws what a person is told where it cannot. */
  provide(): Promise<void>;
}

/** How entries stand in a host's file. Everything throws what a person is told, for a text that it cannot read. */
export interface AdapterFormat {
  /** The text with exactly these entries of hookline in it; everything else stays, character by character. */
  write(text: string | undefined, entries: readonly Entry[]): string;
  /** The text without hookline's entries; `undefined` where nothing else is in it. */
  strip(text: string): string | undefined;
  /** Finds hookline's entries, and the events of other hooks. */
  find(text: string): Found;
  /** Whether this entry is in it unchanged: no matcher, no other limit. */
  has(text: string, entry: Entry): boolean;
}

/** The contents of a host's file, as far as they concern hooks. */
export interface Found {
  readonly entries: readonly Entry[];
  readonly foreign: readonly string[];
}

/** The host's own approval of hooks. */
export interface HostTrust {
  /** Says what the person must do, in one or more sentences; absent if the host asks for nothing. */
  how?(scope: Scope, at: At): string | undefined;
  /** Whether the host runs the entries of this file; absent where that cannot be asked. */
  given?(path: string, at: At): Promise<boolean | "unknown">;
  /** Shows the host's own words for what would be trusted, and does it; throws why it cannot. */
  grant?(path: string, at: At): Promise<Grant>;
}

/** A trust that can be given for a person who agrees to it. */
export interface Grant {
  /** In full: what is trusted, by which bytes, and what is written where. */
  readonly text: string;
  /** Whether everything is already trusted. */
  readonly isGiven: boolean;
  give(): Promise<void>;
  close(): void;
}
