import type { Read } from "@hookline/runtime/engine";
import { property, reader, unreadField } from "../../in-process/rows.ts";

/** The answer of a `user_bash` handler: functions to run the command with, its result, or a refusal. */
export interface UserBashAnswer {
  readonly operations?: object;
  readonly result?: object;
  readonly cancel?: string;
}

type Exec = (command: string, cwd: string, options: ExecOptions) => Promise<{ readonly exitCode: number | null }>;

interface ExecOptions {
  onData?(chunk: Uint8Array): void;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const INVALID =
  "Invalid user_bash handler result: return undefined for local execution or exactly one valid { operations } or { result } object";

/** Reads `{operations}` or `{result}`. Any other truthy answer is a failure, with pi's message. */
export const readUserBash: Read<UserBashAnswer> = reader<UserBashAnswer>((raw) => {
  if (!raw) return { ok: true, answer: undefined };
  if (typeof raw !== "object") return { ok: false, problem: INVALID };
  const operations = partOf(raw, "operations", operationsOf);
  const result = partOf(raw, "result", resultOf);
  if (operations !== undefined && property(raw, "result") === undefined) return { ok: true, answer: { operations } };
  if (result !== undefined && property(raw, "operations") === undefined) return { ok: true, answer: { result } };
  return { ok: false, problem: INVALID };
});

/** Reads one field of an answer. If that throws, the error names the field. */
function partOf<T>(raw: object, name: string, read: (value: unknown) => T): T {
  let value: unknown;
  try {
    value = property(raw, name);
    return read(value);
  } catch (thrown) {
    throw unreadField(name, value, thrown);
  }
}

/**
 * Returns a handler's `operations` as an object with `exec`. Older handlers return `execute(command)`, which is
 * adapted.
 */
function operationsOf(value: unknown): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { exec, execute } = value as { readonly exec?: unknown; readonly execute?: unknown };
  // `exec` may use `this`, which must be the hook's own object and not a copy of it.
  if (typeof exec === "function") return { ...value, exec: exec.bind(value) };
  if (typeof execute !== "function") return undefined;
  return { exec: executing(execute.bind(value) as (...args: Parameters<Exec>) => unknown) };
}

/** Adapts an `execute` that returns all output at once: a text, or an object with the output and maybe an exit code. */
function executing(execute: (...args: Parameters<Exec>) => unknown): Exec {
  return async function exec(command, cwd, options) {
    const given = await execute(command, cwd, options);
    const { output, stdout, stderr, exitCode, code } =
      typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : { output: given };
    const text = [output ?? stdout, stderr].filter((part) => typeof part === "string" && part !== "").join("\n");
    if (text !== "") options.onData?.(new TextEncoder().encode(text));
    const status = exitCode === undefined ? (code ?? 0) : exitCode;
    return { exitCode: typeof status === "number" ? status : null };
  };
}

function resultOf(value: unknown): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { output, exitCode, cancelled, truncated, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof output !== "string") return undefined;
  return {
    ...rest,
    output,
    ...(typeof exitCode === "number" && { exitCode }),
    cancelled: Boolean(cancelled),
    truncated: Boolean(truncated),
  };
}
