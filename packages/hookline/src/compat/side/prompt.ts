import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { Content } from "@hookline/runtime/internal";
import { fillArguments, splitArguments } from "../../prompt/arguments.ts";
import { basePrompt } from "../../turn/system-prompt.ts";
import type { SideTexts, SideTool } from "./parts.ts";

/** The system prompt of a side session: its loader's, otherwise the agent's own. */
export function sidePrompt(texts: SideTexts, tools: readonly SideTool[], cwd: string): string {
  const custom = texts.getSystemPrompt?.();
  const options = {
    ...(custom !== undefined && { customPrompt: custom }),
    selectedTools: tools.map(({ name }) => name),
    toolSnippets: Object.fromEntries(tools.map(({ name, promptSnippet = "" }) => [name, promptSnippet])),
    toolGuidelines: Object.fromEntries(tools.map(({ name, promptGuidelines = [] }) => [name, promptGuidelines])),
    promptGuidelines: [],
    appendSystemPrompt: (texts.getAppendSystemPrompt?.() ?? []).join("\n\n"),
    sections: {},
    cwd,
    contextFiles: texts.getAgentsFiles?.().agentsFiles ?? [],
    skills: texts.getSkills?.().skills ?? [],
  };
  return basePrompt(options, new Date().toISOString().slice(0, 10));
}

/** Expands `/name argument …` if the loader has a template with that name. */
export function expanded(text: string, texts: SideTexts): string {
  const [, name, rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const template = texts.getPrompts?.().prompts.find((one) => one.name === name);
  return template === undefined ? text : fillArguments(template.content, splitArguments(rest));
}

/** A message from the person, with images. */
export function userMessage(text: string, images: readonly Content[] = []): AgentMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() } as AgentMessage;
}
