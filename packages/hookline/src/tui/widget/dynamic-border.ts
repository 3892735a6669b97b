import type { Component } from "@earendil-works/pi-tui";
import { currentTheme } from "../theme/current.ts";

/** A line across the whole width. */
export class DynamicBorder implements Component {
  readonly color: (text: string) => string;

  constructor(color: (text: string) => string = (text) => currentTheme().fg("border", text)) {
    this.color = color;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [this.color("─".repeat(Math.max(1, width)))];
  }
}
