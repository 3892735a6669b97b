import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Clock } from "@hookline/ground";
import { type Diagnostic, diagnose, HooklineError, messageOf } from "@hookline/ground";
import type { OpenCall, OpenProcess, ProcessCall, ProcessReport, ProcessTransport } from "../../port/process.ts";
import { environmentFor, OWN_VARIABLES, type Variables } from "./environment.ts";
import { keptProcess, lost } from "./kept.ts";
import { isGuestOf, type Launch, type Running } from "./launch.ts";
import { type Limits, OPEN_LIMITS, readLimits } from "./limits.ts";
import { isRunId } from "./marker.ts";
import { keepAwake } from "./presence.ts";
import { readProcess } from "./proc.ts";
import { endRun } from "./reap.ts";
import { writeRunFile } from "./run-file.ts";
import { createSlots } from "./slots.ts";
import { explainStart } from "./start-failure.ts";
import { createStarter, type StartPath } from "./starter.ts";
import { type Supervised, supervise, type Watched } from "./supervise.ts";

/** Options of a process transport; only the clock has no default. */
export interface ProcessTransportOptions {
  /**
   * The id of the run: letters, digits, `_` and `-`, at most 64; unique on the machine. Marks every process of the run.
   * Default: random.
   */
  readonly runId?: string;
  readonly clock: Clock;
  /** The number of processes that run at the same time; others wait in order. Default 16. */
  readonly concurrency?: number;
  /** The folder in which the run is recorded, for `reapOrphans` of a later host. Absent: it is not recorded. */
  readonly stateDir?: string;
  /** The way to start processes. Default `auto`: the system's C library through the package `koffi`, else Node. */
  readonly path?: StartPath;
  /**
   * Whether the C library starts processes; false: Node does, without loading it. Default true; `path` takes
   * precedence.
   */
  readonly nativeSpawn?: boolean | undefined;
  /** The host's variables. Default `process.env`. */
  readonly env?: Variables;
  /** The names of provider keys besides the well-known ones; no process gets them. */
  readonly secrets?: readonly string[];
  /**
   * Variables that dialects set for their programs, such as `JCLI_CWD`; processes never get the host's own values,
   * which belong to another conversation.
   */
  readonly protocol?: readonly string[];
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
}

const DEFAULT_CONCURRENCY = 16;

/**
 * Returns the process transport: supervised child processes in groups of their own.
 *
 * A process that is meant to outlive the run must clear `HOOKLINE_RUN_ID`; all others are ended by `close` at the
 * latest. Throws `INVALID_OPTION`; `run` rejects with it for invalid limits. After `close` a run reports `aborted`.
 */
