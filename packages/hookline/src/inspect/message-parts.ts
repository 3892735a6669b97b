import { type Fields, isFields } from "@hookline/ground";
import type { ConversationPart } from "./api.ts";

/** A part of a model request, such as a text or a tool call. Its authors are added later, when they are found. */
export interface Part {
  readonly role: ConversationPart["role"];
  readonly kind: string;
  readonly text: string;
  readonly tool?: string;
  /** The id of the call to which a result belongs. */
  readonly call?: string;
  by?: readonly string[];
  change?: NonNullable<ConversationPart["change"]>;
  before?: string;
  at?: number;
}

const ROLES: Readonly<Record<string, Part["role"]>> = {
  user: "user",
  assistant: "assistant",
  toolResult: "tool",
  custom: "user",
  bashExecution: "user",
  branchSummary: "user",
  compactionSummary: "user",
};

/** Splits messages into parts, in order. A value that is no message becomes its JSON. */
export function partsOf(messages: unknown): Part[] {
  return Array.isArray(messages) ? messages.flatMap(messageParts) : [];
}

function messageParts(message: unknown): Part[] {
  if (!isFields(message)) return [{ role: "other", kind: "value", text: textOf(message) }];
  const { role: own, content, summary, command, output } = message;
  const role = ROLES[String(own)] ?? "other";
  if (typeof summary === "string") return [{ role, kind: "summary", text: summary }];
  if (typeof command === "string") return [{ role, kind: "shell", text: `${command}\n${textOf(output ?? "")}` }];
  if (typeof content === "string") return [{ role, kind: "text", text: content }];
  if (!Array.isArray(content)) return [{ role, kind: "value", text: textOf(message) }];
  return content.map((block) => blockPart(block, role, message));
}

function blockPart(block: unknown, role: Part["role"], { toolName, toolCallId }: Fields): Part {
  if (!isFields(block)) return { role, kind: "value", text: textOf(block) };
  const { type, text, thinking, name, arguments: args, id, mimeType, data } = block;
  if (type === "thinking") return { role, kind: "thinking", text: textOf(thinking) };
  if (type === "toolCall")
    return { role, kind: "call", tool: String(name), call: String(id), text: JSON.stringify(args ?? {}, null, 2) };
  if (type === "image")
    return { role, kind: "image", text: `${textOf(mimeType)}, ${textOf(data).length} characters of base64` };
  if (typeof text !== "string") return { role, kind: String(type ?? "value"), text: textOf(block) };
  return role === "tool"
    ? { role, kind: "result", tool: String(toolName), call: String(toolCallId), text }
    : { role, kind: "text", text };
}

/** Returns the tools that a model is offered, as parts. */
export function toolParts(tools: unknown): Part[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool): Part[] => {
    if (!isFields(tool)) return [];
    return [{ role: "tools", kind: "offered", tool: String(tool["name"]), text: textOf(tool["description"] ?? "") }];
  });
}

/** Returns a key that equal parts share. */
export function keyOfPart({ role, kind, text, tool, call }: Part): string {
  return JSON.stringify([role, kind, tool, call, text]);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns every text in a value. */
export function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === "string") found.push(value);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) textsIn(part, found);
  return found;
}
