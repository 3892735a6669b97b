import type { BridgeEvent, BridgeHost, HostHooks, NativeAnswer } from "../host.ts";
import type { Fields } from "../payload.ts";

/** One event of a host, as a row of its table. */
export interface HostRow<Said> extends Pick<BridgeEvent, "moments"> {
  /** Asks the hooks; gives what they say in the host's words, or nothing. */
  say(payload: Fields, hooks: HostHooks): Promise<Said | undefined>;
  /** How the event is refused; absent where there is nothing to refuse. */
  refuse?(reason: string): Said;
  readonly timeoutMs?: number;
  readonly ends?: true;
}

/** What all events of a host have in common. */
interface HostWords<Said> extends Pick<BridgeEvent, "read" | "timeoutMs"> {
  /** What is said, as the host reads it. */
  write(event: string, said: Said | undefined): NativeAnswer;
}

/** The events of a host's table, as the bridge takes them. */
export function eventsOf<Said>(
  table: Readonly<Record<string, HostRow<Said>>>,
  { read, write, timeoutMs }: HostWords<Said>,
): BridgeHost["events"] {
  return Object.fromEntries(
    Object.entries(table).map(([name, { say, refuse, moments, ends, ...row }]): [string, BridgeEvent] => [
      name,
      {
        moments,
        guard: refuse !== undefined,
        timeoutMs: row.timeoutMs ?? timeoutMs,
        ...(ends && { ends }),
        read,
        ask: async ({ payload }, hooks) => write(name, await say(payload, hooks)),
        refusal: (reason) => write(name, refuse?.(reason || "Refused.")),
      },
    ]),
  );
}
