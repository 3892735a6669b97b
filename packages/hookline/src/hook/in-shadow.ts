/** The description of a hook in shadow, in all output. */
export const IN_SHADOW = "in shadow: it is asked about what has been decided, and decides nothing";

/** Why a hook is not asked, as text. */
export function whyNot(why: string): string {
  return why === "shadow" ? IN_SHADOW : why;
}