export function createProcessTransport(options: ProcessTransportOptions): ProcessTransport {
  const { runId = randomUUID(), clock, concurrency = DEFAULT_CONCURRENCY, env = process.env } = options;
  checkOptions(runId, concurrency);
  const report = (diagnostic: Diagnostic): void => {
    try {
      options.onDiagnostic?.(diagnostic);
    } catch {
      // The failing listener is the one that errors are reported to, so the error is dropped.
    }
  };
  const withheld = new Set([...(options.secrets ?? []), ...(options.protocol ?? []), ...OWN_VARIABLES]);
  const slots = createSlots(concurrency);
  const path = options.path ?? (options.nativeSpawn === false ? "spawn" : "auto");
  const starter = createStarter(runId, path, clock, report);
  const stoppers = new Set<() => void>();
  const active = new Set<Promise<unknown>>();
  const clamped = new Set<string>();
  // Everything that this run starts is younger than the host, so older processes are not checked.
  const sinceTicks = readProcess("self")?.startTicks ?? 0;
  /** The hooks of the latest calls, to name the hook of a program that was left behind. */
  const labels = new Map<number, string>();
  let calls = 0;
  let closing: Promise<void> | undefined;
  let removeRunFile: (() => void) | undefined;

  function noteRun(): void {
    if (removeRunFile !== undefined || options.stateDir === undefined) return;
    try {
      removeRunFile = writeRunFile(options.stateDir, runId);
    } catch (error) {
      removeRunFile = () => {};
      report({
        code: "UNREADABLE",
        severity: "warning",
        message: `The run could not be noted in ${options.stateDir}: ${messageOf(error)}`,
        hint: "Processes that outlive this host will not be ended at the next start; make the folder writable.",
      });
    }
  }

  const closed = (): boolean => closing !== undefined;

  /** Starts a process with a marker of its own; `follow` supervises it to its end. */
  async function start(
    call: Supervised,
    stdin: Launch["stdin"],
  ): Promise<{ running: Running; follow: (limits: Limits) => Promise<Watched> } | { failure: ProcessReport }> {
    if (process.platform === "win32" && isShell(call.command))
      return { failure: { ...notStarted("not-started", 0), startError: NO_SHELL } };
    noteRun();
    const segment = `${runId}.${++calls}`;
    labels.set(calls, call.label);
    labels.delete(calls - MOST_LABELS);
    const launch = launchOf(call, environmentFor(call, env, segment, withheld), stdin);
    const running = await starter.start(launch);
    if ("code" in running)
      return { failure: { ...notStarted("not-started", 0), startError: explainStart(running, launch) } };
    const tree = { accepts: (other: string) => other === segment, sinceTicks };
    return { running, follow: (limits) => supervise(running, { call, limits, clock, tree, stoppers, closed, report }) };
  }

  async function runNow(call: ProcessCall, limits: Limits, queueMs: number): Promise<ProcessReport> {
    const started = await start(call, stdinOf(call));
    if ("failure" in started) return { ...started.failure, queueMs };
    return { ...(await started.follow(limits)), queueMs };
  }

  async function open({ signal, ...call }: OpenCall): Promise<OpenProcess> {
    const ending = new AbortController();
    const stop = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
    if (stop.aborted || closed()) return lost(notStarted("aborted", 0));
    const { onData } = call;
    const supervised: Supervised = {
      ...call,
      timeoutMs: OPEN_LIMITS.timeoutMs,
      signal: stop,
      keepsStdout: false,
      onData: (chunk, stream) => (stream === "stdout" ? onData(chunk) : undefined),
    };
    const rest = keepAwake();
    const started = await start(supervised, "pipe").finally(rest);
    if ("failure" in started) return lost(started.failure);
    const limits = { ...OPEN_LIMITS, maxStderrBytes: call.maxStderrBytes ?? OPEN_LIMITS.maxStderrBytes };
    const ended = started.follow(limits).then((watched): ProcessReport => ({ ...watched, queueMs: 0 }));
    active.add(ended);
    void ended.then(() => active.delete(ended));
    return keptProcess(started.running, ended, ending, clock);
  }

  async function run(call: ProcessCall): Promise<ProcessReport> {
    const limits = readLimits(call, (diagnostic) => {
      if (!clamped.has(call.label)) report(diagnostic);
      clamped.add(call.label);
    });
    const queuedAt = clock.now();
    const rest = keepAwake();
    try {
      const leave = await slots.enter(call.signal);
      const queueMs = clock.now() - queuedAt;
      if (leave === undefined) return notStarted("aborted", queueMs);
      try {
        return await runNow(call, limits, queueMs);
      } finally {
        leave();
      }
    } finally {
      rest();
    }
  }

  async function close(): Promise<void> {
    const rest = keepAwake();
    try {
      slots.close();
      for (const stop of stoppers) stop();
      await Promise.allSettled(active);
      starter.close();
      // Programs that a call's process has left in the background are ended now; `left` has their names by hook.
      const left = new Map<string, Set<string>>();
      const tell = (program = "?", call = 0): void => {
        const label = labels.get(call) ?? "a hook";
        left.set(label, (left.get(label) ?? new Set()).add(program));
      };
      const survivors = calls === 0 ? [] : await endRun(runId, sinceTicks, clock, tell);
      for (const [label, programs] of left)
        report(diagnose("PROGRAM_ENDED", { label, programs: [...programs].join(", ") }));
      if (survivors.length === 0) removeRunFile?.();
      else report(diagnose("SURVIVORS", { label: `run ${runId}`, pids: survivors.join(", ") }));
    } finally {
      rest();
    }
  }

  return {
    open,
    run(call) {
      const running = run(call);
      active.add(running);
      const forget = (): void => void active.delete(running);
      running.then(forget, forget);
      return running;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The number of calls whose hooks are remembered. */
const MOST_LABELS = 10_000;

/**
 * The error for shell hooks on Windows. They are written for `sh`, and another program of that name would read them
 * differently.
 */
const NO_SHELL = {
  code: "NO_SHELL",
  message:
    "hookline runs no shell commands on Windows, so what this hook guards is refused; write it as a module or an HTTP hook, or run hookline in WSL",
};

function checkOptions(runId: string, concurrency: number): void {
  if (!isRunId(runId)) {
    const problem = "is not made of at most 64 letters, digits, _ and -";
    throw new HooklineError("INVALID_OPTION", { option: "runId", problem, remedy: "Give for example a UUID." });
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    const problem = `is ${concurrency}, which is not a valid number of processes`;
    throw new HooklineError("INVALID_OPTION", {
      option: "concurrency",
      problem,
      remedy: "Give a whole number from 1 up.",
    });
  }
}

/** Returns whether a command is text for a shell, by whatever path the shell is named. */
function isShell(command: ProcessCall["command"]): boolean {
  return "shell" in command || (/(?:^|[\\/])(?:ba)?sh(?:\.exe)?$/i.test(command.file) && command.args[0] === "-c");
}

function stdinOf({ stdin }: ProcessCall): Launch["stdin"] {
  return stdin === undefined ? "none" : stdin === "inherit" ? stdin : "pipe";
}

function launchOf(call: Supervised, env: Record<string, string>, stdin: Launch["stdin"]): Launch {
  const { command, cwd } = call;
  const program = "shell" in command ? { file: "sh", args: ["-c", command.shell] } : command;
  return {
    ...program,
    cwd: resolve(cwd),
    env,
    stdin,
    isGuest: isGuestOf(call),
  };
}

function notStarted(status: "aborted" | "not-started", queueMs: number): ProcessReport {
  return { status, stdout: "", stdoutValid: true, stderr: "", survivors: [], queueMs, runMs: 0 };
}
