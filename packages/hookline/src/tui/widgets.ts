import { type Component, type TUI, truncateToWidth } from "@earendil-works/pi-tui";
import { cleanText, messageOf } from "@hookline/ground";
import { type Faults, isComponent, shield } from "./shield.ts";
import { oneLine } from "./shown.ts";
import type { Theme } from "./theme/theme.ts";

/** The maximum number of lines of a text widget. Source: spec/pi.md 2.4. */
const MOST_LINES = 10;

type Disposable = Component & { dispose?(): void };

/** A widget's place: above or below the editor. */
export type Placement = "aboveEditor" | "belowEditor";

interface Widget {
  readonly placement: Placement;
  readonly component: Disposable;
}

/** Hooks' widgets around the editor, by the name (`key`) that a hook gave to its widget. */
export class Widgets {
  readonly #tui: TUI;
  readonly #theme: () => Theme;
  readonly #faults: Faults;
  readonly #widgets = new Map<string, Widget>();

  constructor(tui: TUI, theme: () => Theme, faults: Faults) {
    this.#tui = tui;
    this.#theme = theme;
    this.#faults = faults;
  }

  /** Sets the content of the widget with a name: lines or a component. `undefined` removes the widget. */
  set(key: string, content: unknown, placement: Placement): void {
    const old = this.#widgets.get(key);
    this.#widgets.delete(key);
    dispose(old?.component);
    const component = this.#component(key, content);
    if (component !== undefined) this.#widgets.set(key, { placement, component });
    this.#tui.requestRender();
  }

  /** Removes all widgets, for example at a reload. */
  clear(): void {
    for (const { component } of this.#widgets.values()) dispose(component);
    this.#widgets.clear();
  }

  /** Returns the component that draws all widgets of one placement. */
  at(placement: Placement): Component {
    const here = (): Disposable[] =>
      [...this.#widgets.values()].filter((widget) => widget.placement === placement).map(({ component }) => component);
    return {
      invalidate: () => {
        for (const component of here()) component.invalidate();
      },
      render: (width) => here().flatMap((component) => component.render(width)),
    };
  }

  #component(key: string, content: unknown): Disposable | undefined {
    if (Array.isArray(content)) return lines(content);
    if (typeof content !== "function") return undefined;
    const who = `The widget "${oneLine(key)}"`;
    try {
      const component: unknown = content(this.#tui, this.#theme());
      return isComponent(component) ? shield(component, who, this.#faults) : undefined;
    } catch (thrown) {
      this.#faults(`${who} failed: ${messageOf(thrown)}`);
      return undefined;
    }
  }
}

function lines(content: readonly unknown[]): Component {
  const shown = content.slice(0, MOST_LINES).map((line) => cleanText(String(line), { keepSgr: true, lines: "fold" }));
  if (content.length > MOST_LINES) shown.push(`… ${content.length - MOST_LINES} more lines`);
  return { invalidate() {}, render: (width) => shown.map((line) => truncateToWidth(` ${line}`, width)) };
}

function dispose(component: Disposable | undefined): void {
  try {
    component?.dispose?.();
  } catch {
    // An error here is ignored: the component is already gone from the screen.
  }
}
