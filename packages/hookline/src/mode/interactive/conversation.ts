import type { Component } from "@earendil-works/pi-tui";
import type { Message } from "@hookline/runtime";
import type { Agent } from "../../agent/agent.ts";
import { recordedAuthors } from "../../session/author.ts";
import { summary } from "../../tui/chat/note.ts";
import { customSaid, entryDrawn, ModelReply, userSaid } from "../../tui/chat/said.ts";
import { ShellRun } from "../../tui/chat/shell-run.ts";
import { ToolCall } from "../../tui/chat/tool-call.ts";
import type { Stage } from "../../tui/stage.ts";

/** Shows the conversation of the session's current branch. */
export function showConversation({ core }: Agent, stage: Stage): void {
  const calls = new Map<string, ToolCall>();
  const authors = recordedAuthors(core.store.getEntries());
  for (const { sourceEntry, messages } of core.store.buildSessionProjection().entries) {
    if (sourceEntry.type === "custom") {
      const drawn = entryDrawn(sourceEntry, stage.chat);
      if (drawn !== undefined) stage.transcript.add(drawn);
    }
    const hooks = authors.get(sourceEntry.id);
    for (const message of messages)
      for (const part of partsOf(message, calls, stage, hooks)) stage.transcript.add(part);
  }
}

function partsOf(
  message: Message,
  calls: Map<string, ToolCall>,
  { chat, prompt }: Stage,
  hooks: readonly string[] | undefined,
): Component[] {
  switch (message.role) {
    case "user": {
      if (hooks !== undefined) return [userSaid(message, chat, hooks)];
      if (typeof message.content === "string") prompt.remember(message.content);
      else for (const block of message.content) if (block.type === "text") prompt.remember(block.text);
      return [userSaid(message, chat)];
    }
    case "assistant": {
      const parts: Component[] = [new ModelReply(message, chat)];
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        const call = new ToolCall(block.name, block.id, block.arguments, chat);
        calls.set(block.id, call);
        parts.push(call);
      }
      return parts;
    }
    case "toolResult":
      calls.get(message.toolCallId)?.end(message, message.isError);
      return [];
    case "custom":
      return message.display ? [customSaid(message, chat)] : [];
    case "bashExecution":
      return [ShellRun.ended(message, chat)];
    case "branchSummary":
    case "compactionSummary":
      return [summary(message, chat)];
  }
}
