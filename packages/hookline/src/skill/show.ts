import type { PromptSkill } from "@hookline/runtime/engine";
import type { Skill } from "./skill.ts";

const PREFIX = "/skill:";

/** Formats the part of the system prompt that lists skills; empty if the model may use none. */
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

/** A skill with the arguments of a call. */
export interface CalledSkill {
  readonly skill: Skill;
  readonly args: string;
}

/** Finds the skill that `/skill:name …` calls; undefined if there is none. Source: spec/pi.md 1.2, "input". */
export function calledSkill(text: string, skills: readonly Skill[]): CalledSkill | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const end = text.search(/\s/);
  const name = text.slice(PREFIX.length, end < 0 ? undefined : end);
  const skill = skills.find((one) => one.name === name);
  return skill && { skill, args: end < 0 ? "" : text.slice(end).trim() };
}

/** Fills a skill with its arguments; returns the text that is sent instead of the typed `/skill:name …`. */
export function skillText({ skill: { name, path, folder, body }, args }: CalledSkill): string {
  const block = `<skill name="${name}" location="${path}">\nReferences are relative to ${folder}.\n\n${body}\n</skill>`;
  return args === "" ? block : `${block}\n\n${args}`;
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
