import { setImmediate } from "node:timers/promises";
import type { Io } from "@hookline/ground/system";
import type { Diagnostic, HostServices, HostUi, TraceLine } from "@hookline/runtime";
import { withoutPayloads } from "@hookline/runtime/engine";
import type { Patience } from "../hook/patience.ts";
import type { Arguments } from "../start/args.ts";
import { type Assembled, assemble } from "../start/assemble.ts";
import { NOT_APPROVED, notRunning, proofLine, runningLine } from "../start/lines.ts";
import { registeredFlags } from "../start/load-hooks.ts";
import { redacted } from "../start/redacted.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { tellModels } from "./activity.ts";
import type { Person } from "./person.ts";
import { openTrace, type Trace } from "./trace.ts";

/** The parsed command line of a run of the agent. */
export interface ModeRun {
  readonly args: Arguments;
  readonly io: Io;
}

/** The options with which a mode, such as print or RPC, opens the agent. */
export interface ModeOptions {
  readonly mode: NonNullable<HostServices["mode"]>;
  readonly person: Person;
  readonly ui?: HostUi;
  readonly patience?: Patience;
  /** Receives each dispatch with its payload, whether or not the command line asks for a trace. */
  readonly watch?: { write(line: TraceLine): void };
  /** Receives each diagnostic that the person sees. */
  onDiagnostic?(diagnostic: Diagnostic): void;
  /** The object whose `start` is called just before hooks are asked about the session's start. */
  readonly ending?: { start(): void };
}

/** The opened agent. `problems` are unknown flags; if there are any, the agent must be closed without a prompt. */
export interface Opened {
  readonly assembled: Assembled;
  readonly problems: readonly string[];
  /** The prompts on the command line, without the values of extensions' flags. */
  readonly words: readonly string[];
  /** Closes telemetry and trace. Returns the exit code: 1 instead of 0 if trace or recording is incomplete. */
  closeTrace(code: number): Promise<number>;
}

/** Assembles the agent, and reports which hooks were found but do not run. */
export async function openAgent(run: ModeRun, options: ModeOptions): Promise<Opened> {
  const { args, io } = run;
  const { mode, person, ui } = options;
  const trace = openTrace(run, person);
  const watched = watching(trace, options.watch);
  const telemetry = await telemetryOf(run, options);
  const reader = { cwd: io.cwd, home: io.env["HOME"] ?? "", more: mode === "tui" ? "/hooks" : "`hookline hooks`" };
  const waiting = new Set<string>();
  const assembled = await assemble(args, io, {
    mode,
    ui,
    patience: options.patience,
    onDiagnostic(diagnostic) {
      const line = runningLine(diagnostic, reader);
      if (line === undefined) return;
      if (!waiting.has(line)) person.tell(line);
      if (NOT_APPROVED.includes(diagnostic.code)) waiting.add(line);
      options.onDiagnostic?.(redacted(diagnostic, io.env));
    },
    onStart: () => options.ending?.start(),
    telemetry,
    onRecordingLost: person.tell,
    ...(watched !== undefined && { trace: watched }),
  });
  if (telemetry !== undefined)
    assembled.agent.listen(({ type }) => {
      // Starts telemetry while the reply still arrives, because the process has little to do then.
      if (type === "message_update") telemetry.start();
    }, false);
  const proved = assembled.hooks.prove().then((proof) => {
    const line = proofLine(proof);
    if (line !== undefined) person.tell(line);
  });
  // Waits briefly for guards' test cases: those in modules end within this time and are reported before all else.
  await Promise.race([proved, setImmediate()]);
  const { problems, words } = args.again(registeredFlags(assembled.hooks));
  const untold = notRunning(assembled.hooks.report, reader);
  if (problems.length === 0 && untold !== undefined) person.tell(untold);
  const closeTrace = async (code: number): Promise<number> => {
    await telemetry?.close();
    const recorded = assembled.recording.exitCode(code);
    return (await trace?.close(recorded)) ?? recorded;
  };
  if (args.flags["verbose"] === true) assembled.agent.listen(tellModels(person.tell));
  return { assembled, problems, words, closeTrace };
}

/** How long the end of a run waits for unsent telemetry, in ms. A person at a screen waits less. */
const LAST_MS = { screen: 2000, other: 10_000 } as const;

/** Starts telemetry if a variable of OpenTelemetry is set; otherwise nothing of it is loaded. */
async function telemetryOf({ io: { env } }: ModeRun, { mode, person }: ModeOptions): Promise<Telemetry | undefined> {
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return undefined;
  const { openTelemetry } = await import("../telemetry/telemetry.ts");
  const lastMs = LAST_MS[mode === "tui" ? "screen" : "other"];
  return openTelemetry({ env, joins: mode === "print" || mode === "json", lastMs, tell: person.tell });
}

/** Combines the trace of the command line with the mode's own listener for dispatches. */
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
