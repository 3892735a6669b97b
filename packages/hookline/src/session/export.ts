import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Message } from "@hookline/runtime";
import { commandText } from "@hookline/runtime/engine";
import { recordedAuthors } from "./author.ts";
import { entryMessages } from "./context.ts";
import type { SessionEntry } from "./entry.ts";
import type { SessionManager } from "./session.ts";

/** Writes the current branch as an HTML page, or for a `.jsonl` path the whole session as stored. Returns the path. */
export async function exportSession(store: SessionManager, path?: string): Promise<string> {
  const stem = basename(store.getSessionFile() ?? store.getSessionId(), ".jsonl");
  const target = path ?? join(store.getCwd(), `hookline-session-${stem}.html`);
  const text = target.endsWith(".jsonl") ? jsonl(store) : sessionPage(pageOf(store));
  await writeFile(target, text, { mode: 0o600 });
  return target;
}

function jsonl(store: SessionManager): string {
  return [store.getHeader(), ...store.getEntries()].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const STYLE = `:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
section { border-left: 3px solid #8888; margin: 1rem 0; padding: 0 1rem; }
section.user { border-color: #3a7; } section.assistant { border-color: #47c; } section.error { border-color: #c44; }
h2 { font-size: 0.8rem; margin: 0.5rem 0; opacity: 0.7; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; margin: 0.5rem 0; }
details > summary { cursor: pointer; opacity: 0.8; } img { max-width: 100%; }`;

/** The content of a session's page. */
export interface SessionPage {
  readonly title: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly branch: readonly SessionEntry[];
}

function pageOf(store: SessionManager): SessionPage {
  const title = store.getSessionName() ?? `Session ${store.getSessionId()}`;
  return { title, timestamp: String(store.getHeader().timestamp), cwd: store.getCwd(), branch: store.getBranch() };
}

/** Formats a session's branch as an HTML page without external resources. */
export function sessionPage({ title: name, timestamp, cwd, branch }: SessionPage): string {
  const title = escaped(name);
  const authors = recordedAuthors(branch);
  const body = branch
    .flatMap((entry) => entryMessages(entry).map((message) => section(message, authors.get(entry.id))))
    .join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1><p>${escaped(timestamp)} · ${escaped(cwd)}</p>
${body}
</body></html>
`;
}

function section(message: Message, hooks: readonly string[] | undefined): string {
  const role = hooks === undefined ? message.role : `hook ${hooks.join(", ")}`;
  const name = message.role === "toolResult" ? `result of ${message.toolName}` : role;
  const kind = message.role === "toolResult" && message.isError ? "error" : message.role;
  return `<section class="${escaped(kind)}"><h2>${escaped(name)}</h2>${content(message)}</section>`;
}

function content(message: Message): string {
  switch (message.role) {
    case "user":
    case "custom":
      return blocks(message.content);
    case "toolResult":
      return `<details><summary>output</summary>${blocks(message.content)}</details>`;
    case "assistant":
      return message.content
        .map((block) => {
          if (block.type === "text") return pre(block.text);
          if (block.type === "thinking") return `<details><summary>thinking</summary>${pre(block.thinking)}</details>`;
          return `<details open><summary>${escaped(block.name)}</summary>${pre(JSON.stringify(block.arguments, null, 2))}</details>`;
        })
        .join("");
    case "bashExecution":
      return pre(commandText(message));
    default:
      return pre(message.summary);
  }
}

function blocks(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === "string") return pre(content);
  return content
    .map((block) => {
      const { text, data, mimeType } = block as {
        readonly text?: string;
        readonly data?: string;
        readonly mimeType?: string;
      };
      if (block.type === "text") return pre(text ?? "");
      return `<img alt="image" src="data:${escaped(mimeType ?? "")};base64,${escaped(data ?? "")}">`;
    })
    .join("");
}

function pre(text: string): string {
  return `<pre>${escaped(text)}</pre>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
