const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** A time span as people read it, in at most two units: `250ms`, `1.5s`, `2m5s`, `3h`, `2d4h`. */
export function formatDuration(ms: number): string {
  if (!(ms > 0) || ms === Number.POSITIVE_INFINITY) return "0ms";
  if (ms < 1000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const at = UNITS.findIndex(([size]) => ms >= size);
  const [large, largeName] = UNITS[at] as readonly [number, string];
  const [small, smallName] = UNITS[at + 1] as readonly [number, string];
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

/** A count as people read it: `999`, `1.5K`, `25K`, `2M`. */
export function formatNumber(count: number): string {
  const scale = [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ] as const;
  const [size, name] = scale.find(([limit]) => count >= limit) ?? [1, ""];
  const value = count / size;
  const digits = name !== "" && value < 10 ? 1 : 0;
  return `${name === "" ? value : Number(value.toFixed(digits))}${name}`;
}

/** A count with its noun, in the plural where it is not one: `1 file`, `2 matches`, `3 entries`. */
export function formatCount(noun: string, count: number): string {
  return `${count} ${pluralize(noun, count)}`;
}

/** An English noun in the number that a count needs. */
export function pluralize(noun: string, count: number): string {
  if (count === 1) return noun;
  if (/(s|x|z|ch|sh)$/i.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/i.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The beginning of a text, with a mark where something was cut off. */
export function truncate(text: string, length: number, mark = "…"): string {
  return text.length <= length ? text : text.slice(0, Math.max(0, length - mark.length)) + mark;
}
