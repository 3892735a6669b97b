import type { PromptSkill } from "@hookline/runtime/internal";
import type { Skill } from "./skill.ts";

const PREFIX = "/skill:";

/** The part of the system prompt that lists the skills; empty where the model may use none. */
export function listedSkills(skills: readonly PromptSkill[]): string {
  const shown = skills.filter(({ disableModelInvocation }) => !disableModelInvocation);
  if (shown.length === 0) return "";
  return [
    "Skills are instructions for certain kinds of task. When a task fits a description, read the skill's file first.",
    "Paths in a skill are relative to the folder of its file; use absolute paths in commands.",
    "<available_skills>",
    ...shown.flatMap(({ name, description, filePath }) => [
      "  <skill>",
      `    <name>${escaped(name)}</name>`,
      `    <description>${escaped(description)}</description>`,
      `    <location>${escaped(filePath)}</location>`,
      "  </skill>",
    ]),
    "</available_skills>",
  ].join("\n");
}

/** The text that `/skill:name …` stands for; undefined when it names no skill. Source: spec/pi.md 1.2, "input". */
export function expandSkill(text: string, skills: readonly Skill[]): string | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const end = text.search(/\s/);
  const name = text.slice(PREFIX.length, end < 0 ? undefined : end);
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) return undefined;
  const block = `<skill name="${skill.name}" location="${skill.path}">\nReferences are relative to ${skill.folder}.\n\n${skill.body}\n</skill>`;
  const rest = end < 0 ? "" : text.slice(end).trim();
  return rest === "" ? block : `${block}\n\n${rest}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
