import type { ToolResult } from "./tool.ts";

/** Minimum time between two partial results. */
const THROTTLE_MS = 100;

/** Reports the partial results of one call. */
export interface Updates {
  /** Marks that there is something new to report. */
  changed(): void;
  /** Reports what is still pending, and nothing afterwards. */
  end(): void;
}

/** Reports partial results as they arrive, but not too often; the first, empty one at once. */
export function createUpdates(
  report: ((partial: ToolResult) => void) | undefined,
  snapshot: () => ToolResult,
): Updates {
  if (!report) return { changed() {}, end() {} };
  let pending = false;
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!pending) return;
    pending = false;
    lastAt = performance.now();
    report(snapshot());
  };
  report({ content: [], details: undefined });
  return {
    changed() {
      pending = true;
      const wait = lastAt + THROTTLE_MS - performance.now();
      if (wait <= 0) flush();
      else timer ??= setTimeout(flush, wait);
    },
    end: flush,
  };
}
