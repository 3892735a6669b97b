import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import { AssistantMessageEventStream as Stream } from "@earendil-works/pi-ai/utils/event-stream";
import { type CallBlock, endArguments, startArguments } from "./arguments.ts";

/**
 * Replaces `../utils/event-stream.js`, which pi-ai's clients import (scripts/replaced-modules.ts). The clients store a
 * call's arguments as unparsed text; this class parses them when they are read or complete.
 */
export class AssistantMessageEventStream extends Stream {
  override push(event: AssistantMessageEvent): void {
    if (event.type === "toolcall_start" || event.type === "toolcall_delta") {
      const block = event.partial.content[event.contentIndex];
      if (block?.type === "toolCall") startArguments(block);
    } else if (event.type === "toolcall_end") endArguments(event.toolCall);
    else if (event.type === "done") endAll(event.message.content);
    else if (event.type === "error") endAll(event.error.content);
    super.push(event);
  }
}

function endAll(content: readonly { readonly type: string }[]): void {
  for (const block of content) if (block.type === "toolCall") endArguments(block as unknown as CallBlock);
}
