import { type Message, textOf } from "@hookline/runtime";
import { recordedAuthors } from "../session/author.ts";
import { pathTo } from "../session/context.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { LoadedSession } from "../session/load.ts";

/** Returns a session's current branch: the entries from the root to the last one, in order. */
export function branchOf(entries: readonly SessionEntry[]): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return pathTo(entries.at(-1), (id) => byId.get(id));
}

/** Returns a session's current branch as Markdown: messages, calls, results and summaries. */
export function conversation({ header, entries }: LoadedSession): string {
  const path = branchOf(entries);
  const authors = recordedAuthors(path);
  const parts = path.flatMap((entry) => entryText(entry, authors.get(entry.id)));
  return [`# ${titleOf(header, path)}`, "", `${header.timestamp}, ${header.cwd}`, "", ...parts].join("\n");
}

/** Returns a session's title: its name, otherwise its id. */
export function titleOf({ id }: LoadedSession["header"], branch: readonly SessionEntry[]): string {
  return branch.findLast((entry) => entry.type === "session_info")?.name ?? id;
}

function entryText(entry: SessionEntry, hooks: readonly string[] | undefined): string[] {
  switch (entry.type) {
    case "message":
      // Other programs write these files too, so a message may lack fields.
      return isWhole(entry.message) ? messageText(entry.message, hooks) : [];
    case "compaction":
      return section("summary of what was before", entry.summary);
    case "branch_summary":
      return section("summary of another branch", entry.summary);
    case "custom_message":
      return entry.display ? section(entry.customType, textOf(entry.content)) : [];
    default:
      return [];
  }
}

function isWhole(message: unknown): boolean {
  const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
  return role === "assistant"
    ? Array.isArray(content)
    : role !== undefined && (content != null || role === "bashExecution" || String(role).endsWith("Summary"));
}

function messageText(message: Message, hooks: readonly string[] | undefined): string[] {
  switch (message.role) {
    case "user":
      return section(hooks === undefined ? "user" : `hook ${hooks.join(", ")}`, textOf(message.content));
    case "assistant": {
      const calls = message.content.flatMap((block) =>
        block.type === "toolCall" ? [`\`${block.name}\` ${JSON.stringify(block.arguments)}`] : [],
      );
      const text = textOf(message.content.filter((block) => block.type === "text"));
      return section("assistant", [text, ...calls].filter((part) => part !== "").join("\n\n"));
    }
    case "toolResult":
      return section(`${message.toolName}${message.isError ? ", an error" : ""}`, fenced(textOf(message.content)));
    case "bashExecution":
      return section(`! ${message.command}`, fenced(message.output));
    case "custom":
      return message.display ? section(message.customType, textOf(message.content)) : [];
    case "branchSummary":
    case "compactionSummary":
      return section("summary", message.summary);
    default:
      return [];
  }
}

function section(title: string, text: string): string[] {
  return [`## ${title}`, "", text, ""];
}

/** Puts a text between fences of more backticks than the text contains in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
