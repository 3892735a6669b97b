interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Counted extends Rates {
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** Writes a reply's cost into its usage and gives it back. Rates are of a million tokens. */
export function calculateCost(model: { readonly cost: Rates }, usage: Counted): Counted["cost"] {
  const of = (kind: keyof Rates): number => (model.cost[kind] / 1_000_000) * usage[kind];
  const [input, output, cacheRead, cacheWrite] = [of("input"), of("output"), of("cacheRead"), of("cacheWrite")];
  Object.assign(usage.cost, { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite });
  return usage.cost;
}
