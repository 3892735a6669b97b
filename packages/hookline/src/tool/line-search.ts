import { Worker } from "node:worker_threads";
import { throwIfAborted } from "./abort.ts";
import { mayBacktrack } from "./pattern.ts";
import { timed } from "./timed.ts";

/** Time limit of a backtracking pattern for each portion of a text, in ms. Source: guarantees R19. */
const BUDGET_MS = 100;
/** Size of a portion, in characters. A pattern usually searches a portion in a hundredth of {@link BUDGET_MS}. */
const PORTION = 16 * 1024;
/**
 * How long a backtracking pattern may occupy the calling thread in one search, in ms. Starting a thread takes 40 ms.
 */
const HERE_MS = 50;

/** Finds the lines of texts that match a pattern. */
export interface LineSearch {
  /** Returns the numbers of matching lines, from 1, at most `limit` of them. `label` names the text in errors. */
  search(text: string, limit: number, label: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Limits the time of a search. */
export interface LineSearchOptions {
  /** Time limit for each portion of a text, in ms. */
  readonly budgetMs?: number;
  /** Time limit on the calling thread for all texts together, in ms. Longer searches continue on another thread. */
  readonly hereMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a search for one pattern. `close` must be called. A pattern with repetition may take extremely long on some
 * texts. It runs on the calling thread for a moment, then on its own thread, which ends on abort and at a time limit
 * that grows with the text.
 */
export function createLineSearch(expression: RegExp, options: LineSearchOptions = {}): LineSearch {
  if (mayBacktrack(expression)) return backtrackingSearch(expression, options);
  return {
    search: async (text, limit) => matchingLines(text, expression, limit),
    close: async () => {},
  };
}

/** Splits a text into lines. A final line break ends the last line. */
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

function backtrackingSearch(expression: RegExp, options: LineSearchOptions): LineSearch {
  const { hereMs = HERE_MS } = options;
  const here = timed(hereMs, (text: string, limit: number) => matchingLines(text, expression, limit));
  let thread: LineSearch | undefined;
  return {
    async search(text, limit, label) {
      throwIfAborted(options.signal);
      const found = here(text, limit);
      if (found !== undefined) return found;
      thread ??= threadedSearch(expression, options);
      return thread.search(text, limit, label);
    },
    close: async () => thread?.close(),
  };
}

// The thread's program is a string, so that the bundle needs no second file.
//
// When a time limit expires, the search resumes at the current line. It gives up if a single line uses a whole limit,
// or the text takes longer than its size allows. On a busy machine the thread may get little processor time: a limit
// that expires before the thread has used half of it does not count, and the next one is twice as long.
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const vm = require("node:vm");
  const { source, flags, budgetMs, portion } = workerData;
  const script = new vm.Script("run()");
  const portions = (characters) => 1 + Math.floor(characters / portion);
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
    return (user + system) / 1000;
  };
  parentPort.on("message", ({ text, limit }) => {
    const lines = text.split(/\\r?\\n/);
    if (lines.at(-1) === "") lines.pop();
    const expression = new RegExp(source, flags);
    const found = [];
    let at = 0;
    const run = () => {
      for (; at < lines.length && found.length < limit; at++)
        // The line at which a limit expired is searched again.
        if (expression.test(lines[at]) && found.at(-1) !== at + 1) found.push(at + 1);
    };
    const context = vm.createContext({ run });
    let characters = 0;
    let spentMs = 0;
    let patience = 1;
    for (;;) {
      const from = at;
      const limitMs = budgetMs * portions((lines[from] ?? "").length);
      const before = usedMs();
      try {
        script.runInContext(context, { timeout: limitMs * patience });
        return parentPort.postMessage({ found });
      } catch (thrown) {
        if (thrown.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
      }
      if (usedMs() - before < limitMs / 2) {
        patience *= 2;
        continue;
      }
      patience = 1;
      spentMs += limitMs;
      for (let line = from; line < at; line++) characters += lines[line].length;
      if (at === from || spentMs > budgetMs * (1 + portions(characters)))
        return parentPort.postMessage({ slow: at + 1, spentMs });
    }
  });
`;

/** The thread's answer: the matching lines, or the line at which it gave up. */
type Answer = { readonly found: readonly number[] } | { readonly slow: number; readonly spentMs: number };

function threadedSearch({ source, flags }: RegExp, { budgetMs = BUDGET_MS, signal }: LineSearchOptions): LineSearch {
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: { source, flags, budgetMs, portion: PORTION },
    execArgv: [],
    env: {},
  });
  // If the thread fails while no search is running, the next search throws its error.
  let failure: unknown;
  thread.on("error", (error) => {
    failure = error;
  });
  return {
    async search(text, limit, label) {
      throwIfAborted(signal);
      if (failure !== undefined) throw failure;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const onAbort = () => reject(new Error("Operation aborted"));
      thread.once("message", resolve);
      thread.once("error", reject);
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        thread.postMessage({ text, limit });
        const answer = await promise;
        if ("found" in answer) return answer.found;
        const took = `${answer.spentMs / 1000} s`;
        throw new Error(
          `The pattern took too long on ${label}: given up at line ${answer.slow} after ${took}. Make it simpler, or use literal=true.`,
        );
      } finally {
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
