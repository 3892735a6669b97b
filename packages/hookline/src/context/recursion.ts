/** The maximum number of rounds of one prompt, including the first. Source: spec/chibi.md 3. */
export const MAX_RECURSION_DEPTH = 30;

/** The tool of this name, of any plugin, asks for another round with a note to itself. */
const RECURSE = "recurse";

/** What follows a round: another round, an end because of the limit, or nothing. */
export type NextRound = { readonly prompt: string } | "limit" | undefined;

/** Counts the rounds of a prompt that the model has asked to continue. */
export class Recursion {
  #depth = 0;
  #note: string | undefined;

  /** How many rounds came before this one. */
  get depth(): number {
    return this.#depth;
  }

  /** Records that a plugin's tool has run; not called for refused or failed calls. */
  ran(tool: string, args: Readonly<Record<string, unknown>>): void {
    if (tool !== RECURSE) return;
    const { note } = args;
    this.#note = typeof note === "string" ? note : "";
  }

  /** What follows the end of a round; `answered`: it ended with a reply. */
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
