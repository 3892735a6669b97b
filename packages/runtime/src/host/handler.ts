import { catalog } from "../catalog/catalog.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { HookSpec } from "../hook/hook.ts";
import type { OnOptions } from "./session-parts.ts";

/** Events whose text can be withheld. */
const REDACTABLE = [...catalog.values()].filter(({ withhold }) => withhold !== undefined).map(({ name }) => name);

/** A library handler as a hook. Throws for an invalid event, handler or option. */
export function handlerSpec(event: string, handler: HookSpec["run"], options: OnOptions): HookSpec {
  check(event, handler, options);
  const { name = handler.name === "" ? undefined : handler.name, timeoutMs, redact } = options;
  return { event, name, run: handler, timeoutMs, failClosed: redact };
}

function check(event: string, handler: unknown, { redact }: OnOptions): void {
  if (!catalog.has(event)) throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) });
  if (typeof handler !== "function")
    throw new HooklineError("INVALID_OPTION", {
      option: `The handler of "${event}"`,
      problem: "is not a function",
      remedy: "Pass a function.",
    });
  if (redact === true && catalog.get(event)?.withhold === undefined)
    throw new HooklineError("INVALID_OPTION", {
      option: `redact for "${event}"`,
      problem: "has no text that could be withheld",
      remedy: `Redact on one of these events: ${REDACTABLE.join(", ")}.`,
    });
}
