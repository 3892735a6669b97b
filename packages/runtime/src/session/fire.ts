import { diagnose } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { Station } from "../hook/lane.ts";
import type { DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import { firePlan } from "../run/fire.ts";
import { NOBODY, type Outcome } from "../run/outcome.ts";
import { askInShadow } from "./shadows.ts";

/** Options for firing an event by hand; `signal` ends the wait for the hooks. */
export interface FireOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The context and the functions that firing an event by hand needs. */
export interface FireParts extends FireOptions {
  readonly context: DispatchContext;
  isShadow(hook: Hook): boolean;
}

/**
 * Asks one lane's hooks about an event in the dialect's form. Hooks in shadow are asked afterwards, about the event as
 * the others left it; their answers are returned beside the outcome, not in it.
 */
export async function fireStation(
  { lane, row, hooks }: Station,
  event: object,
  { context, signal, isShadow }: FireParts,
): Promise<Outcome> {
  if (hooks.length === 0) {
    const diagnostic = diagnose("NOBODY_LISTENS", { lane: lane.id, event: row.name }, { event: row.name });
    return { ...NOBODY, diagnostics: [diagnostic] };
  }
  const counting = hooks.filter((hook) => !isShadow(hook));
  const own: DispatchContext = { ...context, trace: true };
  const outcome: Outcome =
    counting.length === 0 ? NOBODY : await dispatch(firePlan(lane, row, counting), event, own, signal);
  const shadows: Outcome[] = [];
  // The outcome has only the fields that the hooks changed; they replace the event's.
  const final = { ...event, ...changed(outcome, row.feeds) };
  for (const hook of hooks)
    if (isShadow(hook)) shadows.push(await askInShadow(firePlan(lane, row, [hook]), final, own));
  if (shadows.length === 0) return outcome;
  return {
    ...outcome,
    hooks: [...outcome.hooks, ...shadows.flatMap((one) => one.hooks)],
    diagnostics: [...outcome.diagnostics, ...shadows.flatMap((one) => one.diagnostics)],
  };
}

/** Returns the fields of an answer that replace fields of the event: those in `feeds`. */
function changed({ answer }: Outcome, feeds: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => Object.hasOwn(feeds, name) && value !== undefined),
  );
}
