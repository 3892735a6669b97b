import { Box, type Component, Container, Markdown, type MarkdownTheme, Spacer, Text } from "@earendil-works/pi-tui";
import { textOf } from "@hookline/runtime";
import type { AssistantMessage, CustomMessage } from "@hookline/runtime/engine";
import { currentTheme } from "../theme/current.ts";
import { getMarkdownTheme } from "../theme/styles.ts";
import { GrowingMarkdown } from "./growing.ts";

/** Facts about a text that a transformer receives, as in pi. */
export interface MarkdownTransformContext {
  readonly messageType: "user" | "assistant" | "assistant-thinking";
  readonly isStreaming: boolean;
  readonly availableWidth: number;
}

/** Changes how a text is drawn, never what is sent or stored. */
export type MarkdownTransformer = (markdown: string, context: MarkdownTransformContext) => string;

/** Applies transformers one after the other; one that throws or returns no text is skipped. */
function transforming(
  about: Omit<MarkdownTransformContext, "availableWidth">,
  transformers: readonly MarkdownTransformer[],
): { transform?: (markdown: string, availableWidth: number) => string } {
  if (transformers.length === 0) return {};
  return {
    transform: (markdown, availableWidth) =>
      transformers.reduce((text, transformer) => {
        try {
          const changed: unknown = transformer(text, { ...about, availableWidth });
          return typeof changed === "string" ? changed : text;
        } catch {
          return text;
        }
      }, markdown),
  };
}

/** The person's message, on its own background. */
export class UserMessageComponent extends Container {
  readonly #text: string;
  readonly #style: MarkdownTheme;
  readonly #transformers: readonly MarkdownTransformer[];
  #padding: number;

  constructor(
    text: string,
    style: MarkdownTheme = getMarkdownTheme(),
    padding = 1,
    transformers: readonly MarkdownTransformer[] = [],
  ) {
    super();
    this.#transformers = transformers;
    this.#text = text;
    this.#style = style;
    this.#padding = padding;
    this.#draw();
  }

  setOutputPad(padding: number): void {
    this.#padding = padding;
    this.#draw();
  }

