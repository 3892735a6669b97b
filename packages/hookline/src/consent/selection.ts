import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Position } from "@hookline/ground";
import type { Review } from "@hookline/runtime/session";

/**
 * Returns a function that reports whether the command line names the position of a definition: by a file, a folder,
 * `FILE:LINE` or `FILE#POINTER`. Without words on the command line, every position is selected.
 */
export function selector(words: readonly string[], cwd: string): (one: Position) => boolean {
  const wanted = words.map((word) => {
    const [, file = word, line, pointer] = /^(.*?)(?::(\d+)|#(\/.*))$/s.exec(word) ?? [];
    const isFile = existsSync(resolve(cwd, word));
    const path = resolve(cwd, isFile ? word : file);
    return { path: existsSync(path) ? realpathSync.native(path) : path, ...(!isFile && { line, pointer }) };
  });
  return ({ path, line, pointer }) =>
    wanted.length === 0 ||
    wanted.some(
      (one) =>
        (path === one.path &&
          (one.line === undefined || Number(one.line) === line) &&
          (one.pointer === undefined || one.pointer === pointer)) ||
        path.startsWith(one.path + sep),
    );
}

/** Returns the position of a definition under review, with links resolved. */
export function placeOfReview({ print, candidate }: Review): Position {
  const { line, pointer } = candidate.source;
  return { path: print.path, line, pointer };
}
