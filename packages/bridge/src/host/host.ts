import { join } from "node:path";
import type { EventName, Outcome, Payload } from "@hookline/runtime";
import type { Accept, AgentTools, CallReading, Folded } from "@hookline/runtime/engine";
import type { NativeAnswer } from "../client/native-answer.ts";
import type { HostAdapter } from "./adapter.ts";
import type { HostTable } from "./host-table.ts";
import type { HostNames } from "./names.ts";

/**
 * One agent behind the bridge, as data: to which of hookline's events each of its hook events leads, how a payload is
 * read, and how the hooks' answers are written in the agent's format. It is defined in `integrations/src/NAME/host` and
 * listed in `integrations/src/hosts.ts`. Nothing else knows a host by its name.
 */
export interface BridgeHost {
  /** The host's name on the command line, such as `codex`. */
  readonly name: string;
  /** The host's name for people, such as `Codex`. */
  readonly label: string;
  /**
   * The newest version of the host that this description was compared with; absent if it rests on public documentation
   * only.
   */
  readonly recorded?: string;
  /**
   * The dialect whose hooks this host itself loads from its own places. The bridge leaves them out, or they would run
   * twice.
   */
  readonly dialect?: string;
  /**
   * Variables of this host that hooks may see, beside those of every host (`environment.ts`): names, or prefixes that
   * end in `*`. A variable with a model's API key is removed whatever is listed.
   */
  readonly environment: readonly string[];
  /**
   * Identifies the host's processes: names of its program or package, and variables that only this host sets for its
   * commands and hooks.
   */
  readonly process?: { readonly names: readonly string[]; readonly marks: readonly string[] };
  /** Files and folders of the host's adapter, which its own tools must not change: absolute, or below `~/` or `./`. */
  readonly places: readonly string[];
  /** Variables that move a folder of the host, each with the folder's default path: `CODEX_HOME` with `~/.codex`. */
  readonly movedBy?: Readonly<Record<string, string>>;
  /** JSON files in which the host configures MCP servers; absent if the server's name is part of its tools' names. */
  readonly servers?: readonly string[];
  /** The host's tools, by its own names for them. */
  readonly tools: AgentTools;
  /**
   * Whether the host asks its person about this call if a hook answers `ask`. False in print mode, where nobody is
   * there and the host refuses it. `words` is the command line of its process, empty if the system does not show it.
   * Absent for a host that never asks.
   */
  asks?(call: HostCall, words: readonly string[]): boolean;
  /** The host's events, by its own names for them. `bridge call` refuses an event that is missing here. */
  readonly events: Readonly<Record<string, BridgeEvent>>;
  /** How long after a session's first call its start may still be reported, in ms; absent if the start comes first. */
  readonly lateStartMs?: number;
  /**
   * Returns the other agent that made the call, and its name for the event: Cursor, for example, runs Claude Code's
   * entries too. If that agent's own entries have asked about the event already, nobody is asked again.
   */
  guest?(
    event: string,
    env: Readonly<Record<string, string | undefined>>,
  ): { readonly host: string; readonly event: string } | undefined;
  /** Loads the host's adapter, which is needed only for an installation. */
  adapter(): Promise<HostAdapter>;
  /** Loads the table of what the host does not support, for the loss report. */
  table(): Promise<HostTable>;
  /** Loads the names of fields and arguments that the host was seen to use; absent if none were recorded. */
  names?(): Promise<HostNames>;
}

