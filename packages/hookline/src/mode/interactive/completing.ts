import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";
import type { Stage } from "../../tui/stage.ts";

/** A function that wraps the current completions: pi's `AutocompleteProviderFactory`. */
export type Wrap = (provider: AutocompleteProvider) => AutocompleteProvider;

/** The completions of the editor: the agent's own, wrapped by those of extensions. */
export class Completing {
  readonly #stage: Stage;
  #wraps: Wrap[] = [];
  #own: AutocompleteProvider | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Sets the agent's completions, such as commands and paths, and wraps them with those that extensions have added. */
  begin(own: AutocompleteProvider): void {
    this.#own = own;
    this.#put();
  }

  add(wrap: Wrap): void {
    this.#wraps.push(wrap);
    this.#put();
  }

  /** Removes the completions that extensions have added. */
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
