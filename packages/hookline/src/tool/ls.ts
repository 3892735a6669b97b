import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_MAX_BYTES } from "@hookline/ground";
import { abortable, throwIfAborted } from "./abort.ts";
import { cwdOf } from "./context.ts";
import { type Excludes, LeftOut } from "./left-out.ts";
import { pathExists, resolveToCwd } from "./path.ts";
import { limitOf, listingResult, textResult } from "./result.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool } from "./tool.ts";

const DEFAULT_LIMIT = 500;

/** The arguments with which a model calls `ls`. */
export type LsInput = { readonly path?: string; readonly limit?: number };

/** The access to files. Missing operations use local files. */
export interface LsOperations {
  /**
   * Whether a path exists. If this function is missing but another operation is given, every path counts as existing.
   */
  exists(path: string): Promise<boolean> | boolean;
  stat(path: string): Promise<{ isDirectory(): boolean }> | { isDirectory(): boolean };
  readdir(path: string): Promise<string[]> | string[];
}

/** How the tool `ls` accesses files, and which files it must not show. */
export interface LsToolOptions {
  readonly operations?: Partial<LsOperations> | undefined;
  readonly excludes?: Excludes | undefined;
}

/** Makes the tool that lists a folder. Broken links are left out. */
export function createLsTool(cwd: string, options: LsToolOptions = {}): Tool<LsInput> {
  const { operations, excludes } = options;
  const isLocal = !operations?.exists && !operations?.stat && !operations?.readdir;
  const paths = new SettledPaths(cwd);
  const exists = async (path: string): Promise<boolean> =>
    operations?.exists ? operations.exists(path) : operations?.stat || operations?.readdir ? true : pathExists(path);
  const isFolder = async (path: string): Promise<boolean> =>
    (await (operations?.stat ? operations.stat(path) : stat(path))).isDirectory();
  const names = async (path: string): Promise<string[]> =>
    operations?.readdir ? operations.readdir(path) : readdir(path);

  const shownName = async (folder: string, name: string): Promise<string | undefined> => {
    try {
      return (await isFolder(join(folder, name))) ? `${name}/` : name;
    } catch {
      return undefined;
    }
  };
  return {
    name: "ls",
    label: "ls",
    description:
      `List a folder in alphabetical order, hidden entries included; folders end in '/'. ` +
      `Stops after ${DEFAULT_LIMIT} entries or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first.`,
    promptSnippet: "List directory contents",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Directory to list (default: current directory)" },
        limit: { type: "number", description: `Maximum number of entries to return (default: ${DEFAULT_LIMIT})` },
      },
    },
    ...paths.settling(isLocal),
    execute: (_toolCallId, input, signal, _onUpdate, context) =>
      abortable(signal, async () => {
        const folder = resolveToCwd(input.path || ".", cwdOf(context, cwd));
        const limit = limitOf(input.limit, DEFAULT_LIMIT);
        if (!(await exists(folder))) throw new Error(`Path not found: ${folder}`);
        if (isLocal) paths.confirm(folder, await stat(folder));
        if (!(await isFolder(folder))) throw new Error(`Not a directory: ${folder}`);
        const entries = await names(folder).catch((cause: unknown) => {
          throw new Error(`Cannot read directory: ${cause instanceof Error ? cause.message : String(cause)}`, {
            cause,
          });
        });
        const leftOut = new LeftOut("ls", excludes);
        const denied = leftOut.below(folder);
        const lines: string[] = [];
        let limited = false;
        for (const name of entries.toSorted(byName)) {
          throwIfAborted(signal);
          limited = lines.length >= limit;
          if (limited) break;
          const shown = await shownName(folder, name);
          if (shown !== undefined && denied?.(join(folder, name), shown.endsWith("/")) !== true) lines.push(shown);
        }
        const { notices } = leftOut;
        if (lines.length === 0) return textResult(notices.length > 0 ? `[${notices.join()}]` : "(empty directory)");
        return listingResult({
          lines,
          ...(limited ? { limit: `${limit} entries limit reached. Use limit=${limit * 2} for more` } : {}),
          notices,
          details: limited ? { entryLimitReached: limit } : {},
        });
      }),
  };
}

function byName(a: string, b: string): number {
  return a.toLowerCase().localeCompare(b.toLowerCase()) || (a < b ? -1 : 1);
}
