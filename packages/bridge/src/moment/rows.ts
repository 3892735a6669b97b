import type { Fields } from "@hookline/ground";
import type { NativeAnswer } from "../client/native-answer.ts";
import type { BridgeEvent, BridgeHost, HostHooks } from "../host/host.ts";
import { isSentOn } from "./stop.ts";
import { beginRun } from "./tool.ts";

/** One event of a host, as a row of its table. */
export interface HostRow<Said> extends Pick<BridgeEvent, "moments"> {
  /** Asks the hooks; returns their answer in the host's format, or `undefined`. */
  say(payload: Fields, hooks: HostHooks): Promise<Said | undefined>;
  /** Returns the prompt that the event is about. Required for a row that emits `input` or `prompt.before`. */
  prompt?(payload: Fields, hooks: HostHooks): Prompt;
  /** Returns the refusal of the event; absent if there is nothing to refuse. */
  refuse?(reason: string): Said;
  readonly timeoutMs?: number;
  readonly ends?: true;
}

/** A text that a host is about to send to its model. */
export interface Prompt {
  readonly text: string;
  /**
   * The author of the text; absent if unknown. `model`: the model wrote it for a sub-agent, or the host wrote it.
   * `known`: hooks were already asked about it at another event.
   */
  readonly from?: "person" | "model" | "known";
  /** True if the host joins the feedback of all hooks, so hookline's may be only a part of the text. */
  readonly isJoined?: boolean;
}

/** Settings that all events of a host share. */
interface HostWords<Said> extends Pick<BridgeEvent, "read" | "timeoutMs"> {
  /** The events in whose answers the host shows lines for the person; all events if absent. */
  readonly tells?: readonly string[];
  /** Writes an answer in the host's format. */
  write(event: string, said: Said | undefined): NativeAnswer;
}

/** Makes the bridge events from a host's table. */
export function eventsOf<Said>(
  table: Readonly<Record<string, HostRow<Said>>>,
  { read, write, timeoutMs, tells = Object.keys(table) }: HostWords<Said>,
): BridgeHost["events"] {
  return Object.fromEntries(
    Object.entries(table).map(([name, { say, refuse, moments, ends, prompt, ...row }]): [string, BridgeEvent] => [
      name,
      {
        moments,
        guard: refuse !== undefined,
        timeoutMs: row.timeoutMs ?? timeoutMs,
        ...(ends && { ends }),
        read,
        ask: async ({ payload }, hooks) => {
          const asked = prompt?.(payload, hooks);
          if (asked !== undefined && isEcho(asked, hooks)) return write(name, undefined);
          const said = await say(payload, hooks);
          const lines = tells.includes(name) && !ends ? hooks.notices() : [];
          return write(name, lines.length === 0 ? said : withLines(said, lines));
        },
        refusal: (reason) => write(name, refuse?.(reason || "Refused.")),
      },
    ]),
  );
}

/** Adds lines for the person to an answer. */
function withLines<Said>(said: Said | undefined, lines: readonly string[]): Said {
  const { notices = [] } = (said ?? {}) as { readonly notices?: readonly string[] };
  return { ...said, notices: [...notices, ...lines] } as Said;
}

/**
 * Whether a prompt is the text with which hooks made the agent continue: then nobody is asked about it, and the run
 * goes on. A person's prompt begins a new run.
 */
function isEcho(prompt: Prompt, hooks: HostHooks): boolean {
  const { from } = prompt;
  if (from !== "person" && isSentOn(hooks, prompt)) return true;
  if (from === "model" || from === "known") return false;
  beginRun(hooks);
  hooks.retries.begin();
  return false;
}
