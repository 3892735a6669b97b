import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Diagnostic, HostServices, HostUi } from "@hookline/runtime";
import { onTestFinished } from "vitest";
import type { Io } from "../../../ground/src/io/io.ts";
import { readArguments } from "../../src/start/args.ts";
import { type Assembled, assemble } from "../../src/start/assemble.ts";
import type { AgentEvent } from "../../src/turn/event.ts";
import { type Loopback, type LoopbackScript, startLoopback } from "../support/loopback.ts";

/** The setup of an agent under test. */
export interface BenchOptions {
  /** Replies of the provider, in order. */
  readonly replies: LoopbackScript;
  /** Files of the project, by path; those that begin with `~/` are the home's. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
  readonly contextWindow?: number;
  readonly reasoning?: boolean;
  /** Whether the project's hooks run. Default true. */
  readonly trust?: boolean;
  /** More of the command line. */
  readonly args?: readonly string[];
  readonly mode?: NonNullable<HostServices["mode"]>;
  readonly ui?: HostUi;
}

/** An agent as the command line makes it, in folders of its own, before a provider on loopback. Gone after the test. */
export interface Bench extends Assembled {
  readonly project: string;
  readonly home: string;
  readonly server: Loopback;
  readonly events: readonly AgentEvent[];
  readonly diagnostics: readonly Diagnostic[];
  readonly notices: () => string[];
  /** Another agent in the same folders; the first must be closed. */
  again(args?: readonly string[]): Promise<Assembled>;
}

/** Sets up an agent for one test. */
export async function startBench(options: BenchOptions): Promise<Bench> {
  const top = mkdtempSync(join(tmpdir(), "hookline-loop-"));
  const project = join(top, "project");
  const home = join(top, "home");
  const server = await startLoopback(options.replies);
  const write = (path: string, text: string): void => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  };
  mkdirSync(project);
  const { contextWindow = 100_000, reasoning = false } = options;
  const model = { id: "model", contextWindow, maxTokens: 4096, reasoning };
  const other = { ...model, id: "other" };
  const provider = { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: "none", models: [model, other] };
  write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }));
  write("~/.hookline/settings.json", JSON.stringify({ retry: { baseDelayMs: 1 }, ...options.settings }));
  for (const [path, text] of Object.entries(options.files ?? {})) write(path, text);
  const io: Io = {
    env: { HOME: home, HOOKLINE_HOME: join(home, ".hookline"), PATH: process.env["PATH"] },
    cwd: project,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: () => {},
    err: () => {},
    readStdin: async () => "",
  };
  const events: AgentEvent[] = [];
  const diagnostics: Diagnostic[] = [];
  const open = async (args: readonly string[]): Promise<Assembled> => {
    const assembled = await assemble(
      readArguments(["--model", "loop/model", ...(options.trust === false ? [] : ["--trust-project"]), ...args]),
      io,
      {
        mode: options.mode ?? "print",
        ui: options.ui,
        onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      },
    );
    assembled.agent.listen((event) => events.push(event));
    closing.push(() => assembled.close());
    return assembled;
  };
  const closing: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closing) await close().catch(() => undefined);
    await server.close();
    rmSync(top, { recursive: true, force: true });
  });
  const assembled = await open(options.args ?? []);
  return {
    ...assembled,
    project,
    home,
    server,
    events,
    diagnostics,
    notices: () => events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
    again: (args = []) => open(args),
  };
}

/** Messages of a request as the provider got it, shortened to role and text. */
export function sentTo(server: Loopback, index: number): string[] {
  const { messages } = server.requests.at(index)?.body ?? { messages: [] };
  return messages.map((message: any) => {
    const content = Array.isArray(message.content)
      ? message.content.map((part: any) => part.text ?? `<${part.type}>`).join("")
      : (message.content ?? "");
    const calls = (message.tool_calls ?? []).map((call: any) => `${call.function.name}()`).join(" ");
    return `${message.role}: ${content}${calls}`;
  });
}
