import { type HookSession, isLoaded } from "@hookline/runtime/session";

/**
 * Whether hooks of a lane decide anything here. Only then is the model offered the tools of their program: where all of
 * them are in shadow, it is sent what it would be sent without them.
 */
export function decides({ report }: Pick<HookSession, "report">, lane: string): boolean {
  return report.sources.some((source) => source.lane === lane && isLoaded(source) && source.shadow !== true);
}

/** The description of a hook in shadow, in all output. */
export const IN_SHADOW = "in shadow: it is asked about what has been decided, and decides nothing";

/** Why a hook is not asked, as text. */
export function whyNot(why: string): string {
  return why === "shadow" ? IN_SHADOW : why;
}
