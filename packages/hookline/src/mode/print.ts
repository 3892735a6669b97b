import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostic, LoadReport, TraceLine } from "@hookline/runtime";
import { type Arguments, readArguments, textFlag } from "../cli/args.ts";
import { type Assembled, assemble } from "../cli/assemble.ts";
import { EXIT, type Io } from "../cli/io.ts";
import type { AgentEvent, PromptResult } from "../loop/event.ts";
import { activity } from "./activity.ts";

/** A run of one or more prompts without a person. */
export interface PrintRun {
  readonly args: Arguments;
  readonly argv: readonly string[];
  readonly io: Io;
  readonly mode: "text" | "json";
  readonly prompts: readonly string[];
}

/** Runs the prompts one after the other; stdout gets the final reply, or one JSON line per event. */
export async function runPrompts(run: PrintRun): Promise<number> {
  const { args, io, mode } = run;
  const trace = openTrace(run);
  const assembled = await assemble(args, io, {
    mode: mode === "json" ? "json" : "print",
    onDiagnostic: (diagnostic) => io.err(`${diagnosticLine(diagnostic)}\n`),
    ...(trace !== undefined && { trace }),
  });
  const { agent, hooks } = assembled;
  const unknown = readArguments(run.argv, registeredFlags(assembled)).problems;
  if (unknown.length > 0) {
    for (const problem of unknown) io.err(`${problem}\n`);
    await assembled.close();
    return EXIT.usage;
  }
  const untold = notRunning(hooks.report);
  if (untold !== undefined) io.err(`${untold}\n`);
  if (mode === "json") io.out(`${JSON.stringify(agent.core.store.getHeader())}\n`);
  agent.listen((event) => show(event, mode, io));
  const onSignal = (): void => agent.abort();
  process.once("SIGINT", onSignal);
  let code: number = EXIT.fine;
  for (const text of run.prompts) {
    const result = await agent.prompt(text);
    code = exitCode(result, io);
    if (mode === "text" && result.kind === "answered") io.out(`${result.text}\n`);
    if (code !== EXIT.fine) break;
  }
  process.removeListener("SIGINT", onSignal);
  await assembled.close();
  await trace?.close();
  return code;
}

function show(event: AgentEvent, mode: "text" | "json", io: Io): void {
  if (mode === "json") io.out(`${JSON.stringify(event)}\n`);
  else if (event.type === "notice") io.err(`${event.text}\n`);
}

function exitCode(result: PromptResult, io: Io): number {
  switch (result.kind) {
    case "answered":
    case "handled":
    case "command":
      return EXIT.fine;
    case "stopped":
      io.err(`${result.reason}\n`);
      return EXIT.stopped;
    case "failed":
      io.err(`${result.error}\n`);
      return EXIT.failed;
    case "aborted":
      io.err("Aborted.\n");
      return EXIT.failed;
  }
}

/** A diagnostic for a person: what happened, then what to do. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.severity}: ${diagnostic.message}. ${diagnostic.hint}`.replace(/\.\. /, ". ");
}

/** One line that sums up what was found and does not run; nothing when all runs. */
export function notRunning(report: LoadReport): string | undefined {
  const { found, runs, notRunning: not } = report.summary;
  return not === 0
    ? undefined
    : `${runs} of ${found} hooks run, ${not} ${not === 1 ? "does" : "do"} not: \`hookline hooks\` says why.`;
}

function registeredFlags({ hooks }: Assembled): ReadonlyMap<string, "boolean" | "string"> {
  const flags = hooks.contributions.all<{ readonly type: "boolean" | "string" }>("flag");
  return new Map([...flags].map(([name, { value }]) => [name, value.type]));
}

interface Trace {
  write(line: TraceLine): void;
  readonly payloads: boolean;
  close(): Promise<void>;
}

/** `--trace` writes each dispatch to a file, `--verbose` tells it on stderr; the latter needs the values. */
function openTrace({ args, io }: PrintRun): Trace | undefined {
  const path = textFlag(args, "trace");
  const verbose = args.flags["verbose"] === true;
  if (path === undefined && !verbose) return undefined;
  const payloads = args.flags["trace-payloads"] === true;
  const stream = path === undefined ? undefined : createWriteStream(resolve(io.cwd, path), { flags: "a", mode: 0o600 });
  stream?.on("error", (error) => io.err(`The trace could not be written: ${error.message}\n`));
  const tell = activity((line) => io.err(`${line}\n`));
  return {
    payloads: payloads || verbose,
    write(line) {
      if (verbose) tell(line);
      stream?.write(`${JSON.stringify(payloads || !verbose ? line : withoutPayloads(line))}\n`);
    },
    close: () => new Promise((done) => (stream === undefined ? done() : stream.end(() => done()))),
  };
}

/** The same line with sizes in place of values. */
function withoutPayloads(line: TraceLine): TraceLine {
  const size = (value: unknown): unknown =>
    typeof value === "boolean" || typeof value === "number" || value == null
      ? value
      : { chars: JSON.stringify(value)?.length ?? 0 };
  const sizes = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, size(field)]))
      : size(value);
  return {
    ...line,
    hooks: line.hooks.map((hook) => ({
      ...hook,
      ...("answer" in hook && { answer: sizes(hook.answer) }),
      ...("stderr" in hook && { stderr: size(hook.stderr) }),
    })),
    edits: line.edits.map((edit) => ({ ...edit, from: size(edit.from), to: size(edit.to) })),
    outcome: sizes(line.outcome),
  };
}
