import type { Content, Message } from "@hookline/runtime";
import { keepWithinLimit } from "../compact/limit.ts";
import { standingRules } from "../rule/find.ts";
import { listedSkills } from "../skill/show.ts";
import { ask, type Core, newRun, type Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { mayRetry, userMessage } from "./feedback.ts";
import { basePrompt } from "./system-prompt.ts";

/** What begins a run. */
export interface Opening {
  /** As it was typed; empty for a run that a hook begins. */
  readonly typed: string;
  readonly text: string;
  readonly images?: readonly Content[] | undefined;
  readonly signal: AbortSignal;
}

/** What the agent does for the first steps of a prompt. */
export interface Opener {
  readonly core: Core;
  /** Shows the prompt to hooks that look at the conversation before it is stored. */
  showOnItsWay(message: Message | undefined): void;
  useSystemPrompt(text: string): void;
  /** Replaces the agent's own opening of the system prompt. */
  readonly customPrompt: string | undefined;
}

/** Takes an expanded prompt through the hooks to the beginning of the loop. Source: catalog.md, "Order of one prompt". */
export async function begin(opener: Opener, opening: Opening): Promise<Run | PromptResult> {
  const { core } = opener;
  const { text, images, signal } = opening;
  const run = newRun(core, { typed: opening.typed, prompt: text, signal });
  const pictures = images !== undefined && images.length > 0 ? { images } : {};
  const before = await ask(core, "prompt.before", { text, ...pictures }, signal);
  run.prompt = before.answer.text ?? text;
  if (before.answer.stop) {
    if (before.answer.feedback === undefined || !mayRetry(run))
      return { kind: "stopped", reason: "A hook stopped the prompt." };
    run.prompt = before.answer.feedback;
  }
  run.prompt = (await core.contexts?.receive(run.prompt)) ?? run.prompt;
  const message = userMessage(run.prompt, images);
  opener.showOnItsWay(message);
  await ask(core, "input.sent", { text: run.prompt }, signal);
  run.mayCompact = await keepWithinLimit(core, signal, [message]);
  await buildPrompt(opener, run);
  const start = await ask(
    core,
    "agent.before-start",
    { prompt: run.prompt, ...pictures, systemPrompt: run.systemPrompt },
    signal,
  );
  run.systemPrompt = start.answer.systemPrompt ?? run.systemPrompt;
  opener.useSystemPrompt(run.systemPrompt);
  if (signal.aborted) return { kind: "aborted" };
  run.pending.push(message, ...core.queues.takeForPrompt(), ...(start.answer.messages ?? []).flat());
  opener.showOnItsWay(undefined);
  return run;
}

/** The same for messages of hooks that ask for a run of their own: no hook has a say before the loop. */
export async function beginFor(opener: Opener, messages: readonly Message[], signal: AbortSignal): Promise<Run> {
  const run = newRun(opener.core, { typed: "", prompt: "", signal });
  await buildPrompt(opener, run);
  opener.useSystemPrompt(run.systemPrompt);
  run.pending.push(...messages, ...opener.core.queues.takeForPrompt());
  return run;
}

/** The system prompt before hooks: the agent's opening, tools, standing rules, skills, context files. */
export function baseOf({ core, customPrompt }: Pick<Opener, "core" | "customPrompt">): string {
  const all = core.tools();
  const tools = core.activeTools().flatMap((name) => all.get(name) ?? []);
  const { contextFiles, skills, rules } = core.resources;
  const canRead = tools.some(({ tool }) => tool.name === "read" || tool.name === "bash");
  const base = basePrompt({
    cwd: core.scene.cwd,
    tools,
    custom: customPrompt ?? core.contexts?.opening(),
    contextFiles: [...contextFiles, ...standingRules(rules)],
    skills: canRead ? listedSkills(skills) : "",
    date: new Date().toISOString().slice(0, 10),
  });
  return [base, ...(core.contexts?.sections() ?? [])].join("\n\n");
}

async function buildPrompt(opener: Opener, run: Run): Promise<void> {
  const base = baseOf(opener);
  const { before = [], after = [] } = (await ask(opener.core, "prompt.build", { base }, run.signal)).answer;
  run.systemPrompt = [...before.flat(), base, ...after.flat()].join("\n\n");
}
