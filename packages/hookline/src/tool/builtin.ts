import type { ProcessTransport } from "@hookline/runtime/engine";
import { type BashToolOptions, createBashTool } from "./bash.ts";
import { createEditTool, type EditOperations } from "./edit.ts";
import { createFindTool, type FindOperations } from "./find.ts";
import { createGrepTool, type GrepOperations } from "./grep.ts";
import type { Excludes } from "./left-out.ts";
import { createLsTool, type LsOperations } from "./ls.ts";
import { BUILTIN, type BuiltinName } from "./names.ts";
import { createReadTool, type ReadOperations } from "./read.ts";
import type { BashOperations } from "./shell.ts";
import type { Tool } from "./tool.ts";
import { createWriteTool, type WriteOperations } from "./write.ts";

/** Options of the built-in tools: the working folder, the access to files, and the files that they hide. */
export interface BuiltinToolOptions
  extends Pick<BashToolOptions, "shellPath" | "commandPrefix" | "spawnHook" | "tmpDir"> {
  readonly cwd: string;
  readonly processes: ProcessTransport;
  /** Returns the files that permission rules hide from searches and listings. */
  readonly excludes?: Excludes;
  /** Functions that replace the tools' own access to files and processes. */
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

/** Makes the agent's built-in tools, in the order of {@link BUILTIN}. */
export function builtinTools(options: BuiltinToolOptions): Tool[] {
  const { cwd, operations = {}, excludes, ...bash } = options;
  const tools: Readonly<Record<BuiltinName, Tool>> = {
    read: createReadTool(cwd, { operations: operations.read }),
    bash: createBashTool(cwd, { ...bash, operations: operations.bash }),
    edit: createEditTool(cwd, { operations: operations.edit }),
    write: createWriteTool(cwd, { operations: operations.write }),
    grep: createGrepTool(cwd, { operations: operations.grep, processes: options.processes, excludes }),
    find: createFindTool(cwd, { operations: operations.find, excludes }),
    ls: createLsTool(cwd, { operations: operations.ls, excludes }),
  };
  return (Object.keys(BUILTIN) as BuiltinName[]).map((name) => tools[name]);
}

/** Makes the built-in tools that change nothing. With `limit`, makes only those whose names it contains. */
export function sightTools(options: BuiltinToolOptions, limit?: readonly string[]): Tool[] {
  return builtinTools(options).filter(
    ({ name }) => /^(?:reads|searches)$/.test(BUILTIN[name as BuiltinName]) && (limit?.includes(name) ?? true),
  );
}
