import type { CustomMessage } from "@hookline/runtime/internal";
import { ask } from "../hook/ask.ts";
import { hookContext } from "../hook/context.ts";
import { halted } from "../hook/halts.ts";
import { calledTemplate, templateText } from "../prompt/template.ts";
import { calledSkill, skillText } from "../skill/show.ts";
import type { Core } from "../turn/core.ts";
import type { PromptResult } from "../turn/event.ts";
import type { Resources } from "../turn/resources.ts";

/** A prompt as it is sent, and what hooks tell the model with it. */
export interface Expanded {
  readonly text: string;
  readonly context: readonly CustomMessage[];
}

/** What a typed text calls by its name. */
interface Called {
  readonly kind: "skill" | "template";
  readonly name: string;
  readonly args: string;
  readonly source: string;
  expand(): string;
}

/** Puts a skill or template in the place of the text that calls it, unless a hook stops that. */
export async function expand(core: Core, prompt: string): Promise<Expanded | PromptResult> {
  const called = calledBy(prompt, core.resources);
  if (called === undefined) return { text: prompt, context: [] };
  const { expand, ...about } = called;
  const { answer } = await ask(core, "prompt.expand", { ...about, prompt });
  if (answer.halt !== undefined) {
    if (core.halts.isOn) core.halts.take(answer.halt);
    return halted(answer.halt);
  }
  if (answer.stop) return { kind: "stopped", reason: answer.reason ?? `A hook stopped /${commandOf(called)}.` };
  return { text: expand(), context: hookContext("prompt.expand", answer.additionalContext) };
}

function calledBy(text: string, { skills, templates }: Resources): Called | undefined {
  const skill = calledSkill(text, skills);
  if (skill !== undefined) {
    const { name, path } = skill.skill;
    return { kind: "skill", name, args: skill.args, source: path, expand: () => skillText(skill) };
  }
  const template = calledTemplate(text, templates);
  if (template === undefined) return undefined;
  const { name, path } = template.template;
  return { kind: "template", name, args: template.args, source: path, expand: () => templateText(template) };
}

function commandOf({ kind, name }: Called): string {
  return kind === "skill" ? `skill:${name}` : name;
}
