import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, posix, relative } from "node:path";
import { DEFAULT_MAX_BYTES, GREP_MAX_LINE_LENGTH } from "@hookline/ground";
import type { ProcessTransport } from "@hookline/runtime/engine";
import { abortable } from "./abort.ts";
import { bytePattern } from "./byte-pattern.ts";
import { createByteSearch } from "./byte-search.ts";
import { type ContentFilter, filtered } from "./content-filter.ts";
import { cwdOf } from "./context.ts";
import { globMatcher } from "./glob.ts";
import { type GrepSources, grepFiles, type NamedFile } from "./grep-files.ts";
import { type Excludes, LeftOut } from "./left-out.ts";
import { resolveToCwd, toPosix } from "./path.ts";
import { compilePattern } from "./pattern.ts";
import { limitOf, listingResult, textResult } from "./result.ts";
import { createRipgrep } from "./ripgrep.ts";
import { SettledPaths } from "./settled.ts";
import type { Tool } from "./tool.ts";
import { type WalkEntry, walkBlocks } from "./walk.ts";

const DEFAULT_LIMIT = 100;

/** The arguments with which a model calls `grep`; `context` counts lines before and after each match. */
export type GrepInput = {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  readonly literal?: boolean;
  readonly context?: number;
  readonly limit?: number;
};

/** The access to files. Folders are always walked locally. */
export interface GrepOperations {
  /** Whether a path is a folder. Must reject if it does not exist. */
  isDirectory(path: string): Promise<boolean> | boolean;
  readFile(path: string): Promise<string> | string;
}

/** How the tool `grep` accesses files, and which files it must not show. */
export interface GrepToolOptions {
  readonly operations?: Partial<GrepOperations> | undefined;
  /** Starts ripgrep, if it is installed. Without it, threads of this process search instead. */
  readonly processes?: ProcessTransport | undefined;
  readonly excludes?: Excludes | undefined;
}

/**
 * Makes the tool that searches files line by line. A named file is always searched. In a folder, ignored, binary and
 * linked files are left out. `glob` limits a search; it cannot bring ignored files back.
 */
export function createGrepTool(cwd: string, options: GrepToolOptions = {}): Tool<GrepInput> {
  const { operations, processes, excludes } = options;
  const isLocal = !operations?.readFile && !operations?.isDirectory;
  const paths = new SettledPaths(cwd);
  const confirmed = (path: string, found: Stats): Stats => {
    paths.confirm(path, found);
    return found;
  };
  const isFolder = async (path: string): Promise<boolean> =>
    operations?.isDirectory ? operations.isDirectory(path) : confirmed(path, await stat(path)).isDirectory();
  return {
    name: "grep",
    label: "grep",
    description:
      `Search the contents of files for a pattern; matching lines come with path and line number. Leaves out what ` +
      `.gitignore names. Stops after ${DEFAULT_LIMIT} matches or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first; ` +
      `lines are cut to ${GREP_MAX_LINE_LENGTH} characters.`,
    promptSnippet: "Search file contents for patterns (respects .gitignore)",
    parameters: {
      type: "object",
      required: ["pattern"],
      properties: {
        pattern: { type: "string", description: "Search pattern (regex or literal string)" },
        path: { type: "string", description: "Directory or file to search (default: current directory)" },
        glob: { type: "string", description: "Only search files that match this glob, e.g. '*.ts' or '**/*.spec.ts'" },
        ignoreCase: { type: "boolean", description: "Case-insensitive search (default: false)" },
        literal: { type: "boolean", description: "Take the pattern as plain text, not as a regex (default: false)" },
        context: { type: "number", description: "Lines to show before and after each match (default: 0)" },
        limit: { type: "number", description: `Maximum number of matches to return (default: ${DEFAULT_LIMIT})` },
      },
    },
    ...paths.settling(isLocal),
    execute: (_toolCallId, input, signal, _onUpdate, context) =>
      abortable(signal, async () => {
        const base = cwdOf(context, cwd);
        const target = resolveToCwd(input.path || ".", base);
        const folder = await isFolder(target).catch((cause: unknown) => {
          if (!isErrno(cause)) throw cause;
          throw new Error(`Path not found: ${target}`, { cause });
        });
        const limit = limitOf(input.limit, DEFAULT_LIMIT);
        const unreadFolders: string[] = [];
        const leftOut = new LeftOut("grep", excludes);
        const expression = compilePattern(input.pattern, input);
        const filter =
          folder && !operations?.readFile ? contentFilter(expression, { processes, cwd: base, signal }) : undefined;
        const sources: GrepSources = {
          files: folder
            ? filtered(
                filesBelow(target, { cwd: base, signal, glob: input.glob, unread: unreadFolders, leftOut }),
                filter,
              )
            : oneFile({ path: target, name: basename(target), forced: true }),
          readFile: operations?.readFile && (async (path) => (operations as GrepOperations).readFile(path)),
          confirm: (path, opened) => paths.confirm(path, opened),
          isLeftOut: (path, names) => leftOut.other(path, names),
        };
        const contextLines = Math.max(0, Math.floor(input.context ?? 0));
        const found = await grepFiles(sources, expression, { limit, contextLines, signal }).finally(filter?.close);
        const notices = [
          ...found.notices,
          ...(unreadFolders.length > 0 ? [`${unreadFolders.length} folders could not be read`] : []),
          ...leftOut.notices,
        ];
        if (found.matches === 0) {
          return textResult(["No matches found", ...notices.map((notice) => `\n[${notice}]`)].join("\n"));
        }
        const limited = found.matches >= limit;
        return listingResult({
          lines: found.lines,
          ...(limited
            ? { limit: `${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern` }
            : {}),
          notices: [
            ...(found.linesTruncated
              ? [`Some lines truncated to ${GREP_MAX_LINE_LENGTH} chars. Use read tool to see full lines`]
              : []),
            ...notices,
          ],
          details: {
            ...(limited ? { matchLimitReached: limit } : {}),
            ...(found.linesTruncated ? { linesTruncated: true } : {}),
          },
        });
      }),
  };
}

