import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import { type Folder, folder } from "./ground.ts";

/** A program's answer: its output, or another way to end. */
export type Said = string | Pick<ProcessReport, "status" | "startError" | "exitCode">;

/** A hook that is a program: it reads stdin or a variable, and prints its answer. */
export interface Program {
  readonly dialect: "jcli" | "chibi";
  readonly event: string;
  run(event: Readonly<Record<string, unknown>>): Said;
}

/** Programs in a home folder, and a transport that answers for them instead of starting them. */
export interface Programs extends Disposable {
  readonly home: string;
  readonly transport: ProcessTransport;
  /** Writes another file of the home folder, or replaces a definition. */
  write(path: string, text: string): void;
}

/** Writes the definitions of these programs, in order. */
export function placePrograms(programs: readonly Program[]): Programs {
  const home: Folder = folder();
  const write = (path: string, text: string): void => {
    const full = join(home.path, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode: 0o755 });
  };
  const byCommand = new Map<string, Program>();
  const events = new Map<string, string[]>();
  programs.forEach((program, i) => {
    const name = `hook-${String(i).padStart(3, "0")}`;
    byCommand.set(name, program);
    if (program.dialect === "chibi")
      write(`.chibi/plugins/${name}`, JSON.stringify({ name, description: "d", hooks: [program.event] }));
    else events.set(program.event, [...(events.get(program.event) ?? []), `  - command: ${name}\n`]);
  });
  const yaml = [...events].map(([event, entries]) => `${event}:\n${entries.join("")}`).join("");
  if (yaml !== "") write(".jdata/agent/hooks.yaml", yaml);
  const transport: ProcessTransport = {
    async run({ command, env, stdin }) {
      const name = "shell" in command ? command.shell : (command.file.split("/").at(-1) as string);
      const { event, run } = byCommand.get(name) as Program;
      if ("args" in command && command.args[0] === "--schema")
        return report(JSON.stringify({ name, description: "d", hooks: [event] }));
      await Promise.resolve();
      return report(run(JSON.parse(env["CHIBI_HOOK_DATA"] ?? String(stdin ?? "{}"))));
    },
    open: () => Promise.reject(new Error("no process is kept here")),
    close: async () => {},
  };
  return { home: home.path, transport, write, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

function report(said: Said): ProcessReport {
  const rest = { stdout: "", stdoutValid: true, stderr: "", survivors: [], queueMs: 0, runMs: 0 };
  if (typeof said === "string") return { ...rest, status: "exited", exitCode: 0, stdout: said };
  return { ...rest, ...said };
}
