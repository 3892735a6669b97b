import type { HostUi } from "@hookline/runtime";

/** A question for a person's approval; `text` is shown whole and has been sanitised. */
export interface Agreement {
  readonly title: string;
  readonly text: string;
  /** The label of the answer that agrees. */
  readonly yes: string;
}

const NO = "No, leave everything as it is";

/** Whether anybody can be asked at all. */
export function canAsk(ui: HostUi | undefined): boolean {
  return ui?.select !== undefined || ui?.confirm !== undefined;
}

/**
 * Asks a person to approve exactly what they are shown. If a choice can be shown, the answer that changes nothing comes
 * first: a person may be typing when the question appears, and a letter or Enter must not agree.
 */
export async function agrees(
  ui: HostUi | undefined,
  { title, text, yes }: Agreement,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (ui?.select !== undefined) return (await ui.select(`${title}\n${text}`, [NO, yes], { signal })) === yes;
  return (await ui?.confirm?.(title, text, { signal })) ?? false;
}
