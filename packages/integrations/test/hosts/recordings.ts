import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Beside the seeds. */
const folder = join(
  process.env["HOOKLINE_SEEDS"] ?? join(import.meta.dirname, "../../../../../shared/seeds"),
  "../spec/hosts",
);

/** Whether the recordings of other agents lie beside the repository. */
export const hasRecordings = existsSync(folder);

/** One recorded call of a hook. */
export interface RecordedCall {
  readonly id: string;
  /** The event of the entry that was run, where the recording keeps the host's file. */
  readonly event?: string;
  readonly stdin: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The record of one run of a host. Source: spec/hosts/README.md. */
export interface Recording {
  readonly name: string;
  readonly exit: number;
  readonly hookAnswers?: Readonly<Record<string, { readonly stdout?: unknown; readonly exit?: number }>>;
  readonly hookCalls?: readonly RecordedCall[];
  readonly modelRequests?: readonly { readonly lastItems: readonly unknown[] }[];
  readonly stdout?: string;
  readonly stderrHookLines?: string;
}

interface Recorded extends Omit<Recording, "name"> {
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly inProcessHooks?: readonly { readonly hook: string; readonly payload?: Readonly<Record<string, unknown>> }[];
}

/** The recordings of a host, by name. */
export function recordingsOf(host: string): readonly Recording[] {
  const names = readdirSync(join(folder, host)).filter((name) => name.endsWith(".json"));
  return names.sort().map((file) => {
    const text = readFileSync(join(folder, host, file), "utf8");
    const { inProcessHooks = [], config = {}, ...recorded } = JSON.parse(text) as Recorded;
    // The bridge gets an extension's payload together with the session's id. OpenCode's bus is recorded as
    // `event:TYPE`.
    const within = inProcessHooks.map(({ hook, payload }) => ({
      id: hook.replace(/^event:/, ""),
      stdin: { event: payload ?? {} },
    }));
    const calls = recorded.hookCalls?.map((call) => ({ ...call, ...eventOf(call.id, config) }));
    return { ...recorded, hookCalls: calls ?? within, name: file.slice(0, -".json".length) };
  });
}

/** The event whose entry runs the program of this id: the last word of its command. */
function eventOf(id: string, config: NonNullable<Recorded["config"]>): { readonly event?: string } {
  const lists = Object.values(config).flatMap((file) => Object.entries(file));
  const found = lists.find(([, entries]) => JSON.stringify(entries).includes(` ${id}"`));
  return found === undefined ? {} : { event: found[0] };
}

/** Fields of every payload of a host, by the host's own names. */
const EVERYWHERE = { session: "$UUID", session_id: "$UUID", sessionId: "$UUID", cwd: "$PROJ" };

/**
 * The recorded calls with whole payloads. Recordings keep some fields only of the first call of each kind; the others are
 * given those of a whole call of the same event.
 */
export function wholeCalls(
  all: readonly Recording[],
  eventOf: (call: RecordedCall) => string | undefined,
): readonly {
  readonly recording: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}[] {
  const calls = all.flatMap(({ name, hookCalls = [] }) => hookCalls.map((call) => ({ recording: name, call })));
  const whole = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { call } of calls) {
    const event = eventOf(call);
    const before = event === undefined ? undefined : whole.get(event);
    if (event !== undefined && JSON.stringify(call.stdin).length > JSON.stringify(before ?? {}).length)
      whole.set(event, call.stdin);
  }
  return calls.flatMap(({ recording, call }) => {
    const event = eventOf(call);
    return event === undefined ? [] : [{ recording, event, payload: merged(whole.get(event) ?? {}, call.stdin) }];
  });
}

function merged(whole: Fields, own: Fields): Fields {
  const event = { ...(whole["event"] as Fields | undefined), ...(own["event"] as Fields | undefined) };
  return { ...EVERYWHERE, ...whole, ...own, ...(Object.keys(event).length > 0 && { event }) };
}

type Fields = Readonly<Record<string, unknown>>;
