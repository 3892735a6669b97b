import type { Component } from "@earendil-works/pi-tui";
import type { Contribution } from "@hookline/runtime/engine";
import type { Theme } from "../theme/theme.ts";
import type { MarkdownTransformer } from "../widget/messages.ts";

/** How much of each part of the chat is shown; the same for everything in it. */
export interface Look {
  /** Whether results of tools are shown in full. */
  expanded: boolean;
  hidesThinking: boolean;
  /** The text shown instead of hidden thinking. */
  thinkingLabel: string;
}

/** How a hook's module draws something of its own. */
export type Renderer = (...args: readonly never[]) => unknown;

/** Parts of the agent and the screen that the chat needs. */
export interface Chat {
  readonly look: Look;
  readonly cwd: string;
  /** A path as the person knows it. */
  path(path: string): string;
  theme(): Theme;
  requestRender(): void;
  /** The tool with a name, as registered, with its renderers if any. */
  tool(name: string): object | undefined;
  renderer(kind: "message-renderer" | "entry-renderer", type: string): Contribution<Renderer> | undefined;
  /**
   * Transformers of hooks' modules for texts before they are drawn, in order; their results are shown like any text.
   */
  transformers(): readonly MarkdownTransformer[];
  /** The functions by which extensions choose the renderers of tools, in their order. */
  toolRenderers(): readonly ((tool: string, next: () => object | undefined) => unknown)[];
  faults(problem: string): void;
}

/** A part of the chat that can be shown in full or in part. */
export interface Foldable extends Component {
  setExpanded(expanded: boolean): void;
}

/** Whether a part of the chat can be folded. */
export function isFoldable(component: Component): component is Foldable {
  return typeof (component as Partial<Foldable>).setExpanded === "function";
}
