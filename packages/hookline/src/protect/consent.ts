import type { HostUi } from "@hookline/runtime";

/** A question for a person's approval. `text` is shown in full and must be sanitised. */
export interface Agreement {
  readonly title: string;
  readonly text: string;
  /** The label of the choice that approves. */
  readonly yes: string;
}

const NO = "No, leave everything as it is";

/** Whether a person can be asked. */
export function canAsk(ui: HostUi | undefined): boolean {
  return ui?.select !== undefined || ui?.confirm !== undefined;
}

/**
 * Asks a person to approve exactly what they are shown. The choice that changes nothing comes first: the person may be
 * typing when the question appears, and a letter or Enter must not approve.
 */
export async function agrees(
  ui: HostUi | undefined,
  { title, text, yes }: Agreement,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (ui?.select !== undefined) return (await ui.select(`${title}\n${text}`, [NO, yes], { signal })) === yes;
  return (await ui?.confirm?.(title, text, { signal })) ?? false;
}
