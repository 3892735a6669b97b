import { type Content, messageOf, type UserMessage } from "@hookline/runtime/internal";
import { ask } from "../hook/ask.ts";
import type { PromptResult } from "../turn/event.ts";
import { userMessage } from "../turn/feedback.ts";
import type { Agent } from "./agent.ts";
import { expand } from "./expand.ts";
import { BUSY } from "./occupancy.ts";
import { problemText } from "./problem.ts";
import { readUserCommand } from "./user-command.ts";

/** Where a prompt comes from. */
export type PromptSource = "interactive" | "rpc" | "extension";

/** How a prompt is taken. */
export interface PromptOptions {
  readonly images?: readonly Content[] | undefined;
  readonly source?: PromptSource;
  /** What becomes of it while another runs; without it, it is refused. */
  readonly streaming?: "steer" | "followUp" | undefined;
  /** The module whose text it is, for texts of extensions. */
  readonly sender?: string | undefined;
  /** Whether an extension's text may call up skills and templates. */
  readonly expandTemplates?: boolean | undefined;
}

/**
 * Takes typed text to where it belongs: a command of the person's own, an extension's, one of the agent's, or the
 * loop. Text of an extension is never a command. Source: catalog.md, "Order of one prompt".
 */
export async function submit(agent: Agent, text: string, options: PromptOptions): Promise<PromptResult> {
  const { source = "interactive", images } = options;
  const { core } = agent;
  const isTyped = source !== "extension";
  if (!isTyped && !agent.takesHookTurns) return NO_TURN;
  if (isTyped) {
    core.hookTurns.reset();
    const own = readUserCommand(text);
    if (own !== undefined) return agent.userCommands.run(agent, own);
    const command = extensionCommand(agent, text);
    if (command !== undefined) return command();
  }
  const { answer } = await ask(core, "input", {
    text,
    ...(images !== undefined && { images }),
    source,
    ...(!agent.isIdle && options.streaming !== undefined && { streaming: options.streaming }),
  });
  if (answer.stop) return { kind: "stopped", reason: "A hook stopped the prompt." };
  if (answer.handled) return { kind: "handled" };
  const submitted = answer.text ?? text;
  const builtin = isTyped ? builtinCommand(agent, submitted) : undefined;
  if (builtin !== undefined) return builtin();
  const expands = isTyped || options.expandTemplates === true;
  const expanded = expands ? await expand(core, submitted) : { text: submitted, context: [] };
  if ("kind" in expanded) return expanded;
  const pictures = answer.images ?? images;
  const sender = isTyped ? undefined : (options.sender ?? "A hook");
  if (agent.isIdle) {
    if (sender !== undefined && !(agent.takesHookTurns && core.hookTurns.count(core, sender))) return NO_TURN;
    return agent.answer(text, expanded, pictures);
  }
  const streaming = options.streaming ?? (agent.isEnding && !isTyped ? "followUp" : undefined);
  if (streaming === undefined) throw new Error(BUSY);
  if (sender !== undefined && !agent.takesHookTurns) return NO_TURN;
  const message = queue(agent, streaming, expanded.text, pictures);
  core.queues.putBehind(message, expanded.context);
  if (sender !== undefined) core.hookTurns.sent(message, sender);
  return { kind: "queued" };
}

/** What becomes of a hook's text when hooks may start no turn. */
const NO_TURN: PromptResult = { kind: "stopped", reason: "A hook's text started no turn." };

/**
 * Puts a client's text into one of the queues, whether a prompt runs or not. It passes the hooks and calls up skills
 * and templates like any other; a command of an extension is refused, because nobody would run it.
 */
export async function enqueue(
  agent: Agent,
  text: string,
  behavior: "steer" | "followUp",
  images: readonly Content[] | undefined,
): Promise<void> {
  if (extensionCommand(agent, text) !== undefined) {
    const { name } = splitCommand(text) ?? {};
    throw new Error(`Extension command "/${name}" cannot be queued. Send it as a prompt, which runs it at once.`);
  }
  const { core } = agent;
  core.hookTurns.reset();
  const { answer } = await ask(core, "input", {
    text,
    ...(images !== undefined && { images }),
    source: "rpc",
    ...(!agent.isIdle && { streaming: behavior }),
  });
  if (answer.stop || answer.handled) return;
  const expanded = await expand(core, answer.text ?? text);
  if ("kind" in expanded) throw new Error("reason" in expanded ? expanded.reason : "A hook stopped the text.");
  core.queues.putBehind(queue(agent, behavior, expanded.text, answer.images ?? images), expanded.context);
}

/** Puts text into one of the queues of the running prompt; gives the message that waits. */
function queue(
  agent: Agent,
  streaming: "steer" | "followUp",
  text: string,
  images: readonly Content[] = [],
): UserMessage {
  const message = userMessage(text, images);
  const { queues } = agent.core;
  if (streaming === "steer") queues.steer(message);
  else queues.followUp(message);
  return message;
}

/** `/name args`, split at the first blank; the arguments are not trimmed. */
export function splitCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const at = text.search(/\s/);
  return at < 0 ? { name: text.slice(1), args: "" } : { name: text.slice(1, at), args: text.slice(at + 1) };
}

type Command = () => Promise<PromptResult>;

function extensionCommand(agent: Agent, text: string): Command | undefined {
  const split = splitCommand(text);
  if (split === undefined) return undefined;
  const { core } = agent;
  const found = core.hooks.contributions.all<{ handler(args: string): unknown }>("command").get(split.name);
  if (found === undefined) return undefined;
  return async () => {
    try {
      await found.value.handler(split.args);
    } catch (thrown) {
      core.tell({ type: "notice", level: "error", text: `Command /${split.name} failed: ${messageOf(thrown)}` });
    }
    return { kind: "command" };
  };
}

function builtinCommand(agent: Agent, text: string): Command | undefined {
  const split = splitCommand(text);
  const command = split && agent.commands.get(split.name);
  if (split === undefined || command === undefined) return undefined;
  return async () => {
    try {
      const shown = await command.run(split.args.trim());
      if (shown !== undefined) agent.core.tell({ type: "command_output", command: command.name, text: shown });
      return { kind: "command" };
    } catch (thrown) {
      return { kind: "failed", error: problemText(thrown) };
    }
  };
}
