import { MAX_MS, messageOf } from "@hookline/ground";
import type { HostServices } from "@hookline/runtime";
import type { ProcessReport } from "@hookline/runtime/dialect";
import type { ToolDefinition } from "@hookline/runtime/engine";
import { fitsVariable, jsonOf, MAX_VALUE_BYTES } from "./delivery.ts";
import { type Plugin, verbosity } from "./plugin.ts";
import type { Entry } from "./schema.ts";

type Result = Awaited<ReturnType<ToolDefinition["execute"]>>;

/**
 * The result of a host's `screen.suspend(name)`. The plugin's tool has the terminal until `resume` is called, and can
 * ask the user itself. `write` shows what the tool prints on stderr.
 */
export interface SuspendedScreen {
  write?(chunk: Uint8Array): void;
  resume(): void;
}

/**
 * Makes a plugin's tool for the model: it runs the program without arguments and returns what the program prints.
 *
 * The call's arguments are in the environment, and on stdin for programs that do not read the variable (ruling 39).
 * Calls run one at a time and without a time limit, as in chibi; an abort ends them. Source: spec/chibi.md 2.3.
 */
export function pluginTool(plugin: Plugin, { name, description, parameters }: Entry): ToolDefinition {
  return {
    name,
    label: name,
    description,
    parameters,
    executionMode: "sequential",
    execute: async (_id, params, signal) => {
      try {
        return resultOf(await run(plugin, name, jsonOf(params), signal));
      } catch (thrown) {
        return failed(messageOf(thrown));
      }
    },
  };
}

async function run(
  plugin: Plugin,
  name: string,
  args: string,
  signal: AbortSignal | undefined,
): Promise<ProcessReport> {
  const { scene, services, transports } = plugin.around;
  const fits = fitsVariable(args);
  if (!fits && plugin.reads.toolVariable)
    throw new Error(
      `The arguments of '${name}' have more than the ${MAX_VALUE_BYTES} bytes that CHIBI_TOOL_ARGS can hold`,
    );
  const screen = suspend(services, name);
  try {
    return await transports.process.run({
      command: { file: plugin.program, args: [] },
      cwd: scene.cwd,
      tier: plugin.source.tier,
      env: { ...(fits && { CHIBI_TOOL_ARGS: args }), CHIBI_TOOL_NAME: name, ...verbosity(plugin.around) },
      ...(!plugin.reads.toolVariable && { stdin: args }),
      ...(screen !== undefined && {
        // A program that reads its arguments from stdin can still ask the user, on /dev/tty.
        ...(plugin.reads.toolVariable ? { stdin: "inherit" as const } : { terminal: true }),
        onData: (chunk: Uint8Array, stream: "stdout" | "stderr") => {
          if (stream === "stderr") screen.write?.(chunk);
        },
      }),
      timeoutMs: MAX_MS,
      ...(signal !== undefined && { signal }),
      label: `${plugin.source.path} (tool ${name})`,
    });
  } finally {
    screen?.resume();
  }
}

/** Returns the terminal if the host can lend it. Any plugin's tool may ask the user on it (ruling 46). */
function suspend({ mode, ui }: HostServices, tool: string): SuspendedScreen | undefined {
  if (mode !== "tui") return undefined;
  const lend = ui?.screen?.["suspend"] as ((tool: string) => Partial<SuspendedScreen> | undefined) | undefined;
  const given = lend?.(tool);
  return typeof given?.resume === "function" ? (given as SuspendedScreen) : undefined;
}

function resultOf({ status, exitCode, stdout, stdoutValid, stderr, startError }: ProcessReport): Result {
  const details = { status, ...(exitCode !== undefined && { exitCode }), ...(stderr !== "" && { stderr }) };
  if (status === "not-started") return failed(`Failed to execute tool: ${startError?.message ?? "unknown"}`, details);
  if (status === "over-limit") return failed("Tool output is larger than hookline reads", details);
  if (status !== "exited" || exitCode !== 0) return failed("Tool execution failed or was cancelled", details);
  if (!stdoutValid) return failed("Invalid UTF-8 in tool output", details);
  return { content: [{ type: "text", text: stdout }], details };
}

/** Returns a failed call's result in chibi's format. */
function failed(problem: string, details?: object): Result {
  return { content: [{ type: "text", text: `Error: ${problem}` }], isError: true, ...(details && { details }) };
}
