/** What a hook does with a tool call, or with its result. */
export const KINDS = ["block", "allow", "throw", "edit", "success"] as const;
export type Kind = (typeof KINDS)[number];

/** The number of hooks that are asked about each call. */
export const HOOKS = 4;

/** Every sequence of four hooks, by what each of them does. */
export function allOrders(): Kind[][] {
  return Array.from({ length: KINDS.length ** HOOKS }, (_, n) =>
    Array.from({ length: HOOKS }, (_, i) => KINDS[Math.floor(n / KINDS.length ** i) % KINDS.length] as Kind),
  );
}

/** Where the four hooks are: this many in the first lane, the others in the second. */
export interface Seats {
  readonly inFirst: number;
  readonly lanes: readonly [string, string];
}

/** What is wrong with the outcome of a call that these hooks were asked about; `ran` is what the tool was given. */
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
