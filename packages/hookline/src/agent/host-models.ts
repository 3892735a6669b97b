import { type HostModels, messageOf } from "@hookline/runtime/internal";
import type { ModelRegistry } from "../provider/registry.ts";
import { isThinkingLevel } from "../provider/thinking.ts";
import type { Agent } from "./agent.ts";
import { selectModel, selectThinking } from "./select.ts";

/** The models that hooks may choose and add. */
export function hostModels(late: { readonly agent?: Agent }, registry: ModelRegistry): HostModels {
  return {
    current: () => late.agent && { ...late.agent.core.model },
    async set(model) {
      const found = registry.find(model.provider, model.id);
      if (found === undefined || late.agent === undefined || !registry.hasConfiguredAuth(found)) return false;
      const kept = await selectModel(late.agent, found, "set");
      if (kept !== undefined) late.agent.core.tell({ type: "notice", level: "warning", text: kept });
      return kept === undefined;
    },
    thinkingLevel: () => late.agent?.core.thinking ?? "off",
    setThinkingLevel(level) {
      const { agent } = late;
      if (agent === undefined || !isThinkingLevel(level)) return;
      selectThinking(agent, level).catch((thrown: unknown) =>
        agent.core.tell({ type: "notice", level: "error", text: messageOf(thrown) }),
      );
    },
    registerProvider: (name, config) => registry.registerProvider(name, config as never),
    unregisterProvider: (name) => registry.unregisterProvider(name),
  };
}
