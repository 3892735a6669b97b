import { Container } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";
import type { CustomEntry } from "../../session/entry.ts";
import { isComponent, shield } from "../shield.ts";
import { oneLine } from "../shown.ts";
import { Lazily } from "./lazily.ts";
import type { Chat, Foldable } from "./look.ts";

/** Draws state that an extension keeps in the session, with the renderer of the extension's module. */
export class EntryDrawn extends Lazily implements Foldable {
  readonly #state: { expanded: boolean };

  constructor(entry: CustomEntry, chat: Chat) {
    const state = { expanded: chat.look.expanded };
    super(() => {
      const found = chat.renderer("entry-renderer", entry.customType);
      const render = found?.value as ((...args: unknown[]) => unknown) | undefined;
      const who = `The renderer of "${oneLine(entry.customType)}"`;
      try {
        const made = render?.(entry, { expanded: state.expanded, outputPad: 1 }, chat.theme());
        if (isComponent(made)) return shield(made, who, chat.faults);
      } catch (thrown) {
        chat.faults(`${who} failed: ${messageOf(thrown)}`);
      }
      return new Container();
    });
    this.#state = state;
  }

  setExpanded(expanded: boolean): void {
    this.#state.expanded = expanded;
    this.changed();
  }
}
