import type { ProcessTransport } from "@hookline/runtime/internal";
import { type BashToolOptions, createBashTool } from "./bash.ts";
import { createEditTool, type EditOperations } from "./edit.ts";
import { createFindTool, type FindOperations } from "./find.ts";
import { createGrepTool, type GrepOperations } from "./grep.ts";
import type { Excludes } from "./left-out.ts";
import { createLsTool, type LsOperations } from "./ls.ts";
import { createReadTool, type ReadOperations } from "./read.ts";
import type { BashOperations } from "./shell.ts";
import type { Tool } from "./tool.ts";
import { createWriteTool, type WriteOperations } from "./write.ts";

/** What the built-in tools work on. */
export interface BuiltinToolOptions
  extends Pick<BashToolOptions, "shellPath" | "commandPrefix" | "spawnHook" | "tmpDir"> {
  readonly cwd: string;
  readonly processes: ProcessTransport;
  /** The files that rules keep from tools that walk folders. */
  readonly excludes?: Excludes;
  /** Replacements for parts of the tools' access to files and processes. */
  readonly operations?: {
    readonly bash?: Partial<BashOperations>;
    readonly read?: Partial<ReadOperations>;
    readonly edit?: Partial<EditOperations>;
    readonly write?: Partial<WriteOperations>;
    readonly grep?: Partial<GrepOperations>;
    readonly find?: Partial<FindOperations>;
    readonly ls?: Partial<LsOperations>;
  };
}

/** Makes the agent's built-in tools: read, bash, edit, write, grep, find, ls. */
export function builtinTools(options: BuiltinToolOptions): Tool[] {
  const { cwd, operations = {}, excludes, ...bash } = options;
  return [
    createReadTool(cwd, { operations: operations.read }),
    createBashTool(cwd, { ...bash, operations: operations.bash }),
    createEditTool(cwd, { operations: operations.edit }),
    createWriteTool(cwd, { operations: operations.write }),
    createGrepTool(cwd, { operations: operations.grep, processes: options.processes, excludes }),
    createFindTool(cwd, { operations: operations.find, excludes }),
    createLsTool(cwd, { operations: operations.ls, excludes }),
  ];
}
