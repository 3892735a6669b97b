import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { exclusionOf } from "@hookline/runtime/engine";
import type { Agent } from "../agent/agent.ts";
import { contextCommand } from "../agent/command/context.ts";
import { CACHE_DEFAULTS } from "../cache/keep.ts";
import { Contexts } from "../context/contexts.ts";
import { chibiHome } from "../context/home.ts";
import { ask } from "../hook/ask.ts";
import { decides } from "../hook/in-shadow.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Place } from "./place.ts";

/** Makes chibi's contexts, which name sessions, for `--context` and `--transient-context`. Throws if one is invalid. */
export function contextsOf(args: Arguments, io: Io, place: Place): Contexts {
  const { cwd, home } = place;
  const setting = <T>(key: string, byDefault: T): T => (place.settings.user.get(key) as T | undefined) ?? byDefault;
  const asked = askedContext(args);
  try {
    return new Contexts({
      home: chibiHome({ env: io.env, home, cwd }),
      cwd,
      userHome: home,
      asked,
      cache: {
        threshold: setting("toolOutputCache.threshold", CACHE_DEFAULTS.threshold),
        previewChars: setting("toolOutputCache.previewChars", CACHE_DEFAULTS.previewChars),
      },
      allowedPaths: setting<readonly string[]>("toolOutputCache.allowedPaths", []),
    });
  } catch (thrown) {
    throw wrongUse(asked?.transient ? "--transient-context" : "--context", "names no context", messageOf(thrown));
  }
}

/** Gives chibi's contexts access to the agent, and adds the command `/context` to it. */
export function joinContexts(agent: Agent, contexts: Contexts): void {
  contexts.attach({
    store: () => agent.core.store,
    emit: async (event, payload) => ask(agent.core, event, payload),
    warn: (text) => agent.core.tell({ type: "notice", level: "warning", text }),
    hasPlugins: () => decides(agent.core.hooks, "chibi"),
    isLeftOut: (path) => exclusionOf(agent.core.hooks.contributions)?.has(path, "read") ?? false,
  });
  const command = contextCommand(agent, contexts);
  agent.commands.set(command.name, command);
}

function askedContext(args: Arguments): { readonly request: string; readonly transient: boolean } | undefined {
  const lasting = textFlag(args, "context");
  const transient = textFlag(args, "transient-context");
  if (lasting !== undefined && transient !== undefined)
    throw wrongUse("--context", "and --transient-context both name a context", "Give one of the two.");
  if (transient !== undefined) return { request: transient, transient: true };
  return lasting === undefined ? undefined : { request: lasting, transient: false };
}
