import { type HookSession, isLoaded } from "@hookline/runtime/session";

/**
 * Whether a lane has a loaded hook that is not in shadow. Only then is the model offered the tools of the program for
 * which the lane's hooks are written: if all are in shadow, the model gets the same request as without them.
 */
export function decides({ report }: Pick<HookSession, "report">, lane: string): boolean {
  return report.sources.some((source) => source.lane === lane && isLoaded(source) && source.shadow !== true);
}

/** The description of a hook in shadow, the same in all output. */
export const IN_SHADOW = "in shadow: it is asked about what has been decided, and decides nothing";

/** Returns, as text for a person, why a hook is not asked. */
export function whyNot(why: string): string {
  return why === "shadow" ? IN_SHADOW : why;
}
