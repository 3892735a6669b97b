import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Review } from "@hookline/runtime/internal";

/** A test for what the words of a command line name: files, folders, or `FILE:LINE`; without words, everything. */
export function selector(
  words: readonly string[],
  cwd: string,
): (one: { readonly path: string; readonly line?: number | undefined }) => boolean {
  const wanted = words.map((word) => {
    const [, file = word, line] = /^(.*):(\d+)$/s.exec(word) ?? [];
    const path = resolve(cwd, existsSync(resolve(cwd, word)) ? word : file);
    return {
      path: existsSync(path) ? realpathSync.native(path) : path,
      line: path.endsWith(`:${line}`) ? undefined : line,
    };
  });
  return ({ path, line }) =>
    wanted.length === 0 ||
    wanted.some(
      (one) =>
        (path === one.path && (one.line === undefined || Number(one.line) === line)) || path.startsWith(one.path + sep),
    );
}

/** The position of a definition under review, with links resolved. */
export function placeOfReview({ print, candidate }: Review): { path: string; line?: number | undefined } {
  return { path: print.path, line: candidate.source.line };
}

/** `path:line`, or the path alone. */
export function where({ path, line }: { readonly path: string; readonly line?: number | undefined }): string {
  return line === undefined ? path : `${path}:${line}`;
}
