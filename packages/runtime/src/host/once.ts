import { hash } from "node:crypto";

/** How many are remembered; more come of texts that are never the same, such as an error with the time in it. */
const MOST = 500;
const LONG = 200;

/** Tells what is new from what was there lately; what it keeps is bounded, however long a session lasts. */
export class Once {
  readonly #known = new Set<string>();

  /** Whether a text is not among the latest ones. */
  isNew(text: string): boolean {
    const key = text.length <= LONG ? text : hash("sha256", text);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return true;
  }
}
