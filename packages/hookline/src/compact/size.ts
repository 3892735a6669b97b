import type { Message } from "@hookline/runtime";
import type { Core } from "../turn/core.ts";
import { contextSize, tokensOfAll, tokensOfText } from "./tokens.ts";

/** How large the session's next request will be, in tokens. `waiting` are messages that are not stored yet. */
export function contextTokens(core: Core, waiting: readonly Message[] = []): number {
  return contextSize(core.store.sharedProjection(), () => overhead(core)).tokens + tokensOfAll(waiting);
}

/** What a request has beside its messages, in tokens. */
export function overhead(core: Core): number {
  const all = core.tools();
  const tools = core.activeTools().reduce((sum, name) => {
    const found = all.get(name)?.tool;
    return found === undefined ? sum : sum + JSON.stringify(found.parameters).length + found.description.length;
  }, 0);
  return tokensOfText(core.systemPrompt) + Math.ceil(tools / 4);
}
