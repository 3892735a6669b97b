import type { OfferedByAgent } from "./core.ts";

/** What the base of the system prompt is made of. */
export interface PromptParts {
  readonly cwd: string;
  readonly tools: Iterable<OfferedByAgent>;
  /** Replaces the agent's own opening. */
  readonly custom?: string | undefined;
  /** Texts of context files, with their paths. */
  readonly contextFiles?: readonly { readonly path: string; readonly content: string }[];
  /** The list of skills; empty where there are none. */
  readonly skills?: string;
  readonly date: string;
}

const OPENING =
  "You are a coding agent. You help the person by reading files, running commands and editing code, with the tools below.";

/** The system prompt before hooks: opening, tools, guidelines, context files, skills, date and folder. */
export function basePrompt(parts: PromptParts): string {
  const sections = [parts.custom ?? OPENING];
  const snippets: string[] = [];
  const guidelines = new Set<string>();
  for (const { tool } of parts.tools) {
    if (tool.promptSnippet !== undefined) snippets.push(`- ${tool.name}: ${tool.promptSnippet}`);
    for (const guideline of tool.promptGuidelines ?? []) guidelines.add(`- ${guideline}`);
  }
  if (parts.custom === undefined) {
    if (snippets.length > 0) sections.push(`Tools:\n${snippets.join("\n")}`);
    if (guidelines.size > 0) sections.push(`Guidelines:\n${[...guidelines].join("\n")}`);
  }
  for (const file of parts.contextFiles ?? []) sections.push(`# ${file.path}\n\n${file.content.trim()}`);
  if (parts.skills) sections.push(parts.skills);
  sections.push(`Current date: ${parts.date}\nCurrent working directory: ${parts.cwd}`);
  return sections.join("\n\n");
}
