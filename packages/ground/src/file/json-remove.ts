import { withoutComments } from "./json-comments.ts";
import { spansAt } from "./json-insert.ts";

/**
 * Removes a member (by name) or an item (by index) from the object or list at a path in a JSON text, with its comma.
 * All other characters stay, comments too. The text must be valid JSON and contain the member or item.
 */
export function removeJson(text: string, path: readonly string[], at: string | number): string {
  const { start, close, children } = spansAt(text, path);
  const index = typeof at === "number" ? at : children.findLastIndex(({ name }) => name === at);
  const child = children[index];
  if (child === undefined) throw new Error(`the text has no ${at}`);
  const [before, after] = [children[index - 1], children[index + 1]];
  const plain = withoutComments(text);
  const comments = (from: number, to: number): string => {
    const part = text.slice(from, to);
    const comma = plain.slice(from, to).indexOf(",");
    if (part === plain.slice(from, to)) return "";
    return comma < 0 ? part : part.slice(0, comma) + part.slice(comma + 1);
  };
  if (after !== undefined)
    return text.slice(0, child.start) + comments(child.end, after.start) + text.slice(after.start);
  const from = before?.end ?? start + 1;
  const to = before === undefined ? close : child.end;
  return text.slice(0, from) + comments(from, child.start).trimEnd() + comments(child.end, to) + text.slice(to);
}
