import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A line of the protocol, in either direction. */
export interface Line {
  readonly type?: string;
  readonly id?: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly data?: State & { readonly commands?: readonly Listed[]; readonly messages?: readonly { entryId: string }[] };
  readonly error?: unknown;
  readonly event?: string;
  readonly method?: string;
  readonly title?: string;
  readonly message?: unknown;
  readonly statusText?: string;
  readonly widgetLines?: readonly string[];
  readonly text?: string;
  readonly options?: readonly string[];
  readonly prefill?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** A command that a person can type. */
export interface Listed {
  readonly name: string;
  readonly source: string;
}

interface State {
  readonly isStreaming?: boolean;
  readonly isCompacting?: boolean;
  readonly sessionFile?: string;
}

/** A message from the client to the program. */
export type Told = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Time limit of a step in ms, and the silence after which it counts as finished. */
const STEP_MS = 15_000;
const QUIET_MS = 250;
const POLL_MS = 25;
/** The number of questions of a step that are answered; a menu that keeps coming back is dismissed after that. */
const PATIENCE = 8;

/** A conversation with a program in RPC mode, which also answers the program's questions to the person. */
export class Talk {
  readonly lines: Line[] = [];
  err = "";
  /** Resolves with the exit code when the program has ended. */
  readonly ended: Promise<number | null>;
  #child: ChildProcessWithoutNullStreams;
  #rest = "";
  #asked = 0;
  #answered = 0;
  #lastLineAt = Date.now();
  #isOver = false;

  constructor(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, { cwd, stdio: "pipe", env });
    this.ended = new Promise((resolve) => {
      this.#child.on("error", (error) => (this.err += error.message));
      this.#child.on("close", (code) => {
        this.#isOver = true;
        resolve(code);
      });
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => (this.err += chunk));
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#heard(chunk));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends a command and waits for its response; `undefined` if none comes. */
  async ask(command: Told): Promise<Line | undefined> {
    const id = `${(this.#asked += 1)}`;
    this.#send({ id, ...command });
    const answer = (): Line | undefined => this.lines.find((line) => line.type === "response" && line.id === id);
    await this.#until(() => answer() !== undefined);
    return answer();
  }

  /**
   * Sends a command and waits until the agent is idle and nothing more comes. Returns the lines since; the last is `{
   * type: "went_on" }` if it did not finish in time.
   */
  async step(command: Told): Promise<readonly Line[]> {
    const from = this.lines.length;
    this.#answered = 0;
    await this.ask(command);
    const idle = async (): Promise<boolean> => {
      const data = (await this.ask({ type: "get_state" }))?.data;
      return data?.isStreaming !== true && data?.isCompacting !== true;
    };
    const endAt = Date.now() + STEP_MS;
    while (!this.#isOver && Date.now() < endAt) {
      await this.#until(() => Date.now() - this.#lastLineAt >= QUIET_MS);
      if (this.#isOver || (await idle())) return this.lines.slice(from);
    }
    if (this.#isOver) return this.lines.slice(from);
    await this.ask({ type: "abort" });
    return [...this.lines.slice(from), { type: "went_on" }];
  }

  /** Ends the conversation, and the program if it does not end by itself. */
  async close(): Promise<number | null> {
    this.#child.stdin.end();
    await Promise.race([this.ended, sleep(STEP_MS, undefined, { ref: false })]);
    if (!this.#isOver) this.#child.kill("SIGKILL");
    return this.ended;
  }

  #send(line: Told): void {
    if (!this.#isOver) this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  #heard(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const text of lines) {
      const line = parsed(text);
      if (line === undefined) continue;
      this.lines.push(line);
      if (line.type !== "response" || line.command !== "get_state") this.#lastLineAt = Date.now();
      if (line.type === "extension_ui_request") this.#answer(line);
    }
  }

  #answer({ id, method = "", options, prefill }: Line): void {
    const tired = (this.#answered += 1) > PATIENCE;
    const answers: Readonly<Record<string, object>> = {
      select: { value: options?.[0] },
      confirm: { confirmed: true },
      input: { value: "rivers" },
      editor: { value: prefill ?? "rivers" },
    };
    const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
    if (answer !== undefined)
      this.#send({ type: "extension_ui_response", id, ...(tired ? { cancelled: true } : answer) });
  }

  async #until(holds: () => boolean): Promise<void> {
    const endAt = Date.now() + STEP_MS;
    while (!holds() && !this.#isOver && Date.now() < endAt) await sleep(POLL_MS);
  }
}

function parsed(text: string): Line | undefined {
  try {
    const line = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}
