import { join } from "node:path";
import type { EventName, Outcome, Payload } from "@hookline/runtime";
import type { Accept, AgentTools, CallReading, Folded } from "@hookline/runtime/engine";
import type { NativeAnswer } from "../client/native-answer.ts";
import type { HostAdapter } from "./adapter.ts";
import type { HostTable } from "./host-table.ts";
import type { HostNames } from "./names.ts";

/**
 * One agent behind the bridge, as data: which of its hook events ask which moments of the catalog, how a payload is
 * read, and how what the hooks said is put in the agent's own words. A host is one folder in `hosts/`, and one line in
 * `hosts/index.ts`. Nothing outside of its folder knows a host by its name.
 */
export interface BridgeHost {
  /** The host's name on the command line, such as `codex`. */
  readonly name: string;
  /** The host's name for people, such as `Codex`. */
  readonly label: string;
  /** The newest version that the tables were held against; absent where all is known from public documentation only. */
  readonly recorded?: string;
  /** The dialect whose hooks this host loads from its own places. Those are left to it, or they would run twice. */
  readonly dialect?: string;
  /**
   * Variables of this host that hooks may see, beside those that every host's hooks see (`environment.ts`). Names, or
   * beginnings of names that end in `*`. A name that holds a key of a model is removed whatever is listed.
   */
  readonly environment: readonly string[];
  /**
   * How its processes are known: by the names of its program, or of the package that it is in, and by variables that it sets
   * for the commands and hooks that it runs, and nobody else.
   */
  readonly process?: { readonly names: readonly string[]; readonly marks: readonly string[] };
  /** Files and folders in which its adapter lies, which its own tools must not change: absolute, or below `~/` or `./`. */
  readonly places: readonly string[];
  /** Variables that move a folder in which such places lie, and the folder that each stands for: below `~/`. */
  readonly movedBy?: Readonly<Record<string, string>>;
  /** Files in which it configures MCP servers, as JSON; absent where names of their tools tell the server. */
  readonly servers?: readonly string[];
  /** Its tools, by the names that it gives them itself. */
  readonly tools: AgentTools;
  /**
   * Whether it asks its person about this call where a hook says so; it refuses the call where nobody is there. `words` are
   * the command line of its process, empty if the system does not show them. Absent for a host that never asks.
   */
  asks?(call: HostCall, words: readonly string[]): boolean;
  /** Its events, by the names that it gives them itself. An event that is missing here is refused by `bridge call`. */
  readonly events: Readonly<Record<string, BridgeEvent>>;
  /** How long the start of a session may arrive behind its first call, in ms: the host does not wait for it. */
  readonly lateStartMs?: number;
  /**
   * Another agent that runs the entries of this host, too, when a call comes from there: its name, and its own event. Where
   * that agent also has entries of its own, these are not asked.
   */
  guest?(
    event: string,
    env: Readonly<Record<string, string | undefined>>,
  ): { readonly host: string; readonly event: string } | undefined;
  /** How its adapter is installed; loaded when somebody installs it. */
  adapter(): Promise<HostAdapter>;
  /** Loads the table of what the host's moments lack, for the loss report. */
  table(): Promise<HostTable>;
  /** The names that it was seen to use; absent where nobody has seen it. */
  names?(): Promise<HostNames>;
}

/** Where a host runs. */
export interface HostAt {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a command line has one of the options with which an agent prints its answer and ends. */
export function isPrinting(words: readonly string[], option: RegExp): boolean {
  const end = words.indexOf("--");
  return words.slice(1, end < 0 ? undefined : end).some((word) => option.test(word));
}

/** Places of a host as whole paths, and where they lie instead for a person who has moved a folder. */
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
   * Every moment that `ask` may emit, in order. When no hook listens to any of them, the client goes on without a
   * decision while the daemon is away.
   */
  readonly moments: readonly EventName[];
  /** Whether the host waits for a decision here: then whatever goes wrong refuses. Otherwise it says nothing. */
  readonly guard: boolean;
  /** When the host gives up on a hook, as the adapter sets it. The bridge answers two seconds earlier. */
  readonly timeoutMs: number;
  /** True for the event with which a session ends: it is closed when the answer is ready. */
  readonly ends?: true;
  /** Reads a payload, which is JSON that was parsed. Nothing for one that is to be ignored; throws for one that cannot be read. */
  read(payload: unknown, env: Readonly<Record<string, string | undefined>>): HostCall | undefined;
  /** Asks the hooks and puts what they say in the host's words. Rejects only for a fault of the bridge. */
  ask(call: HostCall, hooks: HostHooks): Promise<NativeAnswer>;
  /**
   * The answer that refuses, with this reason. It must be the host's words with the reason in one place, as JSON writes
   * it where that is the format: it is also written to a file at install, with a mark for the reason, so that the client
   * can refuse without the daemon and without reading JSON. Of an event that guards nothing: what says nothing.
   */
  refusal(reason: string): NativeAnswer;
}

/** One call of a host, read. */
export interface HostCall {
  /** The host's id of the session. */
  readonly session: string;
  /** Id of the tool call, by which the same call from two installed adapters is known. Only where ids are unique in a session. */
  readonly call?: string;
  /** How long the id names the same call, in ms, where it is made of the payload; absent for an id of the host. */
  readonly callLastsMs?: number;
  /** The state of the session that hooks may read, if the payload has it; kept until a later call changes it. */
  readonly scene?: HostScene;
  /** The payload, for `ask`. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The state of its session that a host reports. */
export interface HostScene {
  readonly model?: string;
  readonly thinking?: string;
  /** The file in which the host keeps the session. */
  readonly sessionFile?: string;
  readonly systemPrompt?: string;
  /** In the shape of the catalog's messages. */
  readonly messages?: readonly unknown[];
}

/** Counts how often hooks send a host's agent on. Source: decisions 61 and 89. */
export interface HostRetries {
  /** How many retries hooks of the seeds' dialects asked for. */
  readonly count: number;
  /** Whether there was any. */
  readonly any: boolean;
  /** The most that this host allows, whichever hooks want it. */
  readonly cap: number;
  /** Starts anew: a person has said something. */
  begin(): void;
  /**
   * The lanes among these that may send the agent on once more. Those over their limit are not heard, which `notices`
   * tells. `isContinued` is the host's own word for whether hooks have sent this agent on; undefined of a host without one.
   */
  grant(lanes: readonly string[], isContinued: boolean | undefined): ReadonlySet<string>;
}

/** The hooks of the session that a call belongs to. */
export interface HostHooks {
  /** The working folder of the session. */
  readonly cwd: string;
  /**
   * Asks the hooks of a moment. Ends with the call: at its deadline, or when the host has gone. `accept` as for the agent:
   * it makes changed arguments fit to run, or throws why they cannot.
   */
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: { readonly accept?: Accept | undefined },
  ): Promise<Outcome<Folded<E>>>;
  /** Whether any hook listens. */
  listens(event: EventName): boolean;
  /** The MCP servers that the host's own files configure, by name. */
  servers(): readonly string[];
  /** The retries that hooks asked for since a person last said something. */
  readonly retries: HostRetries;
  /** Receives each call that is read. */
  saw?(call: CallReading): void;
  /**
   * Takes the lines that the person should see since the last call: project hooks that wait for approval, hooks that do
   * not run, limits that were reached. Each is given once; show them at session start, or where the host can.
   */
  notices(): readonly string[];
  /** Puts a line among those that the person should see. */
  tell(line: string): void;
  /** Values that the host's own code keeps between calls of this session. */
  readonly memory: Map<string, unknown>;
}
