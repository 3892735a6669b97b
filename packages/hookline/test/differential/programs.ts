import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How a case starts the agent. */
export interface Start {
  readonly mode: "print" | "json" | "rpc" | "terminal";
  readonly prompts: readonly string[];
  readonly extensions: readonly string[];
  /** Arguments that both programs take. */
  readonly args: readonly string[];
}

/** One of the two programs that are compared. */
export interface Program {
  readonly name: "pi" | "omp" | "hookline";
  /** The program that runs it; Node by default. */
  readonly engine?: string;
  /** Its files of models and settings; both are read as JSON. */
  readonly files?: { readonly models: string; readonly settings: string };
  /** Folder of its own settings and models, below the home. */
  readonly settings: string;
  /** Its own folder in a project. */
  readonly folder: string;
  argv(start: Start): string[];
}

/** The model that both are told to use; its provider is the loopback server. */
export const PROVIDER = "loop";
export const MODEL = "m1";

const modes = { print: ["-p"], json: ["--mode", "json"], rpc: ["--mode", "rpc"], terminal: [] };

const shared = ({ mode, prompts, extensions, args }: Start): string[] => [
  ...extensions.flatMap((path) => ["-e", path]),
  ...args,
  ...modes[mode],
  ...prompts,
];

/** The real pi; a project's own extensions are approved for the run. */
export function realPi(folder: string): Program {
  return {
    name: "pi",
    settings: ".pi/agent",
    folder: ".pi",
    argv: (start) => [
      join(folder, "dist/cli.js"),
      "--provider",
      PROVIDER,
      "--model",
      MODEL,
      "--approve",
      ...shared(start),
    ],
  };
}

/** The real oh-my-pi in its own engine; it asks nobody, and adds nothing of its own to the conversation. */
export function realOmp({ folder, bun }: { readonly folder: string; readonly bun: string }): Program {
  const quiet = ["--no-lsp", "--no-title", "--no-skills", "--no-rules", "--no-pty", "--auto-approve"];
  return {
    name: "omp",
    engine: bun,
    files: { models: "models.yml", settings: "config.yml" },
    settings: ".omp/agent",
    folder: ".omp",
    argv: (start) => [join(folder, "src/cli.ts"), "--model", `${PROVIDER}/${MODEL}`, ...quiet, ...shared(start)],
  };
}

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));

/** hookline as it is built. */
export const hookline: Program = {
  name: "hookline",
  settings: ".hookline",
  folder: ".hookline",
  argv: (start) => [bin, "--model", `${PROVIDER}/${MODEL}`, "--trust-project", ...shared(start)],
};
