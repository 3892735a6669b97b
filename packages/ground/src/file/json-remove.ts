import { spansAt } from "./json-insert.ts";

/**
 * Removes a member (by name) or an item (by index) from the object or list at a path in a JSON text, with its comma.
 * All other characters stay. The text must be valid JSON and contain the member or item.
 */
export function removeJson(text: string, path: readonly string[], at: string | number): string {
  const { start, close, children } = spansAt(text, path);
  const index = typeof at === "number" ? at : children.findLastIndex(({ name }) => name === at);
  const child = children[index];
  if (child === undefined) throw new Error(`the text has no ${at}`);
  const [before, after] = [children[index - 1], children[index + 1]];
  const [from, to] =
    after !== undefined
      ? [child.start, after.start]
      : before !== undefined
        ? [before.end, child.end]
        : [start + 1, close];
  return text.slice(0, from) + text.slice(to);
}
