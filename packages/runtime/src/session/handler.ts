import { guess, HooklineError } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import type { Guard } from "../guard/guard.ts";
import { readGuard } from "../guard/read.ts";
import { guardSpec } from "../guard/spec.ts";
import type { HookSpec } from "../hook/hook.ts";
import type { OnOptions } from "./session-parts.ts";

/** The names of events whose text can be withheld. */
const REDACTABLE = [...catalog.values()].filter(({ withhold }) => withhold !== undefined).map(({ name }) => name);

/** Converts a library handler to a hook. Throws for an invalid event, handler or option. */
export function handlerSpec(event: string, handler: HookSpec["run"], options: OnOptions): HookSpec {
  check(event, handler, options);
  const { name = handler.name === "" ? undefined : handler.name, timeoutMs, redact } = options;
  return { event, name, run: handler, timeoutMs, failClosed: redact };
}

/** Converts a guard object, which a program has passed, to a hook. Throws for the first mistake in it. */
export function givenGuard(given: Guard): HookSpec {
  const { guard, faults } = readGuard(given, "the guard");
  const [fault] = faults;
  if (guard !== undefined && fault === undefined) return { ...guardSpec(guard), name: guard.name };
  const { problem = "it is not a guard", remedy = "" } = fault ?? {};
  throw new HooklineError("INVALID_OPTION", {
    option: "session.on: a guard",
    problem: `is not valid: ${problem}`,
    remedy,
  });
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