/** Folders and environment in which a host runs. */
export interface HostAt {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a command line has an option with which an agent prints its answer and ends. */
export function isPrinting(words: readonly string[], option: RegExp): boolean {
  const end = words.indexOf("--");
  return words.slice(1, end < 0 ? undefined : end).some((word) => option.test(word));
}

/** Returns a host's places as absolute paths. A place whose folder a variable in `movedBy` moves has both paths. */
export function placesIn(
  { movedBy = {} }: Pick<BridgeHost, "movedBy">,
  places: readonly string[],
  { cwd, home, env }: HostAt,
): readonly string[] {
  const moved = places.flatMap((place) =>
    Object.entries(movedBy).flatMap(([variable, folder]) => {
      const other = env[variable] ?? "";
      return other !== "" && place.startsWith(`${folder}/`) ? [`${other}${place.slice(folder.length)}`] : [];
    }),
  );
  return [...places, ...moved].map((place) => {
    const path = place.replace(/^~(?=\/)/, home);
    return join("/", path.startsWith("/") ? path : join(cwd, path));
  });
}

/** One event of a host. */
export interface BridgeEvent {
  /**
   * The events of hookline that `ask` may emit, in order. If no hook listens to any of them, the host's event may go on
   * while no daemon answers.
   */
  readonly moments: readonly EventName[];
  /** Whether the host waits for a decision at this event. Then every error refuses; otherwise it is ignored. */
  readonly guard: boolean;
  /** How long the host waits for a hook, as the adapter sets it, in ms. The bridge answers two seconds earlier. */
  readonly timeoutMs: number;
  /** Whether the event ends a session: then the session is closed when the answer is ready. */
  readonly ends?: true;
  /** Reads a parsed JSON payload. Returns `undefined` for one to ignore; throws for one that cannot be read. */
  read(payload: unknown, env: Readonly<Record<string, string | undefined>>): HostCall | undefined;
  /** Asks the hooks and writes their answer in the host's format. Rejects only for a fault of the bridge. */
  ask(call: HostCall, hooks: HostHooks): Promise<NativeAnswer>;
  /**
   * Returns the answer that refuses with this reason. The reason must appear in it only once and, in JSON, as an
   * escaped string: at install the answer is written to a file with a placeholder for the reason, so that the client
   * can refuse without the daemon and without parsing JSON. For an event that guards nothing, it has no effect in an
   * agent.
   */
  refusal(reason: string): NativeAnswer;
}

/** One call of a host, as `read` returns it. */
export interface HostCall {
  /** The host's id of the session. */
  readonly session: string;
  /**
   * Id of the tool call: two adapters that report the same id report the same call. Only set if ids are unique in a
   * session.
   */
  readonly call?: string;
  /** Milliseconds after which an equal `call` is another call. Only for an id that was made from the payload. */
  readonly callLastsMs?: number;
  /** The state of the session that hooks may read, if the payload has it; kept until a later call changes it. */
  readonly scene?: HostScene;
  /** The payload, which is passed to `ask`. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The state of a session that the host reports. */
export interface HostScene {
  readonly model?: string;
  readonly thinking?: string;
  /** The file in which the host stores the session. */
  readonly sessionFile?: string;
  readonly systemPrompt?: string;
  /** The session's messages, in the format of hookline's own events. */
  readonly messages?: readonly unknown[];
}

/** Counts how often hooks make a host's agent continue. Source: docs/reference/sources.md, rulings 61 and 89. */
export interface HostRetries {
  /** How often hooks of dialects other than Claude Code's made the agent continue; in a sub-agent, any hooks. */
  readonly count: number;
  /** Whether any hook has made the agent continue since the person's last prompt. */
  readonly any: boolean;
  /** How often all hooks together may make the agent continue after one prompt. */
  readonly cap: number;
  /** Resets the counts when the person sends a new prompt. */
  begin(): void;
  /**
   * Returns which of the lanes may make the agent continue once more; `notices` reports lanes over their limit.
   * `isContinued` is the host's own report whether hooks have already made this agent continue, `undefined` without
   * one.
   */
  grant(lanes: readonly string[], isContinued: boolean | undefined): ReadonlySet<string>;
}

/** The hooks of the session that a call belongs to. */
export interface HostHooks {
  /** The working folder of the session. */
  readonly cwd: string;
  /**
   * Asks the hooks about an event of hookline, until the call's deadline or until the host leaves. `accept` makes
   * arguments that a hook has changed fit to run, or throws why they cannot run.
   */
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: { readonly accept?: Accept | undefined },
  ): Promise<Outcome<Folded<E>>>;
  /** Whether any hook listens to this event. */
  listens(event: EventName): boolean;
  /** The MCP servers that the host's own files configure, by name. */
  servers(): readonly string[];
  /** Counts how often hooks have made the agent continue since the person's last prompt. */
  readonly retries: HostRetries;
  /** Called with each tool call that is read. */
  saw?(call: CallReading): void;
  /**
   * Returns and clears the lines to show to the person: project hooks that wait for approval, hooks that do not run,
   * limits that were reached. Show them at session start, or where the host can.
   */
  notices(): readonly string[];
  /** Adds a line to those for the person. */
  tell(line: string): void;
  /** Values that the host's code keeps between calls of this session. */
  readonly memory: Map<string, unknown>;
}
