import { type Fields, isFields, readJsonText } from "@hookline/ground";

/**
 * Returns the text of a tool's result for hooks, from the shape that an agent with Claude Code's tools uses. Source:
 * spec/claude.md 4.
 */
export function shownText(response: unknown): string {
  if (typeof response === "string") return response;
  const [at] = textsIn(response);
  return at === undefined
    ? JSON.stringify(response ?? "")
    : textsIn(response)
        .map(({ text }) => text)
        .join("\n");
}

/**
 * Replaces the text of a result and keeps its shape: an agent ignores a result of another shape. Its further texts for
 * the model are emptied, since they could repeat what a hook has removed.
 */
export function withText(response: unknown, text: string): unknown {
  if (typeof response === "string") return text;
  const places = textsIn(response);
  const [first] = places;
  if (first === undefined) {
    const parsed = readJsonText(text);
    if ("value" in parsed && isFields(parsed.value) && isFields(response)) return parsed.value;
    return emptied(response, text);
  }
  return mapped(response, (path, value) => {
    if (path === first.path) return text;
    return places.some((place) => place.path === path) ? "" : value;
  });
}

/** JSON pointers of the texts in known shapes: a command's streams, a file's content, blocks of text. */
const KNOWN = [/^\/stdout$/, /^\/stderr$/, /^\/file\/content$/, /^\/content$/, /^(?:\/content)?\/\d+\/text$/];

function textsIn(response: unknown): readonly { readonly path: string; readonly text: string }[] {
  const found: { path: string; text: string }[] = [];
  mapped(response, (path, text) => {
    if (KNOWN.some((known) => known.test(path))) found.push({ path, text });
    return text;
  });
  // Empty texts, such as an empty stderr, are skipped; if all are empty, the first one counts.
  const full = found.filter(({ text }) => text !== "");
  return full.length > 0 ? full : found.slice(0, 1);
}

/** Changes every text in a value; the rest stays. */
function mapped(value: unknown, change: (path: string, text: string) => string, path = ""): unknown {
  if (typeof value === "string") return change(path, value);
  if (Array.isArray(value)) return value.map((item, index) => mapped(item, change, `${path}/${index}`));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapped(item, change, `${path}/${name}`)]),
  ) as Fields;
}

/** Puts a text into a result of unknown shape: the first text in the result is replaced, and every other is emptied. */
function emptied(response: unknown, text: string): unknown {
  let isFirst = true;
  return mapped(response, () => {
    const own = isFirst ? text : "";
    isFirst = false;
    return own;
  });
}
