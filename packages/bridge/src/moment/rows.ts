import type { Fields } from "@hookline/ground";
import type { NativeAnswer } from "../client/native-answer.ts";
import type { BridgeEvent, BridgeHost, HostHooks } from "../host/host.ts";
import { isSentOn } from "./stop.ts";
import { beginRun } from "./tool.ts";

/** One event of a host, as a row of its table. */
export interface HostRow<Said> extends Pick<BridgeEvent, "moments"> {
  /** Asks the hooks; gives what they say in the host's words, or nothing. */
  say(payload: Fields, hooks: HostHooks): Promise<Said | undefined>;
  /** The prompt that the event is about; every event that asks `input` or `prompt.before` has one. */
  prompt?(payload: Fields, hooks: HostHooks): Prompt;
  /** How the event is refused; absent where there is nothing to refuse. */
  refuse?(reason: string): Said;
  readonly timeoutMs?: number;
  readonly ends?: true;
}

/** A text that a host is about to give to its model. */
export interface Prompt {
  readonly text: string;
  /** `model`: the model has written it, for a sub-agent. `known`: another event has asked about it. */
  readonly from?: "person" | "model" | "known";
  /** The host may have joined a hook's feedback with that of its own hooks, each on lines of its own. */
  readonly isJoined?: boolean;
}

/** Settings that all events of a host share. */
interface HostWords<Said> extends Pick<BridgeEvent, "read" | "timeoutMs"> {
  /** The events whose answers have lines for the person that the host shows; all where they are not named. */
  readonly tells?: readonly string[];
  /** Writes an answer in the host's format. */
  write(event: string, said: Said | undefined): NativeAnswer;
}

/** The events of a host's table, as the bridge takes them. */
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
 * Whether a prompt is what hooks have sent the agent on with: nobody is asked about it, and the run goes on. With a
 * prompt of a person another run begins.
 */
function isEcho({ text, from, isJoined = false }: Prompt, hooks: HostHooks): boolean {
  if (from !== "person" && isSentOn(hooks, text, isJoined)) return true;
  if (from === "model" || from === "known") return false;
  beginRun(hooks);
  hooks.retries.begin();
  return false;
}
