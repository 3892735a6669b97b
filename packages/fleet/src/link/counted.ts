import { Link, type LinkOptions } from "./link.ts";

/** The one connection of a process to its fleet, shared by all its users and closed when the last one is done. */
export class CountedLink {
  readonly #options: LinkOptions;
  #link: Link | undefined;
  #users = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Returns the connection, which is made on first use, and a function to call when it is no longer needed. */
  take(): { readonly link: Link; release(): void } {
    this.#link ??= new Link(this.#options);
    const link = this.#link;
    let isHeld = true;
    this.#users += 1;
    return {
      link,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#users -= 1;
        if (this.#users > 0) return;
        this.#link = undefined;
        link.close();
      },
    };
  }
}
