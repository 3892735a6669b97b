import type { Attributes } from "@opentelemetry/api";
import type { Scene } from "../hook/lane.ts";
import { GEN_AI } from "./names.ts";

/** Returns the attributes of every span of a session: its id, and the sub-agent that the event belongs to. */
export function sceneAttributes({ sessionId, agentId, agentType }: Scene): Attributes {
  return {
    [GEN_AI.conversation]: sessionId,
    ...(agentId !== undefined && { [GEN_AI.agentId]: agentId }),
    ...(agentType !== undefined && { [GEN_AI.agent]: agentType }),
  };
}
