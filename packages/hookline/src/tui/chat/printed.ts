import { Container, Spacer, Text } from "@earendil-works/pi-tui";
import { oneLine } from "../shown.ts";
import { Lazily } from "./lazily.ts";
import type { Chat } from "./look.ts";

const MOST_LINES = 100;

/** Draws the last lines that hooks' modules have printed. */
export class Printed extends Lazily {
  readonly #lines: string[];
  readonly #left: { count: number };

  constructor(chat: Chat) {
    const lines: string[] = [];
    const left = { count: 0 };
    super(() => {
      const box = new Container();
      box.addChild(new Spacer(1));
      const before = left.count === 0 ? [] : [`… ${left.count} lines before`];
      box.addChild(new Text(chat.theme().fg("dim", [...before, ...lines].join("\n")), 1, 0));
      return box;
    });
    this.#lines = lines;
    this.#left = left;
  }

  append(line: string): void {
    this.#lines.push(oneLine(line));
    if (this.#lines.length > MOST_LINES) {
      this.#lines.shift();
      this.#left.count += 1;
    }
    this.changed();
  }
}
