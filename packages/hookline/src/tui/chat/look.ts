import type { Contribution } from "@hookline/runtime/engine";
import type { Theme } from "../theme/theme.ts";
import type { MarkdownTransformer } from "../widget/messages.ts";

/** How the chat is shown; these settings apply to every part of it. */
export interface Look {
  /** Whether results of tools are shown in full. */
  expanded: boolean;
  hidesThinking: boolean;
  /** The text shown instead of hidden thinking. */
  thinkingLabel: string;
}

/** A function of a hook's module that draws the module's own messages or entries. */
export type Renderer = (...args: readonly never[]) => unknown;

/** Parts of the agent and the screen that the chat needs. */
export interface Chat {
  readonly look: Look;
  readonly cwd: string;
  /** Shortens a path for display: relative to the working folder, or beginning with `~`. */
  path(path: string): string;
  theme(): Theme;
  requestRender(): void;
  /** Draws all of the chat again, for example once the highlighter for code has been loaded. */
  readonly redraw: () => void;
  /** Returns the tool that is registered under a name; it may have its own renderers. */
  tool(name: string): object | undefined;
  renderer(kind: "message-renderer" | "entry-renderer", type: string): Contribution<Renderer> | undefined;
  /** Functions of hooks' modules that change texts before they are drawn, in order. Their results are untrusted. */
  transformers(): readonly MarkdownTransformer[];
  /** Returns the functions with which extensions choose the renderers of tools, in order. */
  toolRenderers(): readonly ((tool: string, next: () => object | undefined) => unknown)[];
  faults(problem: string): void;
}
