import { Worker } from "node:worker_threads";
import { throwIfAborted } from "./abort.ts";
import { mayBacktrack } from "./pattern.ts";

/** Longest time for one file when a pattern backtracks. */
const FILE_BUDGET_MS = 30_000;

/** Finds the lines of texts that a pattern matches. */
export interface LineSearch {
  /** Numbers of matching lines, from 1, at most so many; `label` names the text in an error. */
  search(text: string, limit: number, label: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Limits of a search. */
export interface LineSearchOptions {
  readonly budgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a search for one pattern. A pattern with repetition may run for ages on some text, and nothing can interrupt that
 * on this thread; it gets a thread of its own, which ends with the abort or the time limit. `close` must be called.
 */
export function createLineSearch(expression: RegExp, options: LineSearchOptions = {}): LineSearch {
  if (mayBacktrack(expression)) return threadedSearch(expression, options);
  return {
    search: async (text, limit) => matchingLines(text, expression, limit),
    close: async () => {},
  };
}

/** Splits a text into lines as they are counted; a final line break ends the last line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function matchingLines(text: string, expression: RegExp, limit: number): number[] {
  const found: number[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    if (found.length >= limit) break;
    if (expression.test(line)) found.push(index + 1);
  }
  return found;
}

// Kept as text, so that the search does not depend on a file beside the bundle.
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const expression = new RegExp(workerData.source, workerData.flags);
  parentPort.on("message", ({ text, limit }) => {
    const lines = text.split(/\\r?\\n/);
    if (lines.at(-1) === "") lines.pop();
    const found = [];
    for (let index = 0; index < lines.length && found.length < limit; index++) {
      if (expression.test(lines[index])) found.push(index + 1);
    }
    parentPort.postMessage(found);
  });
`;

function threadedSearch(
  { source, flags }: RegExp,
  { budgetMs = FILE_BUDGET_MS, signal }: LineSearchOptions,
): LineSearch {
  const thread = new Worker(THREAD, { eval: true, workerData: { source, flags }, execArgv: [], env: {} });
  // Failures are told to the search that waits; one between searches is told to the next.
  let failure: unknown;
  thread.on("error", (error) => {
    failure = error;
  });
  return {
    async search(text, limit, label) {
      throwIfAborted(signal);
      if (failure !== undefined) throw failure;
      const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
      const onAbort = () => reject(new Error("Operation aborted"));
      const timer = setTimeout(() => {
        reject(
          new Error(
            `The pattern took longer than ${budgetMs / 1000} s on ${label}. Make it simpler, or use literal=true.`,
          ),
        );
      }, budgetMs);
      thread.once("message", resolve);
      thread.once("error", reject);
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        thread.postMessage({ text, limit });
        return await promise;
      } finally {
        clearTimeout(timer);
        thread.off("message", resolve);
        thread.off("error", reject);
        signal?.removeEventListener("abort", onAbort);
      }
    },
    async close() {
      await thread.terminate();
    },
  };
}
