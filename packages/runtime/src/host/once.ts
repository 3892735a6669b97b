import { hash } from "node:crypto";
import type { Diagnostic } from "../error/diagnostic.ts";

/** How many texts are remembered; more than that are texts that always differ, such as an error with the time in it. */
const MOST = 500;
const LONG = 200;

/** Distinguishes new texts from recent ones; its memory is bounded, however long a session lasts. */
export class Once {
  readonly #known = new Set<string>();

  /** Whether a text is not among the recent ones. */
  isNew(text: string): boolean {
    const key = text.length <= LONG ? text : hash("sha256", text);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return true;
  }
}

/** What a diagnostic is about: a person sees two about the same thing as one. */
export function aboutOf({ code, hook, event = "", message }: Diagnostic): string {
  return `${code}\0${hook ?? ""}\0${event}\0${hook === undefined ? message : ""}`;
}
