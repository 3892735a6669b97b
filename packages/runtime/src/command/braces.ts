const MOST_CHOICES = 64;
const LONGEST_WORD = 4096;

/** Expands the braces `{a,b}`, `{1..3}` and `{a..c}` of a word; `undefined` if that gives too many words. */
export function unbraced(word: string): readonly string[] | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  for (let at = word.indexOf("{"); at >= 0; at = word.indexOf("{", at + 1)) {
    const found = choicesAt(word, at);
    if (found === undefined) continue;
    const heads = found.choices.length > MOST_CHOICES ? [undefined] : found.choices.map(unbraced);
    const tails = unbraced(word.slice(found.end));
    const all = heads.flatMap((head) => head ?? []).flatMap((head) => (tails ?? []).map((tail) => head + tail));
    if (heads.includes(undefined) || tails === undefined || all.length > MOST_CHOICES) return undefined;
    return all.map((one) => word.slice(0, at) + one);
  }
  return [word];
}

/** Returns what a brace expands to, and the position after it; `undefined` if the shell takes the brace literally. */
function choicesAt(
  word: string,
  at: number,
): { readonly choices: readonly string[]; readonly end: number } | undefined {
  const parts: string[] = [];
  let [depth, from] = [0, at + 1];
  for (let end = at + 1; end < word.length; end++) {
    const one = word[end];
    if (one === "{") depth += 1;
    if ((one === "," || one === "}") && depth === 0) {
      parts.push(word.slice(from, end));
      from = end + 1;
    }
    if (one === "}" && depth === 0) {
      const range = parts.length === 1 ? rangeOf(parts[0] ?? "") : undefined;
      return range === undefined && parts.length < 2 ? undefined : { choices: range ?? parts, end: end + 1 };
    }
    if (one === "}") depth -= 1;
  }
  return undefined;
}

/** Returns what `1..3`, `01..10`, `1..9..3` and `a..c` name, at most a few more than `MOST_CHOICES`. */
function rangeOf(text: string): readonly string[] | undefined {
  const [, from = "", to = "", by = "1"] = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text) ?? [];
  const isText = /[A-Za-z]/.test(from);
  if (from === "" || isText !== /[A-Za-z]/.test(to)) return undefined;
  const [first, last] = isText ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  const step = (first <= last ? 1 : -1) * (Math.abs(Number(by)) || 1);
  const count = Math.min(Math.floor(Math.abs(last - first) / Math.abs(step)), MOST_CHOICES) + 1;
  const width = [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = first + at * step;
    if (isText) return String.fromCharCode(value);
    return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
  });
}
