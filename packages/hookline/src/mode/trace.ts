import { createWriteStream, fchmodSync, constants as fs, fstatSync, openSync, type WriteStream } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "@hookline/ground";
import { EXIT } from "@hookline/ground/system";
import { HooklineError, type TraceLine } from "@hookline/runtime";
import { withoutPayloads } from "@hookline/runtime/engine";
import { secretRedactor, withoutSecrets } from "../provider/secrets.ts";
import { textFlag } from "../start/args.ts";
import { activity } from "./activity.ts";
import type { ModeRun } from "./open.ts";
import type { Person } from "./person.ts";

/** Receives each dispatch of a run. */
export interface Trace {
  write(line: TraceLine): void;
  readonly payloads: boolean;
  /** Writes the waiting dispatches; returns the exit code: 1 instead of 0 if writing failed (decision 72). */
  close(code: number): Promise<number>;
}

/** How long the end of a run waits for a slow disk or reader, in ms. */
const LAST_MS = 5000;

/**
 * Opens the outputs of `--trace` (a file) and `--verbose` (stderr, with values). Throws if the file cannot be opened: a
 * person who wants a record does not want a run without one.
 */
export function openTrace({ args, io }: Pick<ModeRun, "args" | "io">, person: Person): Trace | undefined {
  const name = textFlag(args, "trace");
  const verbose = args.flags["verbose"] === true;
  if (name === undefined && !verbose) return undefined;
  const payloads = args.flags["trace-payloads"] === true;
  const file = name === undefined ? undefined : openFile(resolve(io.cwd, name), person);
  const redact = secretRedactor(io.env);
  const tell = activity(person.tell);
  return {
    payloads: payloads || verbose,
    write(line) {
      if (verbose) tell(line);
      const kept = withoutKeys(payloads || !verbose ? line : withoutPayloads(line), redact);
      file?.write(`${JSON.stringify(kept, withoutSecretTexts)}\n`);
    },
    close: async (code) => (file === undefined || (await file.close()) || code !== EXIT.fine ? code : EXIT.failed),
  };
}

const withoutSecretTexts = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? withoutSecrets(value) : value;

/** Removes API keys from a line: a hook's error message may contain them. */
function withoutKeys(line: TraceLine, redact: (text: string) => string): TraceLine {
  return {
    ...line,
    hooks: line.hooks.map((hook) => (hook.problem === undefined ? hook : { ...hook, problem: redact(hook.problem) })),
    diagnostics: line.diagnostics.map(({ code, message }) => ({ code, message: redact(message) })),
  };
}

interface TraceFile {
  write(text: string): void;
  /** Closes the file. Resolves with whether everything was written. */
  close(): Promise<boolean>;
}

/** Opens a file for appending and makes it private to its owner. Devices and pipes are not changed. */
function openFile(path: string, person: Person): TraceFile {
  const fd = open(path);
  const isFile = fstatSync(fd).isFile();
  if (isFile && (fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, 0o600);
  let isWhole = true;
  const failed = (problem: string): void => {
    if (isWhole) person.tell(`The trace ${path} is not complete: ${problem}`);
    isWhole = false;
  };
  const stream = createWriteStream(path, { fd });
  // A reader that has closed its end is not an error.
  stream.on("error", (error: NodeJS.ErrnoException) => error.code !== "EPIPE" && failed(error.message));
  return {
    write: (text) => void stream.write(text),
    async close() {
      // A file that was removed meanwhile has lost what was written to it, so writing counts as failed.
      if (isFile && isWhole && !stream.destroyed && fstatSync(fd).nlink === 0)
        failed("the file was removed during the run");
      if (!(await ended(stream))) failed(`it could not be written within ${LAST_MS / 1000} s`);
      return isWhole;
    },
  };
}

function open(path: string): number {
  try {
    // Without O_NONBLOCK, opening a pipe that has no reader would block forever.
    return openSync(path, fs.O_WRONLY | fs.O_CREAT | fs.O_APPEND | (fs.O_NONBLOCK ?? 0), 0o600);
  } catch (thrown) {
    const problem =
      (thrown as NodeJS.ErrnoException).code === "ENXIO" ? "is a pipe that nobody reads" : messageOf(thrown);
    throw new HooklineError("INVALID_OPTION", {
      option: `--trace ${path}`,
      problem: `cannot be written: ${problem}`,
      remedy: "Name a file that can be written. Nothing was run.",
    });
  }
}

/** Resolves with whether a stream finished or failed before the time limit. */
function ended(stream: WriteStream): Promise<boolean> {
  if (stream.closed) return Promise.resolve(true);
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), LAST_MS);
    // After a failure, `close` is emitted too, so this waits for both.
    stream.once("close", () => {
      clearTimeout(late);
      resolve(true);
    });
    stream.end();
  });
}
