import type { Scene } from "@hookline/runtime";
import type { Case } from "./case.ts";
import { fromData } from "./data.ts";

/** The session as the host of a case knows it. */
export function sceneOf({ scene = {} }: Case): Scene {
  const { messages = [], systemPrompt, ...rest } = fromData(scene) as Record<string, unknown>;
  return {
    sessionId: "session",
    cwd: "/project",
    messages: () => messages as never,
    ...(systemPrompt !== undefined && { systemPrompt: () => systemPrompt as string }),
    ...rest,
  };
}
