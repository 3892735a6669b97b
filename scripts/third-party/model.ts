import type { LoopbackReply, LoopbackRequest } from "../../packages/hookline/test/support/loopback.ts";
import { sampleArguments } from "./sample.ts";

/** The person's request for a tool call. */
export interface Wish {
  readonly tool: string;
  /** Index among the argument lists that fit the tool. */
  readonly list: number;
}

/** Returns the prompt for a call. */
export function wishText({ tool, list }: Wish): string {
  return `Please call the tool ${tool} (${list}).`;
}

type Content = string | readonly { readonly text?: string }[];

interface ChatTool {
  readonly function: { readonly name: string; readonly parameters?: Readonly<Record<string, unknown>> };
}

/** Returns the tools of a request, each with the argument lists with which to call it. */
export function toolsIn({ body }: LoopbackRequest): ReadonlyMap<string, readonly object[]> {
  const tools = (body?.tools ?? []) as readonly ChatTool[];
  return new Map(tools.map(({ function: tool }) => [tool.name, sampleArguments(tool.parameters ?? {})]));
}

/** Returns the model's reply: it explores if asked to, calls a tool if asked to, and otherwise just replies. */
export function reply(request: LoopbackRequest): LoopbackReply {
  const asked = lastAsked(request.body?.messages ?? []);
  const [, tool, list] = /^Please call the tool (\S+) \((\d+)\)\.$/m.exec(asked) ?? [];
  const given = toolsIn(request).get(tool ?? "")?.[Number(list)];
  if (tool !== undefined && given !== undefined) return { toolCalls: [{ name: tool, arguments: { ...given } }] };
  if (!/^Say hello$/m.test(asked)) return { text: "Done." };
  return {
    text: "Let me look.",
    toolCalls: [
      { name: "bash", arguments: { command: "echo hello" } },
      { name: "read", arguments: { path: "notes.txt" } },
    ],
  };
}

/** Returns the text since the model's last reply or tool result. */
function lastAsked(messages: readonly { readonly role: string; readonly content: Content }[]): string {
  const since = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool") + 1;
  return messages
    .slice(since)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(({ text = "" }) => text)))
    .join("\n");
}
