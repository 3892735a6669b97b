import { type Component, Container } from "@earendil-works/pi-tui";
import type { Screen } from "./screen.ts";

/** The number of scrolled-away lines above which they are dropped. */
const MOST_LINES = 2000;
/** The number of scrolled-away lines that stay when the others are dropped, so that dropping is rare. */
const KEPT_LINES = 400;

interface Block {
  readonly component: Component;
  lines: string[];
  width: number;
}

/**
 * The content above the editor, oldest first. Blocks that have scrolled far away are no longer drawn, because the
 * terminal still has them. A change that concerns all blocks, such as another width or theme, redraws everything.
 */
export class Transcript implements Component {
  #blocks: Block[] = [];
  /** The index of the first block that is drawn. */
  #first = 0;
  #screen: Screen | undefined;
  #size = "";

  /** Sets the screen on which `settle` drops lines. The transcript must be the first part of that screen. */
  attach(screen: Screen): void {
    this.#screen = screen;
  }

  get blocks(): readonly Component[] {
    return this.#blocks.map(({ component }) => component);
  }

  /** The number of blocks that each frame draws. */
  get drawn(): number {
    return this.#blocks.length - this.#first;
  }

  add(component: Component): void {
    this.#blocks.push({ component, lines: [], width: -1 });
  }

  remove(component: Component): void {
    const at = this.#blocks.findIndex((block) => block.component === component);
    if (at < 0) return;
    this.#blocks.splice(at, 1);
    if (at < this.#first) this.#first -= 1;
  }

  clear(): void {
    this.#blocks = [];
    this.#drawFrom(0);
  }

  /** Redraws every block, including dropped ones. */
  redraw(): void {
    this.#drawFrom(0);
    this.invalidate();
    this.#screen?.requestRender(true);
  }

  invalidate(): void {
    for (const block of this.#blocks) {
      block.width = -1;
      block.component.invalidate();
    }
  }

  render(width: number): string[] {
    const size = `${width}x${this.#screen?.terminal.rows ?? 0}`;
    // After a resize the terminal is cleared and drawn from the top.
    if (size !== this.#size) this.#drawFrom(0);
    this.#size = size;
    const lines: string[] = [];
    const away = this.#screen?.scrolledAway ?? 0;
    for (let at = this.#first; at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at] as Block;
      if (block.width !== width || lines.length + block.lines.length > away) draw(block, width, away - lines.length);
      for (const line of block.lines) lines.push(line);
    }
    return lines;
  }

  /** Drops blocks that have scrolled far away; must be called after a frame. */
  settle(): void {
    const screen = this.#screen;
    const away = screen?.scrolledAway ?? 0;
    if (screen === undefined || away < MOST_LINES) return;
    let lines = 0;
    let next = this.#first;
    for (; next < this.#blocks.length; next += 1) {
      const block = this.#blocks[next] as Block;
      if (lines + block.lines.length > away - KEPT_LINES) break;
      lines += block.lines.length;
    }
    this.#drawFrom(next);
    screen.giveUp(lines);
  }

  #drawFrom(first: number): void {
    this.#first = first;
    if (this.#screen !== undefined) this.#screen.keepsScrollback = first > 0;
  }
}

/** Draws a block. Its scrolled-away lines stay unchanged, because a change there would redraw the whole screen. */
function draw(block: Block, width: number, away: number): void {
  const lines = block.component.render(width);
  const stays = block.width === width && away > 0 && lines.length > away && block.lines.length > away;
  block.lines = stays ? [...block.lines.slice(0, away), ...lines.slice(away)] : lines;
  block.width = width;
}

/** A part of the screen whose content is replaced as a whole. */
export class Slot extends Container {
  show(...components: readonly (Component | undefined)[]): void {
    this.clear();
    for (const component of components) if (component !== undefined) this.addChild(component);
  }
}
