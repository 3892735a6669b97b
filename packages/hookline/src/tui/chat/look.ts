import type { Component } from "@earendil-works/pi-tui";
import type { Contribution } from "@hookline/runtime/internal";
import type { Theme } from "../../compat/theme/theme.ts";
import type { MarkdownTransformer } from "../../compat/ui/messages.ts";

/** What is shown in full, in part or not at all; the same for everything in the chat. */
export interface Look {
  /** Whether results of tools are shown in full. */
  expanded: boolean;
  hidesThinking: boolean;
  /** What stands in the place of hidden thinking. */
  thinkingLabel: string;
}

/** How a hook's module draws something of its own. */
export type Renderer = (...args: readonly never[]) => unknown;

/** What parts of the chat need of the agent and the screen. */
export interface Chat {
  readonly look: Look;
  readonly cwd: string;
  theme(): Theme;
  requestRender(): void;
  /** The tool of a name as it was registered, with its renderers if it has any. */
  tool(name: string): object | undefined;
  renderer(kind: "message-renderer" | "entry-renderer", type: string): Contribution<Renderer> | undefined;
  /** What hooks' modules make of texts before they are drawn, in order; what they give is shown like any text. */
  transformers(): readonly MarkdownTransformer[];
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
