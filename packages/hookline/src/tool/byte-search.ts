import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ContentFilter } from "./content-filter.ts";
import type { NamedFile } from "./grep-files.ts";
import { SNIFFED_BYTES } from "./text-file.ts";

/** The largest number of threads; more of them would only wait for the disk. */
const MOST_THREADS = 4;
/**
 * Time limit for the pattern per megabyte of text, in ms. Most patterns need a hundredth of it. Source: guarantees R19.
 */
const BUDGET_MS = 500;
/** The longest line that is tested, in bytes. A file with a longer one is not filtered out. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Makes a filter that reads files on its own threads and tests their bytes with a pattern from `bytePattern`. A file
 * that cannot be read is not filtered out. Once the pattern has exceeded its time limit, no file is.
 */
export function createByteSearch(pattern: string, signal?: AbortSignal): ContentFilter {
  const threads: Thread[] = [];
  const size = Math.min(MOST_THREADS, Math.max(1, availableParallelism()));
  let next = 0;
  let isSlow = false;
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    signal?.removeEventListener("abort", close);
    await Promise.all(threads.splice(0).map((thread) => thread.close()));
  };
  signal?.addEventListener("abort", close, { once: true });
  return {
    async pass(files) {
      if (isSlow || isClosed || signal?.aborted) return files;
      while (threads.length < size) threads.push(startThread(pattern));
      // Each call's files are divided among all threads, so that all of them work on the oldest call first.
      const share = Math.ceil(files.length / size);
      const shares = Array.from({ length: size }, (_, index) => files.slice(index * share, (index + 1) * share));
      const found = await Promise.all(
        shares.map(async (part) => {
          const thread = threads[next++ % size] as Thread;
          const answer = await thread.search(part.map(({ path }) => path));
          isSlow ||= answer.isSlow;
          return part.filter((_file: NamedFile, index) => answer.passed[index] !== 0);
        }),
      );
      return found.flat();
    },
    close,
  };
}

interface Answer {
  /** One byte for each file: 0 if the file cannot contain a match. */
  readonly passed: Uint8Array;
  readonly isSlow: boolean;
}

interface Thread {
  search(paths: readonly string[]): Promise<Answer>;
  close(): Promise<void>;
}

// The thread's program is a string, so that the bundle needs no second file.
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { closeSync, constants, fstatSync, openSync, readSync } = require("node:fs");
  const vm = require("node:vm");
  const { pattern, budgetMs, longest, sniffed } = workerData;
  const expression = new RegExp(pattern, "m");
  // Opening a pipe must not wait for its writer, and a terminal must not become this process's controlling terminal.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  const full = 1 << 20;
  let buffer = Buffer.allocUnsafeSlow(full);
  let texts = [];
  let owners = [];
  let held = 0;
  let passed;
  let at = 0;
  let isSlow = false;
  const context = vm.createContext({
    run() {
      for (; at < texts.length; at++)
        if (passed[owners[at]] === 0 && expression.test(texts[at])) passed[owners[at]] = 1;
    },
  });
  const script = new vm.Script("run()");

  function flush() {
    at = 0;
    try {
      script.runInContext(context, { timeout: budgetMs * (1 + Math.floor(held / full)) });
    } catch (thrown) {
      if (thrown.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
      isSlow = true;
    }
    texts = [];
    owners = [];
    held = 0;
  }

  function add(file, length) {
    texts.push(buffer.latin1Slice(0, length));
    owners.push(file);
    held += length;
    if (held >= full) flush();
  }

  /** Tests a file's bytes. Returns false if they cannot decide, as for UTF-16 text: it is searched in any case. */
  function read(path, file) {
    const descriptor = openSync(path, flags);
    try {
      if (!fstatSync(descriptor).isFile()) return false;
      let kept = 0;
      let isFirst = true;
      for (;;) {
        const got = readSync(descriptor, buffer, kept, buffer.length - kept, null);
        const end = kept + got;
        if (isFirst && end >= 2 && buffer[0] + buffer[1] === 0xff + 0xfe) return false;
        if (isFirst && buffer.subarray(0, Math.min(end, sniffed)).includes(0)) return true;
        isFirst = false;
        if (got === 0) {
          if (end > 0) add(file, end);
          return true;
        }
        if (end < buffer.length) {
          kept = end;
          continue;
        }
        // Tests whole lines only; a partial line stays in the buffer for the next block.
        const line = buffer.lastIndexOf(10) + 1;
        if (line === 0) {
          if (buffer.length >= longest) return false;
          const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
          buffer.copy(larger);
          buffer = larger;
        } else {
          add(file, line);
          buffer.copyWithin(0, line);
        }
        kept = end - line;
        if (isSlow || passed[file] !== 0) return true;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  parentPort.on("message", ({ paths }) => {
    passed = new Uint8Array(paths.length);
    for (let file = 0; file < paths.length && !isSlow; file++) {
      try {
        if (!read(paths[file], file)) passed[file] = 1;
      } catch {
        passed[file] = 1;
      }
    }
    if (!isSlow) flush();
    if (isSlow) passed.fill(1);
    parentPort.postMessage({ passed, isSlow });
  });
`;

function startThread(pattern: string): Thread {
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { pattern, budgetMs: BUDGET_MS, longest: LONGEST_LINE_BYTES, sniffed: SNIFFED_BYTES },
    execArgv: [],
    env: {},
  });
  const waiting: ((answer: Answer) => void)[] = [];
  let isGone = false;
  worker.on("message", (answer: Answer) => waiting.shift()?.(answer));
  // `exit` follows an error, too, and makes the thread's searches let every file pass.
  worker.on("error", () => undefined);
  worker.on("exit", () => {
    isGone = true;
    for (const resolve of waiting.splice(0)) resolve({ passed: new Uint8Array(), isSlow: true });
  });
  return {
    search(paths) {
      if (isGone) return Promise.resolve({ passed: new Uint8Array(), isSlow: true });
      return new Promise<Answer>((resolve) => {
        waiting.push(resolve);
        worker.postMessage({ paths });
      });
    },
    async close() {
      await worker.terminate();
    },
  };
}
