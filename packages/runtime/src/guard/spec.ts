import { isFields } from "@hookline/ground";
import type { Call } from "../hook/call.ts";
import type { Fits, HookSpec } from "../hook/hook.ts";
import type { Guard } from "./guard.ts";

/**
 * Converts a guard to a hook on its catalog event. The hook fails closed: if it breaks, what it guards is refused, and
 * what it redacts is withheld.
 */
export function guardSpec(of: Guard): HookSpec {
  const { name, on, tools, timeoutMs, cases = [] } = of;
  const fits: Fits = (tool, aliases) => tools === undefined || [tool, ...aliases].some((one) => tools.includes(one));
  return {
    event: on,
    run: (event, call: Call) => inFull(of.run(event, call)),
    failClosed: true,
    carries: { name, cases: cases.map((one) => (one.tool === undefined ? { tool: tools?.[0], ...one } : one)) },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(tools !== undefined && {
      match: ({ tool, aliases = [] }: Named) => fits(tool, aliases),
      filter: tools.join(", "),
      fits,
    }),
  } as HookSpec;
}

interface Named {
  readonly tool: string;
  readonly aliases?: readonly string[];
}

/** Expands a short answer to the event's own fields, also within a promise; other answers are returned unchanged. */
function inFull(answer: unknown): unknown {
  if (!isFields(answer)) return answer;
  if (typeof answer["then"] === "function")
    return Promise.resolve(answer as unknown as PromiseLike<unknown>).then(inFull);
  for (const decision of ["deny", "ask"]) {
    const { [decision]: reason, ...rest } = answer;
    if (reason !== undefined) return { ...rest, decision, reason };
  }
  return answer;
}
