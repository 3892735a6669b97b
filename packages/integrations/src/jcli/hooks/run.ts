import type { Call, Instance, Source, Surroundings } from "@hookline/runtime/dialect";
import { ownSettings, place } from "@hookline/runtime/dialect";
import type { Hook } from "@hookline/runtime/engine";
import { settings } from "../about.ts";
import { readPrinted, runBash } from "./bash.ts";
import type { Definition } from "./definition.ts";
import { isAnswered } from "./fields.ts";
import { describeFilter, fitsOf, matcherOf, reachOfFilter } from "./filter.ts";
import { extract, runLlm } from "./llm.ts";
import { Printed } from "./remarks.ts";
import type { HookContext } from "./views.ts";

/** The parameters for registering a hook, besides its definition. */
export interface Registration {
  readonly around: Surroundings;
  /** The definition's file and line. Default: the file that the hook was loaded from. */
  readonly source?: Source;
  /** Script files that the hook's command runs. */
  readonly scripts?: readonly string[];
}

const definitions = new WeakMap<Hook, Definition>();

/** Returns the definition that a hook was registered from; `undefined` for a hook that is a function. */
export function definitionOf(hook: Hook): Definition | undefined {
  return definitions.get(hook);
}

/** Registers a definition for each of its events. Returns a function that removes these hooks. */
export function register(
  definition: Definition,
  instance: Instance,
  { around, source = instance.source, scripts = [] }: Registration,
): () => void {
  const undo = definition.events.map((event) => {
    const { tier } = instance.source;
    const ask = (context: HookContext, call: Call): Promise<string> =>
      definition.type === "llm"
        ? runLlm(definition, context, call, around.transports.llm)
        : runBash(definition, context, call, {
            around,
            label: `${event} hook ${place(source)}`,
            tier,
            scripts,
          });
    const parse = definition.type === "llm" ? extract : readPrinted;
    const off = instance.on({
      event,
      run: async (given: HookContext, call: Call) => {
        const said = await ask(asConfigured(given, around), call);
        // The output of a hook that only observes need not be JSON.
        return new Printed(isAnswered(event) ? parse(said) : said);
      },
      fits: fitsOf(definition.filter),
      reach: reachOfFilter(definition.filter),
      match: matcherOf(definition.filter, around.scene) as ((event: never) => boolean) | undefined,
      filter: describeFilter(definition.filter),
      // The hook's time limit is `transportMs`, which does not count the time spent waiting for a free process slot.
      timeoutMs: Number.POSITIVE_INFINITY,
      transportMs: definition.timeoutMs,
      retry: definition.retry,
      onError: definition.onError,
      at: source,
    });
    const hook = instance.hooks.at(-1);
    if (hook !== undefined) definitions.set(hook, definition);
    return off;
  });
  return () => {
    for (const off of undo) off();
  };
}

/**
 * Swaps two fields if a setting says so: old guards expect the reply in `user_input`, where j-cli has the user's text
 * (ruling 26).
 */
function asConfigured(event: HookContext, { scan }: Surroundings): HookContext {
  const swap =
    ownSettings(scan.settings, { id: "jcli", rows: settings }).stopUserInput === "reply" &&
    event.user_input !== undefined;
  return swap && event.assistant_output !== undefined ? { ...event, user_input: event.assistant_output } : event;
}