  #draw(): void {
    this.clear();
    const box = new Box(this.#padding, 1, (text) => currentTheme().bg("userMessageBg", text));
    const color = (text: string): string => currentTheme().fg("userMessageText", text);
    const options = transforming({ messageType: "user", isStreaming: false }, this.#transformers);
    box.addChild(new Markdown(this.#text, 0, 0, this.#style, { color }, options));
    this.addChild(box);
  }
}

/** Draws a reply of the model: its texts, its thinking or a label in place of it, and why the reply ended early. */
export class AssistantMessageComponent extends Container {
  readonly #style: MarkdownTheme;
  readonly #transformers: readonly MarkdownTransformer[];
  #message: AssistantMessage | undefined;
  #isStreaming = false;
  /** The markdown of a streaming reply's text and thinking blocks, by their index in the reply. */
  readonly #growing = new Map<number, { readonly isThinking: boolean; readonly markdown: GrowingMarkdown }>();
  #hideThinking: boolean;
  #label: string;
  #padding: number;

  constructor(
    message?: AssistantMessage,
    hideThinking = false,
    style: MarkdownTheme = getMarkdownTheme(),
    label = "Thinking...",
    padding = 1,
    transformers: readonly MarkdownTransformer[] = [],
  ) {
    super();
    this.#transformers = transformers;
    this.#message = message;
    this.#hideThinking = hideThinking;
    this.#style = style;
    this.#label = label;
    this.#padding = padding;
    this.#draw();
  }

  override invalidate(): void {
    super.invalidate();
    this.#drawAnew();
  }

  setHideThinkingBlock(hide: boolean): void {
    this.#hideThinking = hide;
    this.#drawAnew();
  }

  setHiddenThinkingLabel(label: string): void {
    this.#label = label;
    this.#drawAnew();
  }

  setOutputPad(padding: number): void {
    this.#padding = padding;
    this.#drawAnew();
  }

  setStreaming(isStreaming: boolean): void {
    this.#isStreaming = isStreaming;
    this.#drawAnew();
  }

  updateContent(message: AssistantMessage): void {
    this.#message = message;
    this.#draw();
  }

  #drawAnew(): void {
    this.#growing.clear();
    this.#draw();
  }

  #draw(): void {
    this.clear();
    const message = this.#message;
    if (message === undefined) return;
    for (const [at, block] of message.content.entries()) {
      const text = block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "";
      if (text.trim() === "") continue;
      this.addChild(new Spacer(1));
      this.addChild(this.#block(at, block.type === "thinking", text.trim()));
    }
    const problem = problemOf(message);
    if (problem === undefined) return;
    this.addChild(new Spacer(1));
    this.addChild(new Text(currentTheme().fg("error", problem), this.#padding, 0));
  }

  #block(at: number, isThinking: boolean, text: string): Component {
    const theme = currentTheme();
    const color = (part: string): string => theme.fg("thinkingText", part);
    if (isThinking && this.#hideThinking) return new Text(theme.italic(color(this.#label)), this.#padding, 0);
    const messageType = isThinking ? "assistant-thinking" : "assistant";
    const options = transforming({ messageType, isStreaming: this.#isStreaming }, this.#transformers);
    const style = isThinking ? { color, italic: true } : undefined;
    const whole = (part: string): Markdown => new Markdown(part, this.#padding, 0, this.#style, style, options);
    // Transformers need the whole text, so with them even a streaming text is drawn anew each time.
    if (!this.#isStreaming || this.#transformers.length > 0) return whole(text);
    const known = this.#growing.get(at);
    if (known?.isThinking === isThinking) known.markdown.setText(text);
    const markdown = known?.isThinking === isThinking ? known.markdown : new GrowingMarkdown(text, whole);
    this.#growing.set(at, { isThinking, markdown });
    return markdown;
  }
}

/** Returns why a reply ended early; undefined if it has tool calls, whose results say what went wrong. */
function problemOf({ content, stopReason, errorMessage }: AssistantMessage): string | undefined {
  if (stopReason === "length") return "Response was truncated before completion.";
  if (content.some(({ type }) => type === "toolCall")) return undefined;
  if (stopReason === "aborted") return errorMessage ?? "Operation aborted";
  return stopReason === "error" ? `Error: ${errorMessage ?? "Unknown error"}` : undefined;
}

type MessageRenderer = (
  message: CustomMessage,
  options: { readonly expanded: boolean; readonly outputPad: number },
  theme: object,
) => Component | undefined;

/** Draws a message of an extension with the extension's renderer, otherwise its type and text. */
export class CustomMessageComponent extends Container {
  readonly #message: CustomMessage;
  readonly #renderer: MessageRenderer | undefined;
  readonly #style: MarkdownTheme;
  #expanded = false;
  #padding: number;

  constructor(
    message: CustomMessage,
    renderer?: MessageRenderer,
    style: MarkdownTheme = getMarkdownTheme(),
    padding = 1,
  ) {
    super();
    this.#message = message;
    this.#renderer = renderer;
    this.#style = style;
    this.#padding = padding;
    this.#draw();
  }

  setExpanded(expanded: boolean): void {
    this.#expanded = expanded;
    this.#draw();
  }

  setOutputPad(padding: number): void {
    this.#padding = padding;
    this.#draw();
  }

  override invalidate(): void {
    super.invalidate();
    this.#draw();
  }

  #draw(): void {
    this.clear();
    this.addChild(new Spacer(1));
    this.addChild(this.#own() ?? this.#plain());
  }

  /** Calls the message's renderer; undefined if it fails, so that the screen does not break. */
  #own(): Component | undefined {
    try {
      return this.#renderer?.(this.#message, { expanded: this.#expanded, outputPad: this.#padding }, currentTheme());
    } catch {
      return undefined;
    }
  }

  #plain(): Component {
    const theme = currentTheme();
    const box = new Box(1, 1, (text) => theme.bg("customMessageBg", text));
    box.addChild(new Text(theme.fg("customMessageLabel", theme.bold(`[${this.#message.customType}]`)), 0, 0));
    box.addChild(new Spacer(1));
    const color = (text: string): string => theme.fg("customMessageText", text);
    box.addChild(new Markdown(textOf(this.#message.content), 0, 0, this.#style, { color }));
    return box;
  }
}
