import { messageOf } from "@hookline/ground";
import type { Content, UserMessage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { contextMessages } from "../hook/context.ts";
import { writtenBy } from "../turn/author.ts";
import type { Sent } from "../turn/begin.ts";
import type { PromptResult } from "../turn/event.ts";
import { userMessage } from "../turn/feedback.ts";
import type { MainCore } from "./agent-parts.ts";
import type { Children } from "./children.ts";
import { type Expanded, expand } from "./expand.ts";
import { BUSY } from "./occupancy.ts";
import { problemText } from "./problem.ts";
import { type UnknownCommand, unknownCommand } from "./unknown-command.ts";
import { readUserCommand, type Typist, type UserCommands } from "./user-command.ts";

/** The origin of a prompt. */
export type PromptSource = "interactive" | "rpc" | "extension";

/** Accompanies the text of a prompt: its images, its origin, and what happens while another prompt runs. */
export interface PromptOptions {
  readonly images?: readonly Content[] | undefined;
  readonly source?: PromptSource;
  /** The queue in which this prompt waits if another one is running. Without a queue, the prompt is refused then. */
  readonly streaming?: "steer" | "followUp" | undefined;
  /** The module that sent the text, if an extension did. */
  readonly sender?: string | undefined;
  /** Decides whether a text that begins with an unknown command is a prompt. Default: always. */
  readonly isPrompt?: ((unknown: UnknownCommand) => Promise<boolean>) | undefined;
  /** Whether skills and templates in an extension's text are expanded. */
  readonly expandTemplates?: boolean | undefined;
}

/** A built-in command, such as `/new`. */
export interface BuiltinCommand {
  readonly name: string;
  readonly description: string;
  /** Returns the text to show. The messages of its errors are written for the person. */
  run(args: string): Promise<string | undefined>;
}

/** The members of an agent with which `submit` runs a prompt. */
export interface PromptTaker extends Typist {
  readonly core: MainCore;
  readonly commands: ReadonlyMap<string, BuiltinCommand>;
  readonly children: Children | undefined;
  readonly userCommands: UserCommands;
  readonly takesHookTurns: boolean;
  readonly isIdle: boolean;
  readonly isOccupied: boolean;
  readonly isEnding: boolean;
  waitForIdle(): Promise<void>;
  answer(typed: string, expanded: Expanded, about?: Sent): Promise<PromptResult>;
}

/**
 * Routes a text to a shell command, an extension's command, a built-in command, or the loop. A text from an extension
 * is never a command. Source: catalog.md, "Order of one prompt".
 */
export async function submit(agent: PromptTaker, text: string, options: PromptOptions): Promise<PromptResult> {
  const { source = "interactive", images } = options;
  const { core } = agent;
  const isTyped = source !== "extension";
  if (!isTyped && !agent.takesHookTurns) return NO_TURN;
  if (isTyped) {
    core.hookTurns.reset();
    agent.children?.reset();
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
  const unknown = isTyped && expanded.text === submitted ? unknownCommand(agent, submitted) : undefined;
  if (unknown !== undefined && (await options.isPrompt?.(unknown)) === false) return { kind: "handled" };
  const pictures = answer.images ?? images;
  const sender = isTyped ? undefined : (options.sender ?? "A hook");
  // Several texts may wait here for the session. The first one starts a run, the others are queued for it.
  if (agent.isOccupied) await agent.waitForIdle();
  if (agent.isIdle) {
    if (sender !== undefined && !(agent.takesHookTurns && core.hookTurns.count(core, sender))) return NO_TURN;
    return agent.answer(text, expanded, { images: pictures, sender: options.sender });
  }
  const streaming = options.streaming ?? (agent.isEnding && !isTyped ? "followUp" : undefined);
  if (streaming === undefined) throw new Error(BUSY);
  if (sender !== undefined && !agent.takesHookTurns) return NO_TURN;
  const message = queue(agent, streaming, expanded.text, pictures);
  if (options.sender !== undefined) writtenBy(message, [options.sender]);
  core.queues.putBehind(message, contextMessages(expanded.context));
  if (sender !== undefined) core.hookTurns.sent(message, sender);
  return { kind: "queued" };
}

/** The result if a hook sends a text at a time when hooks may not start turns. */
const NO_TURN: PromptResult = { kind: "stopped", reason: "A hook's text started no turn." };

/**
 * Adds the text of an RPC client to one of the queues, whether or not a prompt runs. Hooks are asked about the text,
 * and its skills and templates are expanded. A command of an extension is refused, because nothing would run it.
 */
export async function enqueue(
  agent: PromptTaker,
  text: string,
  behavior: "steer" | "followUp",
  images: readonly Content[] | undefined,
): Promise<"queued" | "handled"> {
  if (extensionCommand(agent, text) !== undefined) {
    const { name } = splitCommand(text) ?? {};
    throw new Error(`Extension command "/${name}" cannot be queued. Send it as a prompt, which runs it at once.`);
  }
  const { core } = agent;
  core.hookTurns.reset();
  agent.children?.reset();
  const { answer } = await ask(core, "input", {
    text,
    ...(images !== undefined && { images }),
    source: "rpc",
    ...(!agent.isIdle && { streaming: behavior }),
  });
  if (answer.stop || answer.handled) return "handled";
  const expanded = await expand(core, answer.text ?? text);
  if ("kind" in expanded) throw new Error("reason" in expanded ? expanded.reason : "A hook stopped the text.");
  core.queues.putBehind(
    queue(agent, behavior, expanded.text, answer.images ?? images),
    contextMessages(expanded.context),
  );
  return "queued";
}

function queue(
  agent: PromptTaker,
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

/** Splits `/name args` at the first space; the arguments are not trimmed. */
export function splitCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const at = text.search(/\s/);
  return at < 0 ? { name: text.slice(1), args: "" } : { name: text.slice(1, at), args: text.slice(at + 1) };
}

type Command = () => Promise<PromptResult>;

function extensionCommand(agent: PromptTaker, text: string): Command | undefined {
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

function builtinCommand(agent: PromptTaker, text: string): Command | undefined {
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
