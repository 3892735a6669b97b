import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writeRegular } from "@hookline/ground/system";
import { throwIfAborted } from "./abort.ts";
import { cwdOf } from "./context.ts";
import { withFileMutationQueue } from "./mutation-queue.ts";
import { resolveToCwd } from "./path.ts";
import { textResult } from "./result.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls `write`. */
export type WriteInput = { readonly path: string; readonly content: string };

/** The access to files. Missing operations use local files. */
export interface WriteOperations {
  writeFile(path: string, content: string): Promise<void>;
  /** Creates a folder with its parents. If only `writeFile` is given, no folder is created. */
  mkdir(folder: string): Promise<void>;
}

/** How the tool `write` accesses files. */
export interface WriteToolOptions {
  readonly operations?: Partial<WriteOperations> | undefined;
}

/** Makes the tool that creates or replaces a file. An abort has an effect until writing starts. */
export function createWriteTool(cwd: string, options: WriteToolOptions = {}): Tool<WriteInput> {
  const { operations } = options;
  const isLocal = !operations?.writeFile;
  const paths = new SettledPaths(cwd);
  const makeFolder = async (folder: string): Promise<void> => {
    if (operations?.mkdir) await operations.mkdir(folder);
    else if (!operations?.writeFile) await mkdir(folder, { recursive: true });
  };
  const save = (path: string, content: string): Promise<void> =>
    operations?.writeFile
      ? operations.writeFile(path, content)
      : writeRegular(path, content, (...opened) => paths.confirm(...opened));
  return {
    name: "write",
    label: "write",
    description:
      "Write text to a file. Replaces what is there, and creates the file and its parent folders when missing.",
    promptSnippet: "Create or overwrite files",
    promptGuidelines: ["Use write for new files and complete rewrites only."],
    parameters: {
      type: "object",
      required: ["path", "content"],
      properties: {
        path: { type: "string", description: "Path to the file to write (relative or absolute)" },
        content: { type: "string", description: "Content to write to the file" },
      },
    },
    ...paths.settling(isLocal),
    execute(_toolCallId, { path, content }, signal, _onUpdate, context) {
      const target = resolveToCwd(path, cwdOf(context, cwd));
      return withFileMutationQueue(target, async () => {
        throwIfAborted(signal);
        await makeFolder(dirname(target));
        throwIfAborted(signal);
        await save(target, content);
        return textResult(`Successfully wrote to ${path}`);
      });
    },
  };
}
