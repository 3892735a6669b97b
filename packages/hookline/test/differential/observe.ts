import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type LoopbackScript, startLoopback } from "../support/loopback.ts";
import { MODEL, PROVIDER, type Program, type Start } from "./programs.ts";
import { NOTE, RECORDER } from "./record.ts";

/** An extension as a function, whose text becomes a module, or as the text of one; `note` is there in functions. */
export type TestExtension = ((pi: any) => unknown) | string;

/** One thing to try with both programs. */
export interface Case {
  readonly replies: LoopbackScript;
  /** Given by `-e`, in this order; the recorder comes behind them. */
  readonly extensions?: readonly TestExtension[];
  /** Files below the project, below the home with `~/`, below the program's own folder of the project with `@/`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly prompts?: readonly string[];
  /** On a terminal the program reads keys and draws, which nobody looks at. */
  readonly mode?: Start["mode"];
  readonly args?: readonly string[];
  readonly settings?: object;
  readonly models?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before the program does, in its project. */
  prepare?(project: string): void;
  /** Talks to the program while it runs; it is told to end when this is done. */
  drive?(talk: Talk): Promise<void>;
  /** The recorder's events take time and room; cases that look at something else do without. */
  readonly record?: false;
  /** Files of the project whose text is compared afterwards. */
  readonly results?: readonly string[];
}

/** A running program, to which a client can send commands. */
export interface Talk {
  readonly child: ChildProcessWithoutNullStreams;
  /** The server's requests so far. */
  readonly requests: readonly unknown[];
  send(command: object): void;
  /** The next line of stdout, from those not yet taken, that the test is true for. */
  next(test: (line: any) => boolean): Promise<any>;
  /** Types keys; a text is sent with `\r`. */
  type(keys: string): void;
  /** Types a text, and resolves when it is on the screen. */
  write(text: string): Promise<void>;
  /** Resolves when nothing has been written for a time. */
  quiet(ms: number): Promise<void>;
  /** Resolves when the condition holds. */
  until(condition: () => boolean): Promise<void>;
  /** Returns the events that were recorded so far. */
  events(): readonly any[];
  /** Returns the notes of the case's own extensions so far. */
  notes(): readonly any[];
}

/** The raw result of a run. */
export interface Observed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly events: readonly any[];
  readonly notes: readonly any[];
  readonly requests: readonly any[];
  /** Entries of the session's file, its header first; of several files in the order of their names. */
  readonly entries: readonly any[];
  readonly results: Readonly<Record<string, string | undefined>>;
  /** The folder that held project and home. */
  readonly top: string;
}

