/** The ways in which a hook handles a tool call or its result. */
export const KINDS = ["block", "allow", "throw", "edit", "success"] as const;
export type Kind = (typeof KINDS)[number];

/** The number of hooks that are asked about each call. */
export const HOOKS = 4;

/** Returns every sequence of four hooks. */
export function allOrders(): Kind[][] {
  return Array.from({ length: KINDS.length ** HOOKS }, (_, n) =>
    Array.from({ length: HOOKS }, (_, i) => KINDS[Math.floor(n / KINDS.length ** i) % KINDS.length] as Kind),
  );
}

/** The distribution of the four hooks: this many in the first lane, the others in the second. */
export interface Seats {
  readonly inFirst: number;
  readonly lanes: readonly [string, string];
}

/**
 * Returns what is wrong with the outcome of a call about which these hooks were asked; `ran` is what the tool received.
 */
export function problemOf(
  kinds: readonly Kind[],
  { inFirst, lanes }: Seats,
  ran: unknown,
  isError: boolean | undefined,
): string | undefined {
  const refused = kinds.some((kind) => kind === "block" || kind === "throw");
  const edited = `ls${"!".repeat(kinds.filter((kind) => kind === "edit").length)}`;
  const what = `${lanes.join(", ")}: ${kinds.join(" ")} (${inFirst} in the first)`;
  if (ran !== (refused ? undefined : edited)) return `${what}: the tool ran with ${ran}`;
  return isError === refused ? undefined : `${what}: the result is called ${isError ? "an error" : "a success"}`;
}
