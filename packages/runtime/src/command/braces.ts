const MOST_CHOICES = 64;

/** Expands the braces `{a,b}` and `{1..3}` of a word; `undefined` if they cannot be expanded or give too many words. */
export function unbraced(word: string): readonly string[] | undefined {
  const [whole, inner = ""] = /\{([^{}]*)\}/.exec(word) ?? [];
  if (whole === undefined) return [word];
  const range = /^(-?\d+)\.\.(-?\d+)$/.exec(inner);
  const choices = range === null ? inner.split(",") : between(Number(range[1]), Number(range[2]));
  if (choices.length < 2 && range === null) return undefined;
  const all: string[] = [];
  for (const choice of choices) {
    const one = unbraced(word.replace(whole, () => choice));
    if (one === undefined || all.length + one.length > MOST_CHOICES) return undefined;
    all.push(...one);
  }
  return all;
}

function between(from: number, to: number): string[] {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.min(Math.abs(to - from), MOST_CHOICES) + 1 }, (_, at) => String(from + at * step));
}
