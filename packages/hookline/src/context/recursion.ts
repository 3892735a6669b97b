/** Rounds that one prompt may have, the first included. Source: spec/chibi.md 3. */
export const MAX_RECURSION_DEPTH = 30;

/** The tool of this name asks for another round with a note to itself, whichever plugin it is of. */
const RECURSE = "recurse";

/** What follows a round: another one, an end that the limit brings, or nothing. */
export type NextRound = { readonly prompt: string } | "limit" | undefined;

/** Counts the rounds of a prompt that the model has asked to go on with. */
export class Recursion {
  #depth = 0;
  #note: string | undefined;

  /** How many rounds have gone before this one. */
  get depth(): number {
    return this.#depth;
  }

  /** Notes that a plugin's tool has run; calls that were refused or failed are not told. */
  ran(tool: string, args: Readonly<Record<string, unknown>>): void {
    if (tool !== RECURSE) return;
    const { note } = args;
    this.#note = typeof note === "string" ? note : "";
  }

  /** What follows, now that a round has ended; `answered`: with a reply. */
  next(answered: boolean): NextRound {
    const note = this.#note;
    this.#note = undefined;
    const depth = this.#depth + 1;
    if (answered && note !== undefined && depth < MAX_RECURSION_DEPTH) {
      this.#depth = depth;
      return { prompt: `[Continuing from previous round]\n\nNote to self: ${note}` };
    }
    this.#depth = 0;
    return answered && note !== undefined ? "limit" : undefined;
  }
}
