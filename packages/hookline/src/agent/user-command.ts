import { tmpdir } from "node:os";
import { messageOf } from "@hookline/ground";
import type { BashExecutionMessage, ProcessTransport } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { CommandOutput, MAX_OUTPUT_BYTES } from "../tool/output.ts";
import { type BashOperations, createLocalBashOperations, exitCodeOf } from "../tool/shell.ts";
import type { Core } from "../turn/core.ts";
import type { PromptResult } from "../turn/event.ts";

/** A command that the person typed after `!`, `!!`, `$ ` or `$$ `. A doubled sign keeps it out of the conversation. */
export interface UserCommand {
  readonly kind: "shell" | "python";
  readonly text: string;
  readonly excludeFromContext: boolean;
}

/** The members of an agent with which typed commands are run. */
export interface Typist {
  readonly core: Core;
  /** Calls `act` as soon as no prompt runs. */
  whenFree(act: () => void): void;
}

/** The result of a typed command: pi's `BashResult`. */
export interface UserCommandResult {
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
}

/** Says how and where `UserCommands` runs commands. */
export interface UserCommandParts {
  readonly processes: ProcessTransport;
  readonly cwd: string;
  /** The path of a shell that accepts `-c`. Default: `sh`. */
  readonly shellPath?: string | undefined;
  /** The folder for the full text of long outputs. Default: the system's temporary folder. */
  readonly outputFolder?: string | undefined;
}

/** `$` must be followed by a space, because `$HOME` may start a sentence. */
const SIGNS: readonly (readonly [RegExp, Omit<UserCommand, "text">])[] = [
  [/^!!/, { kind: "shell", excludeFromContext: true }],
  [/^!/, { kind: "shell", excludeFromContext: false }],
  [/^\$\$\s/, { kind: "python", excludeFromContext: true }],
  [/^\$\s/, { kind: "python", excludeFromContext: false }],
];

/** A Python program that runs the code in its argument and prints the value of a final expression. */
const PYTHON = `import ast, sys
tree = ast.parse(sys.argv[1], "<input>")
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
scope = {"__name__": "__main__"}
exec(compile(tree, "<input>", "exec"), scope)
if last is not None:
    value = eval(compile(ast.Expression(last.value), "<input>", "eval"), scope)
    if value is not None:
        print(repr(value))
`;

/** Parses a command typed after `!`, `!!`, `$ ` or `$$ `; undefined for any other text. */
export function readUserCommand(typed: string): UserCommand | undefined {
  for (const [sign, about] of SIGNS) {
    if (!sign.test(typed)) continue;
    const text = typed.replace(sign, "").trim();
    return text === "" ? undefined : { ...about, text };
  }
  return undefined;
}

/** Runs shell and Python commands that the person types, independently of the loop. */
export class UserCommands {
  readonly #parts: UserCommandParts;
  readonly #shell: BashOperations;
  readonly #running = new Set<AbortController>();

  constructor(parts: UserCommandParts) {
    this.#parts = parts;
    this.#shell = createLocalBashOperations(parts);
  }

  /** Runs a typed command and shows its result. */
  async run(agent: Typist, command: UserCommand): Promise<PromptResult> {
    try {
      const { output } = await this.execute(agent, command);
      agent.core.tell({ type: "command_output", command: command.kind, text: output });
      return { kind: "command" };
    } catch (thrown) {
      return { kind: "failed", error: messageOf(thrown) };
    }
  }

  /** Runs a command unless a hook replaces it, and stores it with its output. `id` marks the events with its output. */
  async execute(agent: Typist, command: UserCommand, id?: string | number): Promise<UserCommandResult> {
    const abort = new AbortController();
    this.#running.add(abort);
    try {
      const onData = (delta: string): void =>
        agent.core.tell({ type: "bash_execution_update", ...(id !== undefined && { id }), delta });
      const ask = command.kind === "shell" ? this.#runShell : this.#runPython;
      const result = await ask.call(this, agent, command, abort.signal, onData);
      store(agent, command, result);
      return result;
    } finally {
      this.#running.delete(abort);
    }
  }

