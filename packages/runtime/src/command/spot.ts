import type { Script, SyntaxNode } from "unbash";

/** A position in a shell text: the offset in each text that contains it, and the conditional parts around it. */
export interface Spot {
  readonly path: readonly { readonly root: object; readonly pos: number }[];
  readonly blocks: readonly SyntaxNode[];
}

/** Syntax nodes that run in another process. */
const BLOCKS: ReadonlySet<string> = new Set(["Subshell", "Function", "Coproc"]);

/** Returns the position of a child of a syntax node. */
export function step(node: SyntaxNode, child: SyntaxNode, root: Script, spot: Spot): { root: Script; spot: Spot } {
  const isScript = child.type === "Script";
  // A substitution with escaped backticks is parsed from a text of its own.
  const inner = isScript && child.source !== undefined ? child : root;
  const isApart = isScript || BLOCKS.has(child.type) || isOwnPart(node, child);
  const place = { root: inner, pos: child.pos };
  const path = spot.path.at(-1)?.root === inner ? [...spot.path.slice(0, -1), place] : [...spot.path, place];
  return { root: inner, spot: { path, blocks: isApart ? [...spot.blocks, child] : spot.blocks } };
}

/** Returns whether a child of a syntax node runs in another process, or only under a condition. */
function isOwnPart(node: SyntaxNode, child: SyntaxNode): boolean {
  return (node.type !== "Script" && isProcess(node, child)) || isConditional(node, child);
}

/** Returns whether a child of a syntax node runs in another process. */
export function isProcess(node: SyntaxNode, child: SyntaxNode): boolean {
  if (child.type === "Script" || BLOCKS.has(child.type)) return true;
  return node.type === "Pipeline" ? node.commands.length > 1 : node.type === "Statement" && node.background === true;
}

/** Returns whether a child of a syntax node runs only under a condition. */
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
