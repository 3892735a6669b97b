import type { Diagnostic, HostServices, HostUi, TraceLine } from "@hookline/runtime";
import { withoutPayloads } from "@hookline/runtime/internal";
import type { Patience } from "../hook/patience.ts";
import type { Io } from "../io/io.ts";
import type { Arguments } from "../start/args.ts";
import { type Assembled, assemble, registeredFlags } from "../start/assemble.ts";
import { notRunning, runningLine } from "../start/lines.ts";
import { tellModel } from "./activity.ts";
import type { Person } from "./person.ts";
import { openTrace, type Trace } from "./trace.ts";

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
  /** To be called when the agent is closed, with what the run came to; gives the exit code with the trace's part in it. */
  closeTrace(code: number): Promise<number>;
}

/** Puts the agent together, and tells the person what was found and does not run. */
export async function openAgent(run: ModeRun, options: ModeOptions): Promise<Opened> {
  const { args, io } = run;
  const { mode, person, ui } = options;
  const trace = openTrace(run, person);
  const watched = watching(trace, options.watch);
  const reader = { cwd: io.cwd, home: io.env["HOME"] ?? "", more: mode === "tui" ? "/hooks" : "`hookline hooks`" };
  const assembled = await assemble(args, io, {
    mode,
    ui,
    patience: options.patience,
    onDiagnostic(diagnostic) {
      const line = runningLine(diagnostic, reader);
      if (line !== undefined) person.tell(line);
      options.onDiagnostic?.(diagnostic);
    },
    onStart: () => options.ending?.start(),
    ...(watched !== undefined && { trace: watched }),
  });
  const { problems, words } = args.again(registeredFlags(assembled.hooks));
  const untold = notRunning(assembled.hooks.report);
  if (problems.length === 0 && untold !== undefined) person.tell(untold);
  if (args.flags["verbose"] === true) assembled.agent.listen((event) => tellModel(event, person.tell));
  return { assembled, problems, words, closeTrace: async (code) => trace?.close(code) ?? code };
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
