import type { Component } from "@earendil-works/pi-tui";

/** A component that is made when it is drawn, and anew after a change: what changes between two frames costs nothing. */
export class Lazily implements Component {
  readonly #make: () => Component;
  #made: Component | undefined;

  constructor(make: () => Component) {
    this.#make = make;
  }

  /** Has it made anew at the next frame. */
  changed(): void {
    this.#made = undefined;
  }

  invalidate(): void {
    this.#made = undefined;
  }

  render(width: number): string[] {
    return (this.#made ??= this.#make()).render(width);
  }
}