/** Runs a case with one program. */
export async function observe(program: Program, given: Case): Promise<Observed> {
  const top = mkdtempSync(join(tmpdir(), "hookline-differential-"));
  const home = join(top, "home");
  const project = join(top, "project");
  const record = join(top, "record.jsonl");
  const notes = join(top, "notes.jsonl");
  const server = await startLoopback(given.replies);
  try {
    const write = (path: string, text: string): string => {
      const own = path.startsWith("@/") ? `${program.folder}${path.slice(1)}` : path;
      const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, own);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    };
    const { models, settings } = program.files ?? { models: "models.json", settings: "settings.json" };
    write(
      `~/${program.settings}/${models}`,
      JSON.stringify({ providers: { [PROVIDER]: provider(server.url, given) } }),
    );
    write(`~/${program.settings}/${settings}`, JSON.stringify(given.settings ?? {}));
    mkdirSync(project, { recursive: true });
    for (const [path, text] of Object.entries(given.files ?? {})) write(path, text);
    const extensions = (given.extensions ?? []).map((extension, i) =>
      extension instanceof Function || extension.includes("\n")
        ? write(`../given/${i + 1}.ts`, sourceOf(extension))
        : extension,
    );
    if (given.record !== false) extensions.push(write("../given/recorder.ts", RECORDER));
    given.prepare?.(project);
    const { mode = "print", prompts = [], args = [] } = given;
    const command = [program.engine ?? process.execPath, ...program.argv({ mode, prompts, extensions, args })];
    const [file = "", ...argv] = mode === "terminal" ? [...ON_A_TERMINAL, ...command] : command;
    const child = spawn(file, argv, {
      cwd: project,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        PI_OFFLINE: "1",
        PI_SKIP_VERSION_CHECK: "1",
        PI_TELEMETRY: "0",
        RECORD: record,
        NOTES: notes,
        ...(mode === "terminal" && { TERM: "xterm-256color" }),
        ...given.env,
      },
    });
    const told = { events: () => linesOf(record), notes: () => linesOf(notes) };
    const ran = await finish(child, given, server.requests, told);
    return {
      ...ran,
      events: linesOf(record),
      notes: linesOf(notes),
      requests: server.requests.map(({ body }) => body),
      entries: sessionFiles(join(home, program.settings, "sessions")).flatMap(linesOf),
      results: Object.fromEntries((given.results ?? []).map((path) => [path, textOf(join(project, path))])),
      top,
    };
  } finally {
    await server.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** Runs a program on a terminal of its own, whose keys come from stdin. */
const ON_A_TERMINAL = [
  ...["python3", "-c", "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"],
  ...["sh", "-c", 'stty rows 40 cols 120; exec "$@"', "sh"],
];

function provider(url: string, given: Case): object {
  return {
    baseUrl: `${url}/v1`,
    api: "openai-completions",
    apiKey: "k",
    models: [{ id: MODEL }, ...(given.models ?? [])],
  };
}

function sourceOf(extension: TestExtension): string {
  return typeof extension === "string" ? extension : `${NOTE}\nexport default ${String(extension)};\n`;
}

function finish(
  child: ChildProcessWithoutNullStreams,
  given: Case,
  requests: readonly unknown[],
  told: Pick<Talk, "events" | "notes">,
): Promise<Pick<Observed, "code" | "out" | "err">> {
  return new Promise((resolve, reject) => {
    let out = "";
    let err = "";
    let taken = 0;
    const waiting = new Set<() => void>();
    const look = (): void => {
      for (const one of [...waiting]) one();
    };
    const until = (condition: () => boolean): Promise<void> =>
      new Promise((done, failed) => {
        const timer = setInterval(look, 20);
        const check = (): void => {
          const holds = condition();
          if (!holds && child.exitCode === null && child.signalCode === null) return;
          clearInterval(timer);
          waiting.delete(check);
          if (holds) done();
          else failed(new Error(`the program ended while it was waited for:\n${out}\n${err}`));
        };
        waiting.add(check);
        check();
      });
    const talk: Talk = {
      child,
      requests,
      ...told,
      send: (command) => void child.stdin.write(`${JSON.stringify(command)}\n`),
      type: (keys) => void child.stdin.write(keys),
      write(text) {
        const before = out.length;
        talk.type(text);
        return until(() => out.slice(before).includes(text));
      },
      quiet(ms) {
        let [since, length] = [Date.now(), out.length];
        return until(() => {
          if (out.length !== length) [since, length] = [Date.now(), out.length];
          return Date.now() - since >= ms;
        });
      },
      until,
      async next(test) {
        let found: any;
        await until(() => {
          const lines = out.split("\n");
          for (let at = taken; at < lines.length - 1; at += 1) {
            const line = parsed(lines[at] ?? "");
            if (line === undefined || !test(line)) continue;
            taken = at + 1;
            found = line;
            return true;
          }
          return false;
        });
        return found;
      },
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk;
      look();
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code) => {
      look();
      resolve({ code, out, err });
    });
    if (given.drive === undefined) child.stdin.end();
    else
      given.drive(talk).then(
        () => child.stdin.end(),
        (thrown: unknown) => {
          child.kill("SIGKILL");
          reject(thrown as Error);
        },
      );
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function linesOf(path: string): any[] {
  return (textOf(path) ?? "")
    .split("\n")
    .map(parsed)
    .filter((line) => line !== undefined);
}

function sessionFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(folder, name));
}
