import type { SessionEntry } from "./entry.ts";

/** An entry with its children, oldest first. */
export interface SessionTreeNode {
  readonly entry: SessionEntry;
  readonly children: SessionTreeNode[];
  readonly label?: string;
  /** The time at which the label was set. */
  readonly labelTimestamp?: string;
}

/** The bookmark that an entry currently has, with the time at which it was set. */
export interface Label {
  readonly label: string;
  readonly timestamp: string;
}

/** Builds the trees of entries, one for each root. An entry whose parent is missing counts as a root. */
export function buildTree(entries: readonly SessionEntry[], labels: ReadonlyMap<string, Label>): SessionTreeNode[] {
  const nodes = new Map<string, SessionTreeNode>();
  for (const entry of entries) {
    const label = labels.get(entry.id);
    nodes.set(entry.id, { entry, children: [], ...(label && { label: label.label, labelTimestamp: label.timestamp }) });
  }
  const roots: SessionTreeNode[] = [];
  // `nodes` keeps only the last of several entries with the same id.
  for (const node of nodes.values()) {
    const { parentId, id } = node.entry;
    const parent = parentId && parentId !== id ? nodes.get(parentId) : undefined;
    (parent ? parent.children : roots).push(node);
  }
  for (const node of nodes.values()) node.children.sort((a, b) => timeOf(a) - timeOf(b));
  return roots;
}

function timeOf(node: SessionTreeNode): number {
  const time = Date.parse(node.entry.timestamp);
  return Number.isNaN(time) ? 0 : time;
}