  /** Ends every running command. */
  abort(): void {
    for (const one of this.#running) one.abort();
  }

  async #runShell(
    agent: Typist,
    { text, excludeFromContext }: UserCommand,
    signal: AbortSignal,
    onData: (delta: string) => void,
  ): Promise<UserCommandResult> {
    const { cwd } = this.#parts;
    const { answer } = await ask(agent.core, "shell.user", { command: text, excludeFromContext, cwd }, signal);
    if (answer.cancel !== undefined) throw new Error(`The command was not run: ${answer.cancel}`);
    if (answer.result !== undefined) return answer.result as UserCommandResult;
    const operations = (answer.operations as BashOperations | undefined) ?? this.#shell;
    return this.#collect((sink) => operations.exec(text, cwd, { onData: sink, signal }), signal, onData);
  }

  async #runPython(
    agent: Typist,
    { text, excludeFromContext }: UserCommand,
    signal: AbortSignal,
    onData: (delta: string) => void,
  ): Promise<UserCommandResult> {
    const { cwd, processes } = this.#parts;
    const { answer } = await ask(agent.core, "python.user", { code: text, excludeFromContext, cwd }, signal);
    if (answer.cancel !== undefined) throw new Error(`The code was not run: ${answer.cancel}`);
    if (answer.result !== undefined) return answer.result as UserCommandResult;
    const run: Run = async (sink) => {
      const report = await processes.run({
        command: { file: "python3", args: ["-c", PYTHON, text] },
        cwd,
        tier: "user",
        env: {},
        timeoutMs: 2 ** 31 - 1,
        signal,
        maxStdoutBytes: MAX_OUTPUT_BYTES,
        keepsStdout: false,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        onData: (chunk) => sink(Buffer.from(chunk)),
        label: "python",
      });
      if (report.status === "not-started")
        throw new Error(`Python could not be started: ${report.startError?.message}. Install python3.`);
      return { exitCode: exitCodeOf(report) };
    };
    return this.#collect(run, signal, onData);
  }

  #collect(run: Run, signal: AbortSignal, onData: (delta: string) => void): Promise<UserCommandResult> {
    return collect(run, new CommandOutput(this.#parts.outputFolder ?? tmpdir()), signal, onData);
  }
}

/** Runs one command and passes its output to `sink`. */
type Run = (sink: (data: Buffer) => void) => Promise<{ exitCode: number | null }>;

/** Collects the output of one command. An abort gives a result, any other failure is thrown. */
async function collect(
  run: Run,
  output: CommandOutput,
  signal: AbortSignal,
  onData: (delta: string) => void,
): Promise<UserCommandResult> {
  const decoder = new TextDecoder();
  let exitCode: number | null = null;
  try {
    ({ exitCode } = await run((data) => {
      if (data.length === 0) return;
      output.append(data);
      onData(decoder.decode(data, { stream: true }));
    }));
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    output.finish();
  }
  const { content, truncation, fullOutputPath } = output.snapshot();
  return {
    output: content,
    ...(exitCode !== null && { exitCode }),
    cancelled: signal.aborted,
    truncated: truncation.truncated,
    ...(fullOutputPath !== undefined && { fullOutputPath }),
  };
}

/** Stores a command and its output when no prompt runs: nothing may come between tool calls and their results. */
function store(agent: Typist, { kind, text, excludeFromContext }: UserCommand, result: UserCommandResult): void {
  const message: BashExecutionMessage = {
    role: "bashExecution",
    command: kind === "shell" ? text : `python3: ${text}`,
    ...result,
    ...(excludeFromContext && { excludeFromContext }),
    timestamp: Date.now(),
  };
  const { core } = agent;
  const { store: session } = core;
  agent.whenFree(() => {
    session.appendMessage(message);
    core.tell({ type: "message_start", message });
    core.tell({ type: "message_end", message });
  });
}
