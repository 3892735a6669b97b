import type { Component } from "@earendil-works/pi-tui";

/**
 * A component that creates its content when it is drawn after a change, so that changes between two frames cost
 * nothing.
 */
export class Lazily implements Component {
  readonly #make: () => Component;
  #made: Component | undefined;

  constructor(make: () => Component) {
    this.#make = make;
  }

  /** Makes the next frame create the component again. */
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

/** A part of the chat that can be shown in full or in part. */
export class Folding extends Lazily {
  #expanded: boolean;

  /** `expanded` says whether the part is shown in full at first. */
  constructor(expanded: boolean, make: (expanded: boolean) => Component) {
    super(() => make(this.#expanded));
    this.#expanded = expanded;
  }

  setExpanded(expanded: boolean): void {
    this.#expanded = expanded;
    this.changed();
  }
}
