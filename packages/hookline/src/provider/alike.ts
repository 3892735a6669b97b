/** The names most similar to `name`, best first; dissimilar names are left out. */
export function alike(name: string, names: Iterable<string>, count: number): readonly string[] {
  const wanted = pairs(name);
  const scored: { name: string; score: number }[] = [];
  for (const candidate of names) {
    const given = pairs(candidate);
    const common = [...given].filter((pair) => wanted.has(pair)).length;
    const score = (2 * common) / (wanted.size + given.size);
    if (score >= 0.35) scored.push({ name: candidate, score });
  }
  scored.sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** Pairs of neighbouring letters and digits; separators (`-`, `.`, `/`) do not count. */
function pairs(name: string): Set<string> {
  const text = ` ${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
}
