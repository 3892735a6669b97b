import { messageOf } from "@hookline/ground";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { LIMITS, ReplySize } from "./limits.ts";
import { emptyMessage, failure } from "./message.ts";
import type { Model, StreamEvent } from "./provider.ts";
import { withoutSecrets } from "./secrets.ts";
import { withoutStream } from "./streamed/arguments.ts";

/**
 * Makes any event source keep the contract of `Provider.stream`: exactly one `done` or `error` at the end, and no
 * throw. If a source continues for `graceMs` after an abort, it is abandoned and the abort is reported. If a reply
 * exceeds its limit, it becomes an error with the content so far, and the source's signal is aborted.
 */
export async function* settled(
  open: (signal: AbortSignal) => AsyncIterable<StreamEvent> | Promise<AsyncIterable<StreamEvent>>,
  model: Model,
  signal?: AbortSignal,
  graceMs = 250,
): AsyncGenerator<StreamEvent, void, undefined> {
  // The source gets its own signal. Clients never remove their listeners, and Node keeps a signal of `AbortSignal.any`
  // alive as long as it has a listener.
  const stop = new AbortController();
  const watch = abortWatch(signal, graceMs, (reason) => stop.abort(reason));
  const size = new ReplySize();
  let latest: StreamEvent | undefined;
  let source: AsyncIterator<StreamEvent> | undefined;
  const failed = (text: string): StreamEvent => {
    const message = latest !== undefined && "partial" in latest ? withoutStream(latest.partial) : emptyMessage(model);
    return signal?.aborted ? failure(message, "aborted", "Request was aborted") : failure(message, "error", text);
  };
  try {
    source = (await watch.race(Promise.resolve().then(() => open(stop.signal))))?.[Symbol.asyncIterator]();
    while (source !== undefined) {
      const next = await watch.race(source.next());
      if (next === undefined || next.done === true) break;
      latest = next.value;
      if (latest.type === "error") clear(latest.error);
      else if (size.isOver(latest)) {
        stop.abort();
        yield tooLarge(latest.type === "done" ? latest.message : withoutStream(latest.partial), model);
        return;
      }
      yield latest;
      if (latest.type === "done" || latest.type === "error") return;
    }
    yield failed(`The stream of ${model.provider}/${model.id} ended without a result`);
  } catch (thrown) {
    yield failed(cleared(messageOf(thrown)));
  } finally {
    watch.close();
    // An abandoned source may never end its clean-up, so it is not awaited.
    void Promise.resolve(source?.return?.()).catch(() => undefined);
  }
}

function tooLarge(message: AssistantMessage, model: Model): StreamEvent {
  const most = `${LIMITS.reply} characters or ${LIMITS.blocks} parts`;
  const text = `The reply of ${model.provider}/${model.id} is larger than ${most}, so the rest of it was not read and its calls were not run. Ask for less at once.`;
  return failure(message, "error", text);
}

/** The maximum length of a stored error, because a server may answer with a whole web page. */
const MOST_ERROR = 4000;

function clear(message: { readonly errorMessage?: string | undefined }): void {
  const { errorMessage } = message;
  if (errorMessage !== undefined) Object.assign(message, { errorMessage: cleared(errorMessage) });
}

/** Removes secrets from an error's text, because a server may repeat what it was sent. Shortens a long text. */
function cleared(text: string): string {
  const safe = withoutSecrets(text);
  return safe.length > MOST_ERROR ? `${safe.slice(0, MOST_ERROR)}… (${safe.length} characters)` : safe;
}

/** Watches for an abort. `race` gives a promise's result, or `undefined` after an abort and the grace time. */
function abortWatch(signal: AbortSignal | undefined, graceMs: number, aborted: (reason: unknown) => void) {
  let giveUp: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const onAbort = (): void => {
    aborted(signal?.reason);
    timer = setTimeout(() => {
      over = true;
      giveUp?.();
    }, graceMs);
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    race<T>(work: Promise<T>): Promise<T | undefined> {
      if (signal === undefined) return work;
      return new Promise((resolve, reject) => {
        giveUp = () => resolve(undefined);
        work.then(resolve, reject);
        if (over) giveUp();
      });
    },
    close(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
