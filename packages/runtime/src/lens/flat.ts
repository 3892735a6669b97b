import { textOf } from "../catalog/message.ts";
import { type CallArgs, type CallLens, sameCalls } from "./call.ts";
import type { BlockContent } from "./text.ts";

/** A tool call in a flat message. */
export interface FlatCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/**
 * A flat message: text only, as in chat completions, with the role `user`, `assistant` or `tool`. It has no images,
 * thinking or anything else.
 */
export interface FlatMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly FlatCall[];
  readonly tool_call_id?: string;
}

/** A message, with the fields that flat messages are made from; every message of the catalog is one. */
export interface WholeMessage {
  readonly role: string;
}

/** A flat message with its source. An assistant message with both text and tool calls becomes two. */
export interface FlatPart {
  readonly flat: FlatMessage;
  /** The index of the message that the flat message was made from. */
  readonly at: number;
  readonly part: "whole" | "text" | "calls";
}

/** Converts messages to flat ones; `calls` converts tool names and arguments. */
export function flatten(messages: readonly WholeMessage[], calls: CallLens = sameCalls): FlatMessage[] {
  return parts(messages, calls).map(({ flat }) => flat);
}

/** Converts messages to flat ones, each with its source. A message that models do not see yields none. */
export function parts(messages: readonly WholeMessage[], calls: CallLens): FlatPart[] {
  const out: FlatPart[] = [];
  messages.forEach((message, at) => {
    if (message.role === "assistant") {
      const content = contentOf(message);
      const text = textOf(content);
      const made = typeof content === "string" ? [] : content.filter(isCall);
      if (text !== "" || made.length === 0) out.push({ flat: { role: "assistant", content: text }, at, part: "text" });
      if (made.length > 0) {
        const tool_calls = made.map((block) => flatCall(block, calls));
        out.push({ flat: { role: "assistant", content: "", tool_calls }, at, part: "calls" });
      }
      return;
    }
    const flat = flatOf(message);
    if (flat !== undefined) out.push({ flat, at, part: "whole" });
  });
  return out;
}

/** Returns a message's content, even from a damaged history in which it is missing. */
function contentOf(message: WholeMessage): BlockContent {
  const { content } = message as { readonly content?: unknown };
  return typeof content === "string" || Array.isArray(content) ? (content as BlockContent) : [];
}

/** A tool call in an assistant message. */
export interface CallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: CallArgs;
}

/** Returns whether a block is a tool call. */
export function isCall(block: { readonly type: string }): block is CallBlock {
  return block.type === "toolCall";
}

function flatCall(block: CallBlock, calls: CallLens): FlatCall {
  return { id: block.id, name: calls.name(block.name), arguments: calls.text(block.name, block.arguments) };
}

function flatOf(message: WholeMessage): FlatMessage | undefined {
  const fields = message as WholeMessage & Readonly<Record<string, unknown>>;
  switch (message.role) {
    case "user":
    case "custom":
      return { role: "user", content: textOf(contentOf(message)) };
    case "toolResult":
      return {
        role: "tool",
        content: textOf(contentOf(message)),
        tool_call_id: fields["toolCallId"] as string,
      };
    case "bashExecution":
      if (fields["excludeFromContext"] === true) return undefined;
      return { role: "user", content: commandText(message) };
    default: {
      const frame = frameOf(message.role);
      if (frame === undefined) return undefined;
      return { role: "user", content: frame.before + String(fields["summary"]) + frame.after };
    }
  }
}

/** The texts that enclose a branch or compaction summary when a model is shown it. Source: spec/pi.md 6. */
export const FRAMES = {
  branchSummary: {
    before: "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    after: "</summary>",
  },
  compactionSummary: {
    before: "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    after: "\n</summary>",
  },
} as const;

type Framed = keyof typeof FRAMES;

/** Returns the texts that enclose a summary in messages with this role; `undefined` if they contain no summary. */
export function frameOf(role: string): (typeof FRAMES)[Framed] | undefined {
  return Object.hasOwn(FRAMES, role) ? FRAMES[role as Framed] : undefined;
}

/** Returns a command that the person ran, with its output, as models see it. Source: spec/pi.md 6. */
export function commandText(message: WholeMessage): string {
  const run = message as WholeMessage & Readonly<Record<string, unknown>>;
  const output = String(run["output"] ?? "");
  let text = `Ran \`${String(run["command"])}\`\n${output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``}`;
  if (run["cancelled"] === true) text += "\n\n(command cancelled)";
  else if (run["exitCode"]) text += `\n\nCommand exited with code ${String(run["exitCode"])}`;
  if (run["truncated"] === true && run["fullOutputPath"])
    text += `\n\n[Output truncated. Full output: ${String(run["fullOutputPath"])}]`;
  return text;
}
