import { catalog } from "../catalog/catalog.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { OnOptions } from "./session-parts.ts";

/** Events of which something can be kept back. */
const REDACTABLE = [...catalog.values()].filter(({ withhold }) => withhold !== undefined).map(({ name }) => name);

/** Throws for an event, a handler or options that a library handler cannot be registered with. */
export function checkHandler(event: string, handler: unknown, { redact }: OnOptions): void {
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
      problem: "has nothing that could be withheld",
      remedy: `Redact where text goes by: ${REDACTABLE.join(", ")}.`,
    });
}
