import { roleOf, type SessionEntry } from "../../session/entry.ts";
import type { SessionTreeNode } from "../../session/tree.ts";
import { cutLine, wordsOf } from "../../session/words.ts";

const TEXT_CHARACTERS = 200;

/** The filter of the tree dialog. `yours` shows the person's messages, `labelled` the entries with a label. */
export type TreeView = "conversation" | "yours" | "labelled" | "everything";

/** The filters, in the order in which a key cycles through them. */
export const TREE_VIEWS: readonly TreeView[] = ["conversation", "yours", "labelled", "everything"];

/** One entry of the session's tree, as a row on the screen. */
export interface TreeRow {
  readonly id: string;
  readonly text: string;
  readonly label: string | undefined;
  /** The number of branch points above the entry. */
  readonly depth: number;
  /** Whether the entries below this one can be folded: it starts a branch, or branches start below it. */
  readonly folds: boolean;
  readonly isFolded: boolean;
  /** The number of entries that are folded below this one. */
  readonly hidden: number;
  /** Whether the entry is on the path from the root to the session's current position in the tree. */
  readonly onPath: boolean;
  /** Whether the session's current position is at this entry, or at a hidden one after it. */
  readonly isHere: boolean;
  readonly isUser: boolean;
}

/** The tree, the position in it, and the choices that determine which rows are shown. */
export interface TreeParts {
  readonly roots: readonly SessionTreeNode[];
  /** The ids from the root to the session's current position in the tree. */
  readonly path: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
  readonly view: TreeView;
}

interface Waiting {
  readonly node: SessionTreeNode;
  readonly depth: number;
  readonly begins: boolean;
  /** Index of the folded row below which this node is hidden. */
  readonly under: number | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Lists the entries of a tree in the order of the screen: each branch below its branch point, oldest first. */
export function treeRows({ roots, path, folded, view }: TreeParts): readonly TreeRow[] {
  const rows: Mutable<TreeRow>[] = [];
  const several = roots.length > 1;
  const waiting: Waiting[] = roots.map((node) => ({ node, depth: 0, begins: several, under: undefined })).reverse();
  // A loop and no recursion, because a conversation is a chain of thousands of entries.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth, begins } = next;
    let { under } = next;
    const { entry, label, children } = node;
    const isShown = isIn(view, node);
    const branches = children.length > 1;
    if (isShown && under !== undefined) (rows[under] as Mutable<TreeRow>).hidden += 1;
    if (isShown && under === undefined) {
      const folds = (begins || branches) && children.length > 0;
      const isFolded = folds && folded.has(entry.id);
      rows.push({
        id: entry.id,
        text: textOf(entry),
        label,
        depth,
        folds,
        isFolded,
        hidden: 0,
        onPath: path.has(entry.id),
        isHere: false,
        isUser: roleOf(entry) === "user",
      });
      if (isFolded) under = rows.length - 1;
    }
    // If the first entry of a branch is hidden, the next visible one starts the branch.
    const goesOn = begins && !isShown;
    for (const child of children.toReversed())
      waiting.push({ node: child, depth: branches ? depth + 1 : depth, begins: branches || goesOn, under });
  }
  const here = rows.findLast(({ onPath }) => onPath);
  if (here !== undefined) here.isHere = true;
  return rows;
}

function isIn(view: TreeView, { entry, label }: SessionTreeNode): boolean {
  switch (view) {
    case "everything":
      return true;
    case "labelled":
      return label !== undefined;
    case "yours":
      return roleOf(entry) === "user";
    case "conversation": {
      if (label !== undefined) return true;
      const words = wordsOf(entry, TEXT_CHARACTERS);
      // A reply with only tool calls is left out of this view: its line has no text after `assistant: `.
      return words !== undefined && !words.endsWith(": ");
    }
  }
}

function textOf(entry: SessionEntry): string {
  const words = wordsOf(entry, TEXT_CHARACTERS);
  if (words !== undefined) return words.endsWith(": ") ? `${words}${toolNames(entry)}` : words;
  if (entry.type === "message") return `${roleOf(entry) ?? "message"}: ${cutLine(resultText(entry), TEXT_CHARACTERS)}`;
  if (entry.type === "model_change") return `model: ${entry.provider}/${entry.modelId}`;
  if (entry.type === "thinking_level_change") return `thinking: ${entry.thinkingLevel}`;
  return entry.type;
}

function toolNames(entry: SessionEntry): string {
  const { content } = (entry as { message?: { content?: unknown } }).message ?? {};
  if (!Array.isArray(content)) return "";
  const names = content.flatMap((block) => (block?.type === "toolCall" ? [String(block.name)] : []));
  return names.length === 0 ? "" : `calls ${names.join(", ")}`;
}

function resultText(entry: SessionEntry): string {
  const { toolName, content } = (entry as { message: { toolName?: unknown; content?: unknown } }).message;
  const blocks = Array.isArray(content) ? content : [];
  const [first] = blocks.filter((block) => block?.type === "text");
  return `${typeof toolName === "string" ? `${toolName} ` : ""}${typeof first?.text === "string" ? first.text : ""}`;
}
