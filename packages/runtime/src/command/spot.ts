import type { Script, SyntaxNode } from "unbash";

/** A place in a text: where it is in each text that contains it, and the conditional parts around it. */
export interface Spot {
  readonly path: readonly { readonly root: object; readonly pos: number }[];
  readonly blocks: readonly SyntaxNode[];
}

/** Parts that run in another process. */
const BLOCKS: ReadonlySet<string> = new Set(["Subshell", "Function", "Coproc"]);

/** Returns where a part of a node is. */
export function step(node: SyntaxNode, child: SyntaxNode, root: Script, spot: Spot): { root: Script; spot: Spot } {
  const isScript = child.type === "Script";
  // Escaped backticks hold a text of their own.
  const inner = isScript && child.source !== undefined ? child : root;
  const isApart = isScript || BLOCKS.has(child.type) || isOwnPart(node, child);
  const place = { root: inner, pos: child.pos };
  const path = spot.path.at(-1)?.root === inner ? [...spot.path.slice(0, -1), place] : [...spot.path, place];
  return { root: inner, spot: { path, blocks: isApart ? [...spot.blocks, child] : spot.blocks } };
}

/** Whether a part of a node runs in another process, or only under a condition. */
function isOwnPart(node: SyntaxNode, child: SyntaxNode): boolean {
  return (node.type !== "Script" && isProcess(node, child)) || isConditional(node, child);
}

/** Whether a part of a node runs in another process. */
export function isProcess(node: SyntaxNode, child: SyntaxNode): boolean {
  if (child.type === "Script" || BLOCKS.has(child.type)) return true;
  return node.type === "Pipeline" ? node.commands.length > 1 : node.type === "Statement" && node.background === true;
}

/** Whether a part of a node runs only under a condition. */
export function isConditional(node: SyntaxNode, child: SyntaxNode): boolean {
  switch (node.type) {
    case "AndOr":
      return child !== node.commands[0];
    case "If":
    case "While":
      return child !== node.clause;
    case "For":
    case "ArithmeticFor":
    case "Select":
    case "CaseItem":
    case "Function":
      return child === node.body;
    case "Elif":
      return true;
    case "ParameterExpansion":
      return node.operation?.type === "Default";
    default:
      return child.type === "Elif";
  }
}
