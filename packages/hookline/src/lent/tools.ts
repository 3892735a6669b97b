import type { ProcessTransport } from "@hookline/runtime/engine";
import { type BashToolOptions, createBashTool } from "../tool/bash.ts";
import { createEditTool, type EditToolOptions } from "../tool/edit.ts";
import { createFindTool, type FindToolOptions } from "../tool/find.ts";
import { createGrepTool, type GrepToolOptions } from "../tool/grep.ts";
import { createLsTool, type LsToolOptions } from "../tool/ls.ts";
import { createReadTool, type ReadToolOptions } from "../tool/read.ts";
import { type BashOperations, commandShell, createLocalBashOperations } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { createWriteTool, type WriteToolOptions } from "../tool/write.ts";

/** How each built-in tool accesses files and processes, by the tool's name. */
export interface AllToolOptions {
  readonly read?: ReadToolOptions;
  readonly bash?: BashToolOptions;
  readonly edit?: EditToolOptions;
  readonly write?: WriteToolOptions;
  readonly grep?: GrepToolOptions;
  readonly find?: FindToolOptions;
  readonly ls?: LsToolOptions;
}

/** pi's functions that make built-in tools for extensions. Their commands run like those of the agent's own tools. */
export interface ToolFactories {
  createReadTool(cwd: string, options?: ReadToolOptions): AnyTool;
  createBashTool(cwd: string, options?: BashToolOptions): AnyTool;
  createEditTool(cwd: string, options?: EditToolOptions): AnyTool;
  createWriteTool(cwd: string, options?: WriteToolOptions): AnyTool;
  createGrepTool(cwd: string, options?: GrepToolOptions): AnyTool;
  createFindTool(cwd: string, options?: FindToolOptions): AnyTool;
  createLsTool(cwd: string, options?: LsToolOptions): AnyTool;
  createCodingTools(cwd: string, options?: AllToolOptions): AnyTool[];
  createReadOnlyTools(cwd: string, options?: AllToolOptions): AnyTool[];
  createLocalBashOperations(options?: { readonly shellPath?: string }): BashOperations;
}

type AnyTool = Tool<never>;

/** Makes pi's functions for built-in tools; their commands run through `processes`. */
export function toolFactories({ processes }: { readonly processes: ProcessTransport }): ToolFactories {
  const bash = (cwd: string, options?: BashToolOptions): AnyTool =>
    bare(createBashTool(cwd, { processes, shellPath: commandShell(), ...options }));
  const read = (cwd: string, options?: ReadToolOptions): AnyTool => bare(createReadTool(cwd, options));
  const edit = (cwd: string, options?: EditToolOptions): AnyTool => bare(createEditTool(cwd, options));
  const write = (cwd: string, options?: WriteToolOptions): AnyTool => bare(createWriteTool(cwd, options));
  const grep = (cwd: string, options?: GrepToolOptions): AnyTool => bare(createGrepTool(cwd, options));
  const find = (cwd: string, options?: FindToolOptions): AnyTool => bare(createFindTool(cwd, options));
  const ls = (cwd: string, options?: LsToolOptions): AnyTool => bare(createLsTool(cwd, options));
  return {
    createReadTool: read,
    createBashTool: bash,
    createEditTool: edit,
    createWriteTool: write,
    createGrepTool: grep,
    createFindTool: find,
    createLsTool: ls,
    createCodingTools: (cwd, all = {}) => [
      read(cwd, all.read),
      bash(cwd, all.bash),
      edit(cwd, all.edit),
      write(cwd, all.write),
    ],
    createReadOnlyTools: (cwd, all = {}) => [
      read(cwd, all.read),
      grep(cwd, all.grep),
      find(cwd, all.find),
      ls(cwd, all.ls),
    ],
    createLocalBashOperations: (options = {}) =>
      createLocalBashOperations({ processes, shellPath: commandShell(), ...options }),
  };
}

/** Removes a tool's texts for the system prompt: an extension that builds on the tool supplies its own. */
function bare<P>({ promptSnippet: _, promptGuidelines: __, ...tool }: Tool<P>): AnyTool {
  return tool as unknown as AnyTool;
}
