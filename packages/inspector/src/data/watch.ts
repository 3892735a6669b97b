import type { LiveLine, MomentItem, Summary } from "../../../hookline/src/inspect/api.ts";
import type { Api } from "./api.ts";
import { pathOf } from "./path.ts";

const GROWTH_MS = 250;
const AGAIN_MS = 1500;

/** Receives the changes of a source that grows, such as the recording of a running session. */
export interface Watcher {
  told(summary: Summary): void;
  changed(item: MomentItem): void;
  failed(thrown: unknown): void;
}

/**
 * Requests a source's summary, repeatedly while its index is being built and whenever the source grows. Never throws.
 */
export async function watchSource(api: Api, source: string, ended: AbortSignal, watcher: Watcher): Promise<void> {
  try {
    let summary = await refresh();
    while (summary.indexed < summary.bytes && !ended.aborted) {
      await pause(GROWTH_MS, ended);
      summary = await refresh();
    }
    // The result of a replay is complete and never grows.
    while (api.live !== undefined && !ended.aborted && summary.source.kind !== "replay") {
      await follow(summary.moments);
      await pause(AGAIN_MS, ended);
      if (!ended.aborted) summary = await refresh();
    }
  } catch (thrown) {
    if (!ended.aborted) watcher.failed(thrown);
  }

  async function refresh(): Promise<Summary> {
    const summary = await api.ask<Summary>(pathOf(source, "summary"), ended);
    if (!ended.aborted) watcher.told(summary);
    return summary;
  }

  /** Reads the stream to its end. Requests the summary at most once per `GROWTH_MS`, however many lines arrive. */
  async function follow(from: number): Promise<void> {
    let isWaiting = false;
    for await (const line of api.live?.<LiveLine>(pathOf(source, "live", { from }), ended) ?? []) {
      if (ended.aborted || line.kind === "gone") return;
      if (line.kind === "changed") watcher.changed(line.item);
      if (!isWaiting) {
        isWaiting = true;
        void pause(GROWTH_MS, ended)
          .then(() => {
            isWaiting = false;
            return ended.aborted ? undefined : refresh();
          })
          .catch((thrown: unknown) => (ended.aborted ? undefined : watcher.failed(thrown)));
      }
    }
  }
}

/** Resolves after `ms`, or as soon as `ended` aborts. */
export function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
