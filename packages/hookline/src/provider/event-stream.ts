import type { AssistantMessage } from "@hookline/runtime/engine";
import type { StreamEvent } from "./provider.ts";

/** A running request as extensions get it: iterable once, with the final message as a promise. */
export interface EventStream extends AsyncIterable<StreamEvent> {
  result(): Promise<AssistantMessage>;
}

/** Starts to read a provider's events immediately and buffers them until they are read, like pi's streams. */
export function eventStream(source: AsyncIterable<StreamEvent>): EventStream {
  const events: StreamEvent[] = [];
  let wake: (() => void) | undefined;
  let finished = false;
  const final = (async (): Promise<AssistantMessage> => {
    let message: AssistantMessage | undefined;
    for await (const event of source) {
      events.push(event);
      if (event.type === "done") message = event.message;
      if (event.type === "error") message = event.error;
      wake?.();
    }
    if (message === undefined) throw new Error("The stream ended without a result");
    return message;
  })().finally(() => {
    finished = true;
    wake?.();
  });
  // Without this, a caller that only iterates would get an unhandled rejection.
  final.catch(() => undefined);
  return {
    result: () => final,
    async *[Symbol.asyncIterator]() {
      for (let index = 0; ; ) {
        const event = events[index];
        if (event !== undefined) {
          index++;
          yield event;
        } else if (finished) return;
        else await new Promise<void>((resolve) => void (wake = resolve));
      }
    },
  };
}
