import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Program, startProgram } from "../../agent/program.ts";
import type { LoopbackReply, LoopbackScript } from "../../support/loopback.ts";
import { peer } from "./peer.ts";

/** The text of one of the examples that oh-my-pi ships. */
export function example(path: string): string {
  return readFileSync(join("absent" in peer ? "" : peer.folder, "examples", path), "utf8");
}

/** A reply that calls the shell. */
export const bash = (command: string): LoopbackReply => ({ toolCalls: [{ name: "bash", arguments: { command } }] });
/** A reply that ends the run, as often as it is needed. */
export const done: LoopbackReply = { text: "Fix bug\nand more", repeat: true };

interface Place {
  readonly examples: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly replies?: LoopbackScript;
  readonly args?: readonly string[];
  /** The person's answers, in order; later dialogs are cancelled. */
  readonly answers?: readonly object[];
  /** The project is a git repository with one commit. */
  readonly git?: true;
  /** Runs when the files are there, before the program. */
  prepare?(home: string): void;
}

/** Runs git in a project, with an author of its own. */
export function git(project: string, ...args: string[]): string {
  const own = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...own, ...args], { cwd: project, encoding: "utf8" });
}

/** Hookline in RPC mode with examples where oh-my-pi looks for them; a person answers its dialogs. */
export async function person(place: Place): Promise<Person> {
  const own = place.examples.map((path) => {
    const folder = path.startsWith("hooks/") ? path.replace("hooks/", "hooks/pre/") : path;
    return [`~/.omp/agent/${folder}`, example(path)];
  });
  const program = await startProgram({
    replies: place.replies ?? [done],
    args: ["--mode", "rpc", ...(place.args ?? [])],
    files: {
      ...Object.fromEntries(own),
      ...(place.git && { "~/.gitconfig": "[user]\n  name = T\n  email = t@example.org\n", "code.txt": "one\n" }),
      ...place.files,
    },
    stdin: "open",
    prepare(project) {
      place.prepare?.(join(project, "../home"));
      if (!place.git) return;
      git(project, "init", "-q");
      git(project, "add", "-A");
      git(project, "commit", "-qm", "first");
    },
  });
  return new Person(program, place.answers ?? []);
}

/** A person who uses the program over RPC. */
export class Person {
  readonly program: Program;
  #commands = 0;
  #settled = 0;

  constructor(program: Program, answers: readonly object[]) {
    this.program = program;
    void this.#answer([...answers]);
  }

  get project(): string {
    return this.program.project;
  }

  /** Sends a command and gives its reply. */
  async ask(type: string, fields: object = {}): Promise<any> {
    const id = `c${++this.#commands}`;
    this.program.send({ id, type, ...fields });
    return this.program.line((line) => line.type === "response" && line.id === id);
  }

  /** Sends a prompt and waits until the agent has settled; commands settle nothing, they are answered. */
  async prompt(message: string): Promise<void> {
    await this.ask("prompt", { message });
    if (message.startsWith("/")) return;
    const count = ++this.#settled;
    await this.program.line(() => this.program.lines.filter(({ type }) => type === "agent_settled").length >= count);
  }

  /** The texts that extensions have sent to the screen, each with its method. */
  get told(): string[] {
    return this.#requests.map(({ method, message, statusText, text, title }) =>
      [method, message ?? statusText ?? text ?? title].join(": "),
    );
  }

  /** The results of the tool calls, as the model reads them. */
  get results(): string[] {
    return this.program.lines
      .filter(({ type, message }) => type === "message_end" && message.role === "toolResult")
      .map(({ message }) => message.content.map(({ text }: any) => text).join(""));
  }

  /** Ends the session and waits for the program's end. */
  async leave(): Promise<void> {
    this.program.child.stdin.end();
    await this.program.finished;
  }

  get #requests(): any[] {
    return this.program.lines.filter(({ type }) => type === "extension_ui_request");
  }

  async #answer(answers: object[]): Promise<void> {
    const seen = new Set<string>();
    const isDialog = (line: any): boolean =>
      line.type === "extension_ui_request" &&
      ["select", "confirm", "input", "editor"].includes(line.method) &&
      !seen.has(line.id);
    try {
      for (;;) {
        const { id } = await this.program.line(isDialog);
        seen.add(id);
        this.program.send({ type: "extension_ui_response", id, ...(answers.shift() ?? { cancelled: true }) });
      }
    } catch {
      // The program has ended: nobody asks any more.
    }
  }
}
