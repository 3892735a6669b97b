import type { PromptOptions } from "@hookline/runtime/internal";
import { listedSkills } from "../skill/show.ts";

const OPENING =
  "You are a coding agent. You help the person by reading files, running commands and editing code, with the tools below.";

/** The system prompt before hooks: opening, tools, guidelines, context files, skills, further sections, date and folder. */
export function basePrompt(options: PromptOptions, date: string): string {
  const { customPrompt, selectedTools, toolSnippets, toolGuidelines, promptGuidelines } = options;
  const parts = [customPrompt ?? OPENING];
  if (customPrompt === undefined) {
    const tools = selectedTools.flatMap((name) => (toolSnippets[name] ? `- ${name}: ${toolSnippets[name]}` : []));
    const rules = [...selectedTools.flatMap((name) => toolGuidelines[name] ?? []), ...promptGuidelines];
    if (tools.length > 0) parts.push(`Tools:\n${tools.join("\n")}`);
    if (rules.length > 0) parts.push(`Guidelines:\n${[...new Set(rules)].map((rule) => `- ${rule}`).join("\n")}`);
  }
  if (options.appendSystemPrompt !== "") parts.push(options.appendSystemPrompt);
  for (const file of options.contextFiles) parts.push(`# ${file.path}\n\n${file.content.trim()}`);
  const canRead = selectedTools.includes("read") || selectedTools.includes("bash");
  const skills = canRead ? listedSkills(options.skills) : "";
  if (skills !== "") parts.push(skills);
  for (const [name, text] of Object.entries(options.sections)) parts.push(`<${name}>\n${text}\n</${name}>`);
  parts.push(`Current date: ${date}\nCurrent working directory: ${options.cwd}`);
  return parts.join("\n\n");
}