function isErrno(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown;
}

async function* oneFile(file: NamedFile): AsyncGenerator<NamedFile> {
  yield file;
}

/** Makes the filter that finds files without a match; undefined if the pattern cannot be translated to bytes. */
function contentFilter(
  expression: RegExp,
  { processes, cwd, signal }: Pick<GrepToolOptions, "processes"> & { cwd: string; signal: AbortSignal | undefined },
): ContentFilter | undefined {
  const pattern = bytePattern(expression);
  if (pattern === undefined) return undefined;
  const own = createByteSearch(pattern, signal);
  return processes ? createRipgrep(pattern, { processes, cwd, signal, otherwise: own }) : own;
}

async function* filesBelow(
  top: string,
  options: {
    cwd: string;
    signal: AbortSignal | undefined;
    glob: string | undefined;
    unread: string[];
    leftOut: LeftOut;
  },
): AsyncGenerator<readonly NamedFile[]> {
  const { cwd, signal, unread } = options;
  const { skip, wants } = globFilter(options.glob, toPosix(relative(cwd, top)));
  const denied = options.leftOut.below(top);
  const skips = (entry: WalkEntry): boolean =>
    skip?.(entry) === true ||
    ((entry.kind === "folder" || wants(entry)) && denied?.(entry.path, entry.kind === "folder") === true);
  const onUnreadable = (path: string) => unread.push(path);
  for await (const block of walkBlocks(top, { cwd, signal, onUnreadable, ...((skip ?? denied) && { skip: skips }) })) {
    yield block.flatMap((entry) => {
      const { path, relative: name, kind, folder } = entry;
      return kind === "file" && wants(entry) ? [{ path, name, forced: false, folder }] : [];
    });
  }
}

/** Makes the filter for a glob, which may be relative to the searched or to the working folder. `!` excludes files. */
function globFilter(
  glob: string | undefined,
  way: string,
): { readonly skip?: (entry: WalkEntry) => boolean; wants(entry: WalkEntry): boolean } {
  if (!glob) return { wants: () => true };
  const isNegated = glob.startsWith("!");
  const foldersOnly = isNegated && glob.endsWith("/");
  const matches = globMatcher(glob.replace(/^!/, "").replace(/^\//, "").replace(/\/$/, ""), { limited: true });
  const hits = ({ relative: name }: WalkEntry) => matches(name) || (way !== "" && matches(posix.join(way, name)));
  if (!isNegated) return { wants: hits };
  return { skip: (entry: WalkEntry) => !(foldersOnly && entry.kind !== "folder") && hits(entry), wants: () => true };
}
