import { stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { DEFAULT_MAX_BYTES } from "@hookline/ground";
import { abortable } from "./abort.ts";
import { cwdOf } from "./context.ts";
import { globMatcher } from "./glob.ts";
import { type Excludes, LeftOut } from "./left-out.ts";
import { pathExists, resolveToCwd, toPosix } from "./path.ts";
import { type Listing, limitOf, listingResult, textResult } from "./result.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool } from "./tool.ts";
import { type WalkEntry, walkBlocks } from "./walk.ts";

const DEFAULT_LIMIT = 1000;

/** The arguments with which a model calls `find`. */
export type FindInput = { readonly pattern: string; readonly path?: string; readonly limit?: number };

/** The access to files. Without `glob`, the tool searches local files. */
export interface FindOperations {
  exists(path: string): Promise<boolean> | boolean;
  /** Returns matching paths, relative to `cwd` or absolute. A folder's path ends in a slash. */
  glob(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Promise<string[]> | string[];
}

/** How the tool `find` accesses files, and which files it must not show. */
export interface FindToolOptions {
  readonly operations?: Partial<FindOperations> | undefined;
  readonly excludes?: Excludes | undefined;
}

/**
 * Makes the tool that finds files and folders by a glob. A glob without a slash matches names. A glob with a slash may
 * match from any folder on. A glob without capitals ignores case.
 */
export function createFindTool(cwd: string, options: FindToolOptions = {}): Tool<FindInput> {
  const { operations, excludes } = options;
  const isLocal = !operations?.glob && !operations?.exists;
  const paths = new SettledPaths(cwd);
  return {
    name: "find",
    label: "find",
    description:
      `Find files by a glob; paths are given from the searched folder. Leaves out what .gitignore names. ` +
      `Stops after ${DEFAULT_LIMIT} results or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first.`,
    promptSnippet: "Find files by glob pattern (respects .gitignore)",
    parameters: {
      type: "object",
      required: ["pattern"],
      properties: {
        pattern: {
          type: "string",
          description: "Glob that paths must match, e.g. '*.ts', '**/*.json' or 'src/**/*.spec.ts'",
        },
        path: { type: "string", description: "Directory to search in (default: current directory)" },
        limit: { type: "number", description: `Maximum number of results (default: ${DEFAULT_LIMIT})` },
      },
    },
    ...paths.settling(isLocal),
    execute: (_toolCallId, input, signal, _onUpdate, context) =>
      abortable(signal, async () => {
        const limit = limitOf(input.limit, DEFAULT_LIMIT);
        const base = cwdOf(context, cwd);
        const folder = resolveToCwd(input.path || ".", base);
        const exists = operations?.exists
          ? await operations.exists(folder)
          : operations?.glob || (await pathExists(folder));
        if (!exists) throw new Error(`Path not found: ${folder}`);
        if (operations?.glob) {
          const found = await operations.glob(input.pattern, folder, {
            ignore: ["**/node_modules/**", "**/.git/**"],
            limit,
          });
          return resultOf({ lines: found.map((path) => fromFolder(path, folder)), notices: [] }, limit, "");
        }
        const found = await stat(folder);
        paths.confirm(folder, found);
        if (!found.isDirectory()) throw new Error(`Not a directory: ${folder}`);
        const listing = await search(input.pattern, folder, { cwd: base, limit, signal, excludes });
        return resultOf(listing, limit, `. Use limit=${limit * 2} for more, or refine pattern`);
      }),
  };
}

async function search(
  pattern: string,
  folder: string,
  options: { cwd: string; limit: number; signal: AbortSignal | undefined; excludes: Excludes | undefined },
): Promise<Pick<Listing, "lines" | "notices">> {
  const matches = globMatcher(pattern, { anywhere: true, limited: true, ignoreCase: !/\p{Lu}/u.test(pattern) });
  const lines: string[] = [];
  let unreadable = 0;
  const onUnreadable = () => {
    unreadable++;
  };
  const isWhole = isAbsolute(pattern);
  const isHit = (entry: WalkEntry): boolean => matches(isWhole ? toPosix(entry.path) : entry.relative);
  const leftOut = new LeftOut("find", options.excludes);
  const denied = leftOut.below(folder);
  const skip = (entry: WalkEntry): boolean =>
    (entry.kind === "folder" || isHit(entry)) && denied?.(entry.path, entry.kind === "folder") === true;
  const { cwd, signal } = options;
  for await (const block of walkBlocks(folder, { cwd, signal, onUnreadable, ...(denied && { skip }) })) {
    for (const entry of block) {
      if (lines.length >= options.limit) break;
      if (!isHit(entry)) continue;
      lines.push(entry.kind === "folder" ? `${entry.relative}/` : entry.relative);
    }
    if (lines.length >= options.limit) break;
  }
  const notices = unreadable > 0 ? [`${unreadable} folders could not be read`] : [];
  return { lines, notices: [...notices, ...leftOut.notices] };
}

function resultOf(found: Pick<Listing, "lines" | "notices">, limit: number, advice: string) {
  if (found.lines.length === 0) {
    return textResult(
      ["No files found matching pattern", ...(found.notices ?? []).map((notice) => `\n[${notice}]`)].join("\n"),
    );
  }
  const limited = found.lines.length >= limit;
  return listingResult({
    ...found,
    ...(limited ? { limit: `${limit} results limit reached${advice}` } : {}),
    details: limited ? { resultLimitReached: limit } : {},
  });
}

function fromFolder(path: string, folder: string): string {
  const way = toPosix(isAbsolute(path) ? relative(folder, path) : path);
  return (path.endsWith(sep) || path.endsWith("/")) && !way.endsWith("/") ? `${way}/` : way;
}
