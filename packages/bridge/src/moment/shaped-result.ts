import { type Fields, isFields, readJsonText } from "@hookline/ground";

/** The text of a tool's result, as an agent with Claude Code's tools has it, for hooks. Source: spec/claude.md 4. */
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
 * A result with another text, in the shape that it had: with another shape the agent keeps the original. What else could
 * hold what a hook has removed is emptied.
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

/** Where the texts of the known shapes stand: a command's streams, a file's content, blocks of text. */
const KNOWN = [/^\/stdout$/, /^\/stderr$/, /^\/file\/content$/, /^\/content$/, /^(?:\/content)?\/\d+\/text$/];

function textsIn(response: unknown): readonly { readonly path: string; readonly text: string }[] {
  const found: { path: string; text: string }[] = [];
  mapped(response, (path, text) => {
    if (KNOWN.some((known) => known.test(path))) found.push({ path, text });
    return text;
  });
  // An empty stream beside another is no text of its own.
  const full = found.filter(({ text }) => text !== "");
  return full.length > 0 ? full : found.slice(0, 1);
}

/** Every text of a value, changed; the rest stays. */
function mapped(value: unknown, change: (path: string, text: string) => string, path = ""): unknown {
  if (typeof value === "string") return change(path, value);
  if (Array.isArray(value)) return value.map((item, index) => mapped(item, change, `${path}/${index}`));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapped(item, change, `${path}/${name}`)]),
  ) as Fields;
}

/** A shape that is not known: its first text is the new one, and every other is empty. */
function emptied(response: unknown, text: string): unknown {
  let isFirst = true;
  return mapped(response, () => {
    const own = isFirst ? text : "";
    isFirst = false;
    return own;
  });
}
