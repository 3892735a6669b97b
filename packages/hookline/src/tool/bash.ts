import { tmpdir } from "node:os";
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, type TruncationResult } from "@hookline/ground";
import type { ProcessTransport } from "@hookline/runtime/engine";
import { cwdOf, sessionVariables } from "./context.ts";
import { CommandOutput } from "./output.ts";
import { textResult } from "./result.ts";
import { type BashOperations, createLocalBashOperations } from "./shell.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** The arguments with which a model calls `bash`; the timeout is in seconds. */
export type BashInput = { readonly command: string; readonly timeout?: number };

/** The details of a result whose output was cut. Partial results always have them. */
export interface BashDetails {
  readonly truncation?: TruncationResult | undefined;
  readonly fullOutputPath?: string | undefined;
}

/** A command that is about to run, with its folder and variables. */
export interface BashSpawnContext {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Options of the tool `bash`. Either `processes` or `operations.exec` is required. */
export interface BashToolOptions {
  readonly processes?: ProcessTransport | undefined;
  readonly operations?: Partial<BashOperations> | undefined;
  /** The path of a shell that accepts `-c`. Default: `sh`. */
  readonly shellPath?: string | undefined;
  /** A line that precedes every command. */
  readonly commandPrefix?: string | undefined;
  /** Whether the command gets variables such as `PI_SESSION_ID`. Default true. */
  readonly exposeSessionEnvironment?: boolean | undefined;
  /** Changes the command, folder or variables of each call. A variable that it removes keeps its inherited value. */
  readonly spawnHook?: ((context: BashSpawnContext) => BashSpawnContext) | undefined;
  /** The folder for the full text of long outputs. Default: the system's temporary folder. */
  readonly tmpDir?: string | undefined;
}

/**
 * Makes the tool that runs a shell command. Stdout and stderr are one text, in arrival order. A command that fails,
 * times out or is aborted rejects with its output and the reason.
 */
export function createBashTool(cwd: string, options: BashToolOptions = {}): Tool<BashInput> {
  const exec = executorOf(options);
  const { commandPrefix, spawnHook, exposeSessionEnvironment = true } = options;
  const callOf = (command: string, context: unknown): BashSpawnContext => {
    const base = {
      command: commandPrefix ? `${commandPrefix}\n${command}` : command,
      cwd: cwdOf(context, cwd),
      env: { ...process.env, ...(exposeSessionEnvironment ? sessionVariables(context) : {}) },
    };
    return spawnHook ? spawnHook(base) : base;
  };
  return {
    name: "bash",
    label: "bash",
    description:
      `Run a shell command in the current working directory; stdout and stderr come back together. Only the last ` +
      `${DEFAULT_MAX_LINES} lines or ${DEFAULT_MAX_BYTES / 1024}KB are shown, whichever is less; the full output is then in a file that is kept for a week. ` +
      `A timeout in seconds may be given.`,
    promptSnippet: "Execute bash commands (ls, grep, find, etc.)",
    ...(exposeSessionEnvironment
      ? { promptGuidelines: ["PI_* environment variables tell commands the current model and session."] }
      : {}),
    parameters: {
      type: "object",
      required: ["command"],
      properties: {
        command: { type: "string", description: "Shell command to execute" },
        timeout: { type: "number", description: "Timeout in seconds (optional, no default timeout)" },
      },
    },
    async execute(_toolCallId, { command, timeout }, signal, onUpdate, context) {
      const call = callOf(command, context);
      const output = new CommandOutput(options.tmpDir ?? tmpdir());
      const updates = createUpdates(onUpdate, () => {
        const { content, truncation, fullOutputPath } = output.snapshot();
        return textResult(content, { truncation: truncation.truncated ? truncation : undefined, fullOutputPath });
      });
      let open = true;
      const onData = (data: Buffer): void => {
        if (!open || data.length === 0) return;
        output.append(data);
        updates.changed();
      };
      const close = (): void => {
        open = false;
        output.finish();
        updates.end();
      };
      const run = exec(call.command, call.cwd, { onData, signal, timeout, env: call.env }).finally(close);
      const { exitCode } = await run.catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(withStatus(shownOutput(output).text, statusOf(reason)), { cause: error });
      });
      const shown = shownOutput(output);
      if (exitCode === 0) return textResult(shown.text || "(no output)", shown.details);
      const status =
        exitCode === null ? "Command terminated without an exit code" : `Command exited with code ${exitCode}`;
      throw new Error(withStatus(shown.text || "(no output)", status));
    },
  };
}

function executorOf({ operations, processes, shellPath }: BashToolOptions): BashOperations["exec"] {
  if (operations?.exec) return async (...call) => (operations as BashOperations).exec(...call);
  if (!processes) throw new Error("The bash tool has nothing to run commands with; pass processes or operations.exec.");
  return createLocalBashOperations({ processes, shellPath }).exec;
}

function statusOf(reason: string): string {
  if (reason === "aborted") return "Command aborted";
  return reason.startsWith("timeout:") ? `Command timed out after ${reason.slice("timeout:".length)} seconds` : reason;
}

function withStatus(text: string, status: string): string {
  return text === "" ? status : `${text}\n\n${status}`;
}

function shownOutput(output: CommandOutput): { text: string; details?: BashDetails } {
  const { content, truncation, fullOutputPath, saveError } = output.snapshot();
  if (!truncation.truncated) return { text: content };
  const last = truncation.totalLines;
  const limit = truncation.truncatedBy === "bytes" ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : "";
  const part = truncation.lastLinePartial
    ? `last ${formatSize(truncation.outputBytes)} of line ${last} (line is ${formatSize(output.lastLineBytes)})`
    : `lines ${last - truncation.outputLines + 1}-${last} of ${last}${limit}`;
  const full =
    saveError === undefined ? `Full output: ${fullOutputPath}` : `Full output could not be saved: ${saveError}`;
  return { text: `${content}\n\n[Showing ${part}. ${full}]`, details: { truncation, fullOutputPath } };
}

/** The shortest time between two partial results, in ms. */
const THROTTLE_MS = 100;

/** Reports the partial results of one call. */
interface Updates {
  /** Schedules a partial result. Must be called when the output has changed. */
  changed(): void;
  /** Reports the last change. Nothing is reported afterwards. */
  end(): void;
}

/** Makes a reporter that sends an empty partial result at once, then at most one per `THROTTLE_MS`. */
function createUpdates(report: ((partial: ToolResult) => void) | undefined, snapshot: () => ToolResult): Updates {
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
