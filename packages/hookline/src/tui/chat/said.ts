import { textOf } from "@hookline/runtime";
import type { AssistantMessage, Content, CustomMessage, UserMessage } from "@hookline/runtime/internal";
import {
  AssistantMessageComponent,
  CustomMessageComponent,
  type MarkdownTransformer,
  UserMessageComponent,
} from "../../compat/ui/messages.ts";
import { isComponent, shield } from "../shield.ts";
import { oneLine, shown } from "../shown.ts";
import { Lazily } from "./lazily.ts";
import type { Chat, Foldable } from "./look.ts";
import { markdownStyle } from "./markdown.ts";

/** What hooks make of a text is shown like any other text. */
function transformersOf(chat: Chat): MarkdownTransformer[] {
  return chat.transformers().map((transform) => (markdown, context) => {
    const changed: unknown = transform(markdown, context);
    return typeof changed === "string" ? shown(changed) : markdown;
  });
}

/** What the person said. */
export function userSaid({ content }: UserMessage, chat: Chat): Lazily {
  const pictures = typeof content === "string" ? 0 : content.filter(({ type }) => type === "image").length;
  const note = pictures === 0 ? "" : `\n[${pictures === 1 ? "a picture" : `${pictures} pictures`}]`;
  return new Lazily(
    () => new UserMessageComponent(shown(textOf(content)) + note, markdownStyle(chat), 1, transformersOf(chat)),
  );
}

/** A reply of the model; it grows while it streams. */
export class Reply extends Lazily {
  readonly #about: { message: AssistantMessage; isStreaming: boolean };

  constructor(message: AssistantMessage, chat: Chat, isStreaming = false) {
    const about = { message, isStreaming };
    super(() => {
      const { hidesThinking, thinkingLabel } = chat.look;
      const component = new AssistantMessageComponent(
        inertReply(about.message),
        hidesThinking,
        markdownStyle(chat),
        thinkingLabel,
        1,
        transformersOf(chat),
      );
      if (about.isStreaming) component.setStreaming(true);
      return component;
    });
    this.#about = about;
  }

  update(message: AssistantMessage, isStreaming = false): void {
    this.#about.message = message;
    this.#about.isStreaming = isStreaming;
    this.changed();
  }
}

function inertReply(message: AssistantMessage): AssistantMessage {
  const { errorMessage, ...rest } = message;
  const content = message.content.map((block) => {
    // Of what still grows the end is what is read.
    if (block.type === "text") return { ...block, text: shown(block.text, "end") };
    return block.type === "thinking" ? { ...block, thinking: shown(block.thinking, "end") } : block;
  });
  return { ...rest, content, ...(errorMessage !== undefined && { errorMessage: shown(errorMessage) }) };
}

/** A message of a hook, as its module's renderer draws it if there is one. */
export class CustomSaid extends Lazily implements Foldable {
  readonly #message: { expanded: boolean };

  constructor(message: CustomMessage, chat: Chat) {
    const state = { expanded: chat.look.expanded };
    super(() => {
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
        markdownStyle(chat),
      );
      component.setExpanded(state.expanded);
      return component;
    });
    this.#message = state;
  }

  setExpanded(expanded: boolean): void {
    this.#message.expanded = expanded;
    this.changed();
  }
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
