import { callLens } from "@hookline/runtime/dialect";
import { argumentSpellings } from "@hookline/runtime/engine";
import { isOf } from "../../in-process/pure.ts";
import { ompTools } from "../tools.ts";

/** Translates between hookline's and omp's names of tools. `find` is called `glob` since omp 17. */
export const ompCalls = callLens(argumentSpellings(ompTools));

/** The type guards that omp's package exports for results of its tools. `find` is the old name of `glob`. */
export const toolResultGuards: Readonly<Record<string, ReturnType<typeof isOf>>> = {
  isBashToolResult: isOf("bash"),
  isReadToolResult: isOf("read"),
  isEditToolResult: isOf("edit"),
  isWriteToolResult: isOf("write"),
  isGrepToolResult: isOf("grep"),
  isGlobToolResult: isOf("glob"),
  isFindToolResult: isOf("glob"),
  isLsToolResult: isOf("ls"),
};

/** Commands of the agent itself, which no extension may replace. Source: design/cli.md. */
export const RESERVED_COMMANDS: ReadonlySet<string> = new Set([
  "new",
  "resume",
  "fork",
  "branch",
  "tree",
  "label",
  "clear",
  "compact",
  "context",
  "model",
  "hooks",
  "trust",
  "reload",
  "session",
  "name",
  "export",
  "help",
  "quit",
]);

/** Keys that quit, interrupt or control the editor, which no extension may use. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  "escape",
  "enter",
  "tab",
  "ctrl+c",
  "ctrl+d",
  "ctrl+z",
  "ctrl+p",
]);
