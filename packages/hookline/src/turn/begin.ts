import type { Message, Payload } from "@hookline/runtime";
import type { Content, PromptOptions, PromptParts } from "@hookline/runtime/engine";
import { keepWithinLimit } from "../compact/limit.ts";
import { ask } from "../hook/ask.ts";
import { authorsOf } from "../hook/author.ts";
import { contextMessages, tellDropped, type WaitingText, waitingTexts } from "../hook/context.ts";
import { halted } from "../hook/halts.ts";
import { standingRules } from "../rule/find.ts";
import { listedSkills } from "../skill/show.ts";
import { admit } from "./admit.ts";
import { writtenBy } from "./author.ts";
import { type Core, newRun, type Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { mayRetry, userMessage } from "./feedback.ts";
import { nameByHook } from "./session-name.ts";

const OPENING =
  "You are a coding agent. You help the person by reading files, running commands and editing code, with the tools below.";

/** The images and the sender of a text that starts a run. */
export interface Sent {
  readonly images?: readonly Content[] | undefined;
  /** The module that wrote the text, if no person did. */
  readonly sender?: string | undefined;
}

/** The text with which a run starts, its context, and the signal that aborts the run. */
export interface Opening extends Sent {
  /** The text as the person typed it; empty for a run that a hook starts. */
  readonly typed: string;
  readonly text: string;
  /** Context that hooks add for the model. */
  readonly context?: readonly WaitingText[] | undefined;
  readonly signal: AbortSignal;
}

/** The parts of an agent that are needed to prepare a run. */
export interface Opener {
  readonly core: Core;
  /** Adds the prompt, which is not stored yet, to the conversation that hooks read; `undefined` removes it again. */
  showOnItsWay(message: Message | undefined): void;
  useSystemPrompt(text: string): void;
  setActiveTools(names: readonly string[]): void;
  /** Replaces the opening, tools and guidelines in the system prompt, if set. */
  readonly customPrompt: string | undefined;
  /** Follows the guidelines, or `customPrompt`, in the system prompt; may be empty. */
  readonly appendedPrompt: string;
}

type PromptSource = Pick<Opener, "core" | "customPrompt" | "appendedPrompt">;

/**
 * Asks hooks about an expanded prompt (skills, templates) and prepares its run. Source: catalog.md, "Order of one
 * prompt".
 */
export async function begin(opener: Opener, opening: Opening): Promise<Run | PromptResult> {
  const { core } = opener;
  const { text, images, context = [], signal } = opening;
  const run = newRun(core, { typed: opening.typed, prompt: text, signal });
  const pictures = images !== undefined && images.length > 0 ? { images } : {};
  let hooks = opening.sender === undefined ? [] : [opening.sender];
  const before = await ask(core, "prompt.before", { text, ...pictures }, signal);
  const told = [...context, ...waitingTexts("prompt.before", before.answer.additionalContext, before.hooks)];
  const aborted = (): PromptResult => {
    tellDropped(core, told);
    return { kind: "aborted" };
  };
  run.prompt = before.answer.text ?? text;
  if (before.answer.halt !== undefined && !signal.aborted) return halted(before.answer.halt);
  if (before.answer.stop) {
    if (signal.aborted) return aborted();
    if (before.answer.feedback === undefined || !mayRetry(run, before.said))
      return { kind: "stopped", reason: before.answer.reason ?? "A hook stopped the prompt." };
    run.prompt = before.answer.feedback;
    hooks = [...authorsOf(run.prompt, before.hooks)];
  }
  run.prompt = (await core.contexts?.receive(run.prompt)) ?? run.prompt;
  await nameByHook(core, before.answer.title);
  const message = writtenBy(userMessage(run.prompt, images), hooks);
  opener.showOnItsWay(message);
  await ask(core, "input.sent", { text: run.prompt }, signal);
  run.mayCompact = await keepWithinLimit(core, signal, [message]);
  if (core.halts.result !== undefined) return core.halts.result;
  const more = await openRun(opener, run, { prompt: run.prompt, ...pictures });
  if (signal.aborted) return aborted();
  run.pending.push(message, ...contextMessages(told), ...core.queues.takeForPrompt(), ...more);
  opener.showOnItsWay(undefined);
  return run;
}

/**
 * Builds a run's system prompt. Hooks that are asked about the start of the run may change its prompt and tools, and
 * add messages, which are returned.
 */
async function openRun(
  opener: Opener,
  run: Run,
  about: Pick<Payload<"agent.before-start">, "prompt" | "images" | "message"> | undefined,
): Promise<readonly Message[]> {
  const promptParts = await buildPrompt(opener, run);
  const payload = about && { ...about, systemPrompt: run.systemPrompt, promptParts };
  const answer = payload && (await ask(opener.core, "agent.before-start", payload, run.signal)).answer;
  if (answer?.activeTools !== undefined) opener.setActiveTools(answer.activeTools);
  run.systemPrompt = answer?.systemPrompt ?? withTools(opener, promptParts, run.systemPrompt);
  opener.useSystemPrompt(run.systemPrompt);
  return answer?.messages ?? [];
}

/** Renders the system prompt again if hooks have switched tools on or off since it was built. */
function withTools(opener: Opener, { options, render }: PromptParts, prompt: string): string {
  const now = optionsOf(opener);
  const tools = now.selectedTools;
  if (tools.length === options.selectedTools.length && tools.every((name, i) => name === options.selectedTools[i]))
    return prompt;
  return prompt.replace(render(options), () => render(now));
}

/** Prepares a run for messages of hooks or queued texts. */
export async function beginFor(
  opener: Opener,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Run | PromptResult> {
  const run = newRun(opener.core, { typed: "", prompt: "", signal });
  const admitted = await admit(run, messages);
  if (opener.core.halts.result !== undefined) return opener.core.halts.result;
  if (admitted.length === 0) return { kind: "stopped", reason: "A hook stopped the prompt." };
  const [message] = admitted;
  const isOfHook = message?.role === "custom";
  const more = await openRun(opener, run, isOfHook ? { prompt: "", message } : undefined);
  if (signal.aborted) return { kind: "aborted" };
  run.pending.push(...admitted, ...opener.core.queues.takeForPrompt(), ...more);
  return run;
}

/** Builds the system prompt as it is before hooks change it. */
export function baseOf(opener: PromptSource): string {
  return partsOf(opener).render(optionsOf(opener));
}

/** Returns the parts of the system prompt before hooks change them. */
export function optionsOf({ core, customPrompt, appendedPrompt }: PromptSource): PromptOptions {
  const all = core.tools();
  const tools = core.activeTools().flatMap((name) => all.get(name)?.tool ?? []);
  const { contextFiles, skills, rules } = core.resources;
  const custom = customPrompt ?? core.contexts?.opening();
  return {
    ...(custom !== undefined && { customPrompt: custom }),
    selectedTools: tools.map(({ name }) => name),
    toolSnippets: Object.fromEntries(
      tools.flatMap(({ name, promptSnippet }) => (promptSnippet === undefined ? [] : [[name, promptSnippet]])),
    ),
    toolGuidelines: Object.fromEntries(tools.map(({ name, promptGuidelines = [] }) => [name, [...promptGuidelines]])),
    promptGuidelines: [],
    appendSystemPrompt: appendedPrompt,
    sections: {},
    cwd: core.scene.cwd,
    contextFiles: [...contextFiles, ...standingRules(rules)].map(({ path, content }) => ({ path, content })),
    skills: skills.map(({ name, description, path, folder, hidden }) => ({
      name,
      description,
      filePath: path,
      baseDir: folder,
      disableModelInvocation: hidden,
    })),
  };
}

/** Returns the parts of the system prompt with the function that renders them. */
function partsOf(opener: PromptSource): PromptParts {
  const date = new Date().toISOString().slice(0, 10);
  return {
    options: optionsOf(opener),
    render: (options) => [basePrompt(options, date), ...(opener.core.contexts?.sections() ?? [])].join("\n\n"),
  };
}

/** Builds the system prompt, and puts texts of hooks on `prompt.build` before and after it. Returns its parts. */
async function buildPrompt(opener: Opener, run: Run): Promise<PromptParts> {
  const parts = partsOf(opener);
  const base = parts.render(parts.options);
  const { before = [], after = [] } = (await ask(opener.core, "prompt.build", { base }, run.signal)).answer;
  run.systemPrompt = [...before, base, ...after].join("\n\n");
  return parts;
}

/**
 * Renders hookline's own part of the system prompt: `customPrompt`, or else the opening, tools and guidelines; then the
 * appended text, context files, skills, further sections, date and folder.
 */
function basePrompt(options: PromptOptions, date: string): string {
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
