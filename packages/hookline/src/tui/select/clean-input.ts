import { Input } from "@earendil-works/pi-tui";
import { cleanText } from "@hookline/ground";

/** pi-tui's input line draws pasted text unchanged; this one accepts no character that acts on a terminal. */
export class CleanInput extends Input {
  override handleInput(data: string): void {
    super.handleInput(data);
    const value = this.getValue();
    const clean = cleanText(value, { lines: "fold" });
    if (clean !== value) super.setValue(clean);
  }

  override setValue(value: string): void {
    super.setValue(cleanText(value, { lines: "fold" }));
  }
}
