import type { Payload } from "@hookline/runtime";
import type { HostHooks } from "../host/host.ts";
import type { HostRow } from "./rows.ts";

/** The hooks' answers to a session's start. */
export interface StartVerdict {
  readonly context: readonly string[];
  /** The reason why the session must not go on. */
  readonly halt?: string;
}

/** Asks the hooks at a session's start. */
export async function askStart(hooks: HostHooks, reason: Payload<"session.start">["reason"]): Promise<StartVerdict> {
  const { answer } = await hooks.emit("session.start", { reason });
  return {
    context: (answer.additionalContext ?? []).filter((text) => text.trim() !== ""),
    ...(answer.halt !== undefined && { halt: answer.halt.reason || "A hook ended the session." }),
  };
}

/** The row of a session's start in a host that cannot be stopped then. */
export const startRow: HostRow<{ readonly context: readonly string[]; readonly notices: readonly string[] }> = {
  moments: ["session.start"],
  async say({ source }, hooks) {
    const { context } = await askStart(hooks, startReason(source));
    return { context, notices: hooks.notices() };
  },
};

/** Translates Claude Code's reason for a session's start. */
export function startReason(source: unknown): Payload<"session.start">["reason"] {
  return source === "resume" ? "resume" : source === "clear" ? "new" : "startup";
}

/** Makes the row of a session's end, whose answer is ignored. */
export function endRow(timeoutMs: number): HostRow<never> {
  return {
    moments: ["session.end"],
    timeoutMs,
    ends: true,
    async say({ reason }, hooks) {
      await hooks.emit("session.end", { reason: reason === "clear" ? "new" : "quit" });
      return undefined;
    },
  };
}
