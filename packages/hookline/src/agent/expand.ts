import { ask } from "../hook/ask.ts";
import { type WaitingText, waitingTexts } from "../hook/context.ts";
import { halted } from "../hook/halts.ts";
import { calledTemplate, templateText } from "../prompt/template.ts";
import { calledSkill, skillText } from "../skill/show.ts";
import type { Core } from "../turn/core.ts";
import type { PromptResult } from "../turn/event.ts";
import type { Resources } from "../turn/resources.ts";

/** A prompt after expansion, with the context that hooks add for the model. */
export interface Expanded {
  readonly text: string;
  readonly context: readonly WaitingText[];
}

/** A skill, template or prompt that a typed text calls by name. */
interface Called {
  readonly kind: "skill" | "template" | "mcp";
  readonly name: string;
  readonly args: string;
  readonly source: string;
  expand(): string | Promise<string>;
}

/** Replaces the call of a skill or template by its text. Returns a result instead if a hook stops the prompt. */
export async function expand(core: Core, prompt: string): Promise<Expanded | PromptResult> {
  const called = calledBy(prompt, core.resources) ?? (await calledPrompt(prompt, core));
  if (called === undefined) return { text: prompt, context: [] };
  const { expand, ...about } = called;
  const { answer, hooks } = await ask(core, "prompt.expand", { ...about, prompt });
  if (answer.halt !== undefined) {
    if (core.halts.isOn) core.halts.take(answer.halt);
    return halted(answer.halt);
  }
  if (answer.stop) return { kind: "stopped", reason: answer.reason ?? `A hook stopped /${commandOf(called)}.` };
  return { text: await expand(), context: waitingTexts("prompt.expand", answer.additionalContext, hooks) };
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

/** Finds the MCP server's prompt that a text calls as `/server:prompt`. Waits if that server is still starting. */
async function calledPrompt(text: string, { servers }: Core): Promise<Called | undefined> {
  const [, name = "", given = ""] = /^\/([^\s:]+:\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === "" || servers === undefined) return undefined;
  await servers.settled(name.slice(0, name.indexOf(":")));
  const found = servers.prompts.get(name);
  if (found === undefined) return undefined;
  const { server, prompt } = found;
  const { promptText } = await import("../mcp/prompt.ts");
  return { kind: "mcp", name, args: given, source: server.name, expand: () => promptText(server, prompt, given) };
}

function commandOf({ kind, name }: Called): string {
  return kind === "skill" ? `skill:${name}` : name;
}
