/** Returns a value as text for a person, cut to `most` characters; the rest of a large value is not read. */
export function preview(value: unknown, most: number): string {
  const out: string[] = [];
  let left = most;
  const say = (text: string): boolean => {
    out.push(text.slice(0, Math.max(0, left)));
    left -= text.length;
    return left > 0;
  };
  write(value, say, new Set(), 0);
  return left < 0 ? `${out.join("")}…` : out.join("");
}

type Say = (text: string) => boolean;

const DEEPEST = 32;

/** Writes a value as JSON with a blank after each separator; returns false if there is no more room. */
function write(value: unknown, say: Say, above: Set<object>, depth: number): boolean {
  if (typeof value === "string") return depth === 0 ? say(value) : say(JSON.stringify(value.slice(0, 10_000)));
  if (typeof value !== "object" || value === null) return say(String(value));
  if (above.has(value) || depth > DEEPEST) return say("(again)");
  above.add(value);
  const isList = Array.isArray(value);
  let goesOn = say(isList ? "[" : "{");
  let first = true;
  for (const name in value) {
    if (!goesOn || !Object.hasOwn(value, name)) continue;
    const inner = (value as Record<string, unknown>)[name];
    if (inner === undefined || typeof inner === "function") continue;
    goesOn = say(`${first ? "" : ", "}${isList ? "" : `${name}: `}`) && write(inner, say, above, depth + 1);
    first = false;
    if (!goesOn) break;
  }
  above.delete(value);
  return goesOn && say(isList ? "]" : "}");
}

/**
 * Returns two texts from their first difference, each cut to `most` characters; `…` replaces their common beginning.
 */
export function differing(from: string, to: string, most: number): readonly [string, string] {
  let at = 0;
  const end = Math.min(from.length, to.length);
  while (at < end && from.charCodeAt(at) === to.charCodeAt(at)) at += 1;
  const start = at <= 16 ? 0 : at - 12;
  const cut = (text: string): string => {
    const part = text.slice(start, start + most);
    return `${start > 0 ? "…" : ""}${part}${start + most < text.length ? "…" : ""}`;
  };
  return [cut(from), cut(to)];
}
