import { Link, type LinkOptions } from "./link.ts";

/** The one connection of a process to its fleet, for all who need it; it is closed when the last of them is done. */
export class CountedLink {
  readonly #options: LinkOptions;
  #link: Link | undefined;
  #users = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The connection, which is not made before somebody needs it, and what must be called when it is not needed any more. */
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
