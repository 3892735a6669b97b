import { Input } from "@earendil-works/pi-tui";
import { cleanText } from "@hookline/ground";

/** An input line that removes control characters; pi-tui's own input line draws pasted ones unchanged. */
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
