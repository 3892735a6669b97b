import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/runtime/internal";
import type { Stage } from "../../tui/stage.ts";

/** Puts something around what completes already: pi's `AutocompleteProviderFactory`. */
export type Wrap = (provider: AutocompleteProvider) => AutocompleteProvider;

/** What the editor completes: the agent's own, and around it what extensions have added. */
export class Completing {
  readonly #stage: Stage;
  #wraps: Wrap[] = [];
  #own: AutocompleteProvider | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Begins with the agent's own; what was added before comes around it. */
  begin(own: AutocompleteProvider): void {
    this.#own = own;
    this.#put();
  }

  add(wrap: Wrap): void {
    this.#wraps.push(wrap);
    this.#put();
  }

  /** Takes away what extensions have added. */
  clear(): void {
    this.#wraps = [];
    this.#put();
  }

  #put(): void {
    if (this.#own === undefined) return;
    let provider = this.#own;
    this.#wraps = this.#wraps.filter((wrap) => {
      try {
        provider = wrap(provider);
        return true;
      } catch (thrown) {
        this.#stage.note(`An extension's completions could not be added: ${messageOf(thrown)}`, "error");
        return false;
      }
    });
    this.#stage.prompt.complete(provider);
  }
}
