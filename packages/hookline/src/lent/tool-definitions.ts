import type { ProcessTransport } from "@hookline/runtime/engine";
import { type BashToolOptions, createBashTool } from "../tool/bash.ts";
import { createEditTool } from "../tool/edit.ts";
import { createFindTool } from "../tool/find.ts";
import { createGrepTool } from "../tool/grep.ts";
import { createLsTool } from "../tool/ls.ts";
import type { BuiltinName } from "../tool/names.ts";
import { createReadTool } from "../tool/read.ts";
import { commandShell } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { createWriteTool } from "../tool/write.ts";
import { type ToolView, toolView } from "../tui/widget/tool-view.ts";

type Definition<P> = Tool<P> & ToolView;

/**
 * Makes pi's functions that return a built-in tool in the form that extensions register. That form includes prompt
 * texts and renderers.
 */
export function toolDefinitions({ processes }: { readonly processes: ProcessTransport }) {
  return {
    createBashToolDefinition: defining("bash", (cwd, options?: BashToolOptions) =>
      createBashTool(cwd, { processes, shellPath: commandShell(), ...options }),
    ),
    createReadToolDefinition: defining("read", createReadTool),
    createEditToolDefinition: defining("edit", createEditTool),
    createWriteToolDefinition: defining("write", createWriteTool),
    createGrepToolDefinition: defining("grep", createGrepTool),
    createFindToolDefinition: defining("find", createFindTool),
    createLsToolDefinition: defining("ls", createLsTool),
  };
}

function defining<P, O>(
  name: BuiltinName,
  create: (cwd: string, options?: O) => Tool<P>,
): (cwd: string, options?: O) => Definition<P> {
  return (cwd, options) => ({ ...create(cwd, options), ...toolView(name) });
}
