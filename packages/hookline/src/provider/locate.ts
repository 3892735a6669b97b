import type { Path } from "./shape.ts";

/**
 * Returns the 1-based line of a value in a YAML or JSON text, or of its key if it has one. For a path that does not
 * exist, returns the line of its nearest ancestor.
 */
export async function lineOf(source: string, path: Path): Promise<number> {
  const { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseDocument } = await import("@hookline/ground/yaml");
  const lines = new LineCounter();
  let node: unknown = parseDocument(source, { lineCounter: lines, keepSourceTokens: false }).contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    let key: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === step);
      key = pair?.key;
      node = pair?.value;
    } else if (isSeq(node)) {
      key = node.items[Number(step)];
      node = key;
    } else break;
    if (!isNode(key)) break;
    offset = key.range?.[0] ?? offset;
  }
  return Math.max(1, lines.linePos(offset).line);
}
