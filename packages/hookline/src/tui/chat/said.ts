import { Container, Spacer, Text } from "@earendil-works/pi-tui";
import { messageOf } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import type { AssistantMessage, Content, CustomMessage, UserMessage } from "@hookline/runtime/engine";
import { ABORTED, errorWords } from "../../provider/error-words.ts";
import type { CustomEntry } from "../../session/entry.ts";
import { isComponent, shield } from "../shield.ts";
import { oneLine, shown } from "../shown.ts";
import { getMarkdownTheme } from "../theme/styles.ts";
import {
  AssistantMessageComponent,
  CustomMessageComponent,
  type MarkdownTransformer,
  UserMessageComponent,
} from "../widget/messages.ts";
import { Folding, Lazily } from "./lazily.ts";
import type { Chat } from "./look.ts";

/** Wraps the extensions' text transformers: a returned text is cleaned and cut, any other result is ignored. */
function transformersOf(chat: Chat): MarkdownTransformer[] {
  return chat.transformers().map((transform) => (markdown, context) => {
    const changed: unknown = transform(markdown, context);
    return typeof changed === "string" ? shown(changed) : markdown;
  });
}

/**
 * Draws a message of the person, or one that hooks sent as the person: these hooks are named above it by file and line.
 */
export function userSaid({ content }: UserMessage, chat: Chat, hooks: readonly string[] = []): Lazily {
  const pictures = typeof content === "string" ? 0 : content.filter(({ type }) => type === "image").length;
  const note = pictures === 0 ? "" : `\n[${pictures === 1 ? "a picture" : `${pictures} pictures`}]`;
  return new Lazily(() => {
    const said = new UserMessageComponent(
      shown(textOf(content)) + note,
      getMarkdownTheme(chat.redraw),
      1,
      transformersOf(chat),
    );
    const box = new Container();
    box.addChild(new Spacer(1));
    const names = hooks.map((hook) => oneLine(chat.path(hook))).join(", ");
    const label = chat.theme().fg("customMessageLabel", `↩ From the hook ${names}:`);
    if (hooks.length > 0) box.addChild(new Text(label, 1, 0));
    box.addChild(said);
    return box;
  });
}

interface ReplyState {
  message: AssistantMessage;
  isStreaming: boolean;
  /**
   * The component that draws a growing reply; kept between frames, because it keeps the lines that are already drawn.
   */
  growing: AssistantMessageComponent | undefined;
}

/** A reply of the model; it grows while it streams. */
export class ModelReply extends Lazily {
  readonly #about: ReplyState;

  constructor(message: AssistantMessage, chat: Chat, isStreaming = false) {
    const about: ReplyState = { message, isStreaming, growing: undefined };
    super(() => {
      if (about.isStreaming && about.growing !== undefined) {
        about.growing.updateContent(inertReply(about.message));
        return about.growing;
      }
      const { hidesThinking, thinkingLabel } = chat.look;
      const component = new AssistantMessageComponent(
        inertReply(about.message),
        hidesThinking,
        getMarkdownTheme(chat.redraw),
        thinkingLabel,
        1,
        transformersOf(chat),
      );
      if (about.isStreaming) component.setStreaming(true);
      about.growing = about.isStreaming ? component : undefined;
      return component;
    });
    this.#about = about;
  }

  update(message: AssistantMessage, isStreaming = false): void {
    this.#about.message = message;
    this.#about.isStreaming = isStreaming;
    this.changed();
  }

  override invalidate(): void {
    this.#about.growing = undefined;
    super.invalidate();
  }
}

function inertReply(message: AssistantMessage): AssistantMessage {
  const { errorMessage = message.stopReason === "aborted" ? ABORTED : undefined, ...rest } = message;
  const content = message.content.map((block) => {
    // A growing text that is too long is cut at its start, because people read its end.
    if (block.type === "text") return { ...block, text: shown(block.text, "end") };
    return block.type === "thinking" ? { ...block, thinking: shown(block.thinking, "end") } : block;
  });
  return { ...rest, content, ...(errorMessage !== undefined && { errorMessage: shown(errorWords(errorMessage)) }) };
}

/** Draws a message of a hook, with the renderer of the hook's module if it has one. */
export function customSaid(message: CustomMessage, chat: Chat): Folding {
  return new Folding(chat.look.expanded, (expanded) => {
    const found = chat.renderer("message-renderer", message.customType);
    const render = found?.value as ((...args: unknown[]) => unknown) | undefined;
    const drawn = (...args: unknown[]): never => {
      const component = render?.(...args);
      if (!isComponent(component)) return undefined as never;
      return shield(component, `The renderer of "${oneLine(message.customType)}"`, chat.faults) as never;
    };
    const component = new CustomMessageComponent(
      render === undefined ? inertMessage(message) : message,
      render && drawn,
      getMarkdownTheme(chat.redraw),
    );
    component.setExpanded(expanded);
    return component;
  });
}

function inertMessage(message: CustomMessage): CustomMessage {
  const { content, customType } = message;
  const inert = (block: Content): Content => (block.type === "text" ? { ...block, text: shown(block.text) } : block);
  return {
    ...message,
    customType: oneLine(customType),
    content: typeof content === "string" ? shown(content) : content.map(inert),
  };
}

/** Draws state that an extension keeps in the session; undefined if no module of the extension draws it. */
export function entryDrawn(entry: CustomEntry, chat: Chat): Folding | undefined {
  if (chat.renderer("entry-renderer", entry.customType) === undefined) return undefined;
  return new Folding(chat.look.expanded, (expanded) => {
    const found = chat.renderer("entry-renderer", entry.customType);
    const render = found?.value as ((...args: unknown[]) => unknown) | undefined;
    const who = `The renderer of "${oneLine(entry.customType)}"`;
    try {
      const made = render?.(entry, { expanded, outputPad: 1 }, chat.theme());
      if (isComponent(made)) return shield(made, who, chat.faults);
    } catch (thrown) {
      chat.faults(`${who} failed: ${messageOf(thrown)}`);
    }
    return new Container();
  });
}
