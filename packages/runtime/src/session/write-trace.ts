import type { Clock } from "@hookline/ground";
import { type Diagnostic, diagnose, messageOf } from "@hookline/ground";
import type { Scene } from "../hook/lane.ts";
import type { Outcome } from "../run/outcome.ts";
import { traceLine } from "../run/trace.ts";
import type { SessionOptions } from "./session-parts.ts";

interface Ended {
  readonly event: string;
  readonly outcome: Outcome;
  readonly scene: Scene;
  readonly clock: Clock;
  /** Whether the event was only a test of a guard with the guard's test case. */
  readonly isProbe?: boolean;
}

/**
 * Writes one dispatch to the trace, if there is one. An error of the trace's receiver is reported and changes nothing.
 */
export function writeTrace(
  { trace, host }: Pick<SessionOptions, "trace" | "host">,
  { event, outcome, scene, clock, isProbe }: Ended,
  tell: (diagnostic: Diagnostic) => void,
): void {
  if (trace === undefined) return;
  const { sessionId: session, agentId: agent } = scene;
  try {
    trace.write(
      traceLine(event, outcome, { host, session, agent, isProbe, t: clock.wall(), payloads: trace.payloads ?? false }),
    );
  } catch (thrown) {
    tell(diagnose("LISTENER_THREW", { what: "the trace", problem: messageOf(thrown) }));
  }
}
