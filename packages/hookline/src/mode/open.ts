import { createWriteStream, fchmodSync, fstatSync, openSync, type WriteStream } from "node:fs";
import { resolve } from "node:path";
import {
  type Diagnostic,
  type HostServices,
  type HostUi,
  messageOf,
  type TraceLine,
  withoutPayloads,
} from "@hookline/runtime";
import { type Arguments, textFlag } from "../cli/args.ts";
import { type Assembled, assemble, registeredFlags } from "../cli/assemble.ts";
import type { Io } from "../cli/io.ts";
import type { Patience } from "../loop/patience.ts";
import { secretRedactor, withoutSecrets } from "../provider/secrets.ts";
import { activity, tellModel } from "./activity.ts";
import { diagnosticLine, notRunning } from "./lines.ts";
import type { Person } from "./person.ts";

/** A command line that runs the agent. */
export interface ModeRun {
  readonly args: Arguments;
  readonly io: Io;
}

/** How a mode wants the agent. */
export interface ModeOptions {
  readonly mode: NonNullable<HostServices["mode"]>;
  readonly person: Person;
  readonly ui?: HostUi;
  readonly patience?: Patience;
  /** Receives each dispatch with its values, beside the trace that the command line may ask for. */
  readonly watch?: { write(line: TraceLine): void };
  onDiagnostic?(diagnostic: Diagnostic): void;
  /** Told when the hooks are about to hear of the session's start. */
  readonly ending?: { start(): void };
}

/** An agent for a mode; `problems` are flags that nobody knows, after which it is only to be closed. */
export interface Opened {
  readonly assembled: Assembled;
  readonly problems: readonly string[];
  /** The prompts of the command line, without the values of extensions' flags. */
  readonly words: readonly string[];
  /** To be called when the agent is closed. */
  closeTrace(): Promise<void>;
}

/** Puts the agent together, and tells the person what was found and does not run. */
export async function openAgent(run: ModeRun, options: ModeOptions): Promise<Opened> {
  const { args, io } = run;
  const { mode, person, ui } = options;
  const trace = openTrace(run, person);
  const watched = watching(trace, options.watch);
  const assembled = await assemble(args, io, {
    mode,
    ui,
    patience: options.patience,
    onDiagnostic(diagnostic) {
      person.tell(diagnosticLine(diagnostic));
      options.onDiagnostic?.(diagnostic);
    },
    onStart: () => options.ending?.start(),
    ...(watched !== undefined && { trace: watched }),
  });
  const { problems, words } = args.again(registeredFlags(assembled.hooks));
  const untold = notRunning(assembled.hooks.report);
  if (problems.length === 0 && untold !== undefined) person.tell(untold);
  if (args.flags["verbose"] === true) assembled.agent.listen((event) => tellModel(event, person.tell));
  return { assembled, problems, words, closeTrace: async () => trace?.close() };
}

/** Both ways in which dispatches are followed as one. */
function watching(
  trace: Trace | undefined,
  watch: ModeOptions["watch"],
): { write(line: TraceLine): void; readonly payloads: boolean } | undefined {
  if (watch === undefined) return trace;
  return {
    payloads: true,
    write(line) {
      watch.write(line);
      trace?.write(trace.payloads ? line : withoutPayloads(line));
    },
  };
}

interface Trace {
  write(line: TraceLine): void;
  readonly payloads: boolean;
  close(): Promise<void>;
}

/** `--trace` writes each dispatch to a file, `--verbose` tells it on stderr; the latter needs the values. */
function openTrace({ args, io }: ModeRun, person: Person): Trace | undefined {
  const path = textFlag(args, "trace");
  const verbose = args.flags["verbose"] === true;
  if (path === undefined && !verbose) return undefined;
  const payloads = args.flags["trace-payloads"] === true;
  const failed = (error: unknown): void => person.tell(`The trace could not be written: ${messageOf(error)}`);
  const stream = path === undefined ? undefined : privateStream(resolve(io.cwd, path), failed);
  const redact = secretRedactor(io.env);
  const tell = activity(person.tell);
  return {
    payloads: payloads || verbose,
    write(line) {
      if (verbose) tell(line);
      const kept = withoutKeys(payloads || !verbose ? line : withoutPayloads(line), redact);
      stream?.write(`${JSON.stringify(kept, withoutSecretTexts)}\n`);
    },
    close: () => new Promise((done) => (stream === undefined ? done() : stream.end(() => done()))),
  };
}

/** Values that were asked for stand in a trace as they are, but for the secrets of providers. */
const withoutSecretTexts = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? withoutSecrets(value) : value;

/** The same line without the keys that a hook's error message may repeat. */
function withoutKeys(line: TraceLine, redact: (text: string) => string): TraceLine {
  return {
    ...line,
    hooks: line.hooks.map((hook) => (hook.problem === undefined ? hook : { ...hook, problem: redact(hook.problem) })),
    diagnostics: line.diagnostics.map(({ code, message }) => ({ code, message: redact(message) })),
  };
}

/** Opens a file to append to that its owner alone may read from then on; a device stays as it is. */
function privateStream(path: string, failed: (error: unknown) => void): WriteStream | undefined {
  try {
    const fd = openSync(path, "a", 0o600);
    const stat = fstatSync(fd);
    if (stat.isFile() && (stat.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return createWriteStream(path, { fd }).on("error", failed);
  } catch (thrown) {
    failed(thrown);
    return undefined;
  }
}
