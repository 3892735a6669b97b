import { textIn } from "../../session/text.ts";
import type { SessionTreeNode } from "../../session/tree.ts";
import { cutLine, wordsOf } from "../../session/words.ts";
import type { Agent } from "../agent.ts";
import { forkSession } from "../branch.ts";
import { navigateTree } from "../navigate.ts";
import type { BuiltinCommand } from "../submit.ts";

const TEXT_CHARACTERS = 70;
const SUMMARIZE = /^--summari[sz]e(?:\s+|$)/;

/** Makes the built-in commands about the session's tree, such as `/fork`. */
export function treeCommands(agent: Agent): BuiltinCommand[] {
  return [
    {
      name: "fork",
      description: "start a new session before one of your messages, by its id; with no argument, list them",
      run: (args) => forked(agent, args),
    },
    { name: "branch", description: "the same as /fork", run: (args) => forked(agent, args) },
    {
      name: "tree",
      description: "show the session's tree, or move: ID [--summarize [what to keep]]",
      run: async (args) => (args === "" ? outline(agent) : moved(agent, args)),
    },
    {
      name: "label",
      description: "label the current entry, or another one with ID TEXT; ID alone removes its label",
      run: async (args) => labelled(agent, args),
    },
  ];
}

async function forked(agent: Agent, entryId: string): Promise<string> {
  if (entryId === "") {
    const messages = ownMessages(agent);
    if (messages.length === 0) return "There is no message to fork before.";
    return messages.map(({ entryId: id, text }) => `${id}  ${cutLine(text, TEXT_CHARACTERS)}`).join("\n");
  }
  const { cancelled, text } = await forkSession(agent, entryId);
  if (cancelled) return "A hook refused this; the session has not changed.";
  if (text !== undefined) agent.ui?.setEditorText?.(text);
  return `Session ${agent.core.store.getSessionId()}.${text === undefined ? "" : `\n${text}`}`;
}

/** Returns the person's messages in the current branch, with the entry ids that `/fork` accepts. */
export function ownMessages({ core }: Agent): { readonly entryId: string; readonly text: string }[] {
  return core.store.getBranch().flatMap((entry) => {
    if (entry.type !== "message" || entry.message?.role !== "user") return [];
    return [{ entryId: entry.id, text: textIn(entry.message.content, "") }];
  });
}

async function moved(agent: Agent, args: string): Promise<string> {
  const [, targetId = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(args) ?? [];
  const summarize = SUMMARIZE.test(rest);
  if (rest !== "" && !summarize) throw new Error(`"${rest}" is not known. Use /tree ID --summarize [what to keep].`);
  const instructions = rest.replace(SUMMARIZE, "").trim();
  const { cancelled, text } = await navigateTree(agent, targetId, {
    summarize,
    ...(instructions !== "" && { customInstructions: instructions }),
  });
  if (cancelled) return "The session stays where it was.";
  if (text !== undefined) agent.ui?.setEditorText?.(text);
  return `Now at ${agent.core.store.getLeafId() ?? "the beginning"}.${text === undefined ? "" : `\n${text}`}`;
}

function labelled({ core: { store } }: Agent, args: string): string {
  const [, first = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(args) ?? [];
  const named = store.getEntry(first) !== undefined;
  const targetId = named ? first : store.getLeafId();
  if (targetId === null) throw new Error("The session is empty; there is nothing to label.");
  const label = named ? rest : args;
  store.appendLabelChange(targetId, label === "" ? undefined : label);
  return label === "" ? `${targetId} has no label now.` : `${targetId} is labelled "${label}".`;
}

/** Formats every entry with text as one line. Branches are indented, `>` marks the current path. */
function outline({ core: { store } }: Agent): string {
  const current = new Set(store.getBranch().map(({ id }) => id));
  const lines: string[] = [];
  const waiting: { readonly node: SessionTreeNode; readonly depth: number }[] = store
    .getTree()
    .map((node) => ({ node, depth: 0 }))
    .reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    const words = wordsOf(node.entry, TEXT_CHARACTERS);
    if (words !== undefined || node.label !== undefined) {
      const mark = current.has(node.entry.id) ? ">" : " ";
      const label = node.label === undefined ? "" : ` [${node.label}]`;
      lines.push(`${mark} ${"  ".repeat(depth)}${node.entry.id}${label}  ${words ?? node.entry.type}`);
    }
    const inner = node.children.length > 1 ? depth + 1 : depth;
    for (const child of node.children.toReversed()) waiting.push({ node: child, depth: inner });
  }
  return lines.length === 0 ? "The session is empty." : lines.join("\n");
}
