import { dirname, extname, resolve, sep } from "node:path";
import type { Files } from "../port/files.ts";

const MOST_FILES = 64;
const MOST_BYTES = 256 * 1024;
/** Files of modules, whose imports are followed elsewhere, and files that only define hooks. */
const READ_ELSEWHERE = /\.(?:[cm]?[tj]sx?|json|ya?ml)$/;
const PROGRAM = new Set([
  ".sh",
  ".bash",
  ".zsh",
  ".py",
  ".rb",
  ".pl",
  ".php",
  ".lua",
  ".awk",
  ".sed",
  ".jq",
  ".js",
  ".mjs",
  ".cjs",
  ".ts",
  ".mts",
]);
const PATH = /[\w.@+~-]+(?:\/[\w.@+~-]+)*/g;

/**
 * Programs that scripts name, beyond the scripts themselves: what they source or start, as far as their text shows it,
 * beside them or below `cwd`. A script that builds a name at run time hides what it starts.
 */
export function namedPrograms(scripts: readonly string[], cwd: string, files: Files): string[] {
  const found = new Set<string>();
  const queue = scripts.filter((path) => !READ_ELSEWHERE.test(path));
  const seen = new Set(queue);
  for (const script of queue) {
    const text = textOf(script, files);
    if (text === undefined) continue;
    for (const [word] of text.matchAll(PATH)) {
      for (const base of [dirname(script), cwd]) {
        const path = resolve(base, word);
        if (seen.has(path) || !path.startsWith(base + sep) || !isProgram(path, files)) continue;
        seen.add(path);
        found.add(path);
        if (found.size >= MOST_FILES) return [...found];
        queue.push(path);
      }
    }
  }
  return [...found];
}

function isProgram(path: string, files: Files): boolean {
  const stat = files.stat(path);
  return stat?.kind === "file" && (PROGRAM.has(extname(path)) || (stat.mode & 0o111) !== 0);
}

/** The text of a script; nothing for what is no text, or too long to be one. */
function textOf(path: string, files: Files): string | undefined {
  const stat = files.stat(path);
  if (stat?.kind !== "file" || stat.size > MOST_BYTES) return undefined;
  const text = new TextDecoder().decode(files.read(path) ?? new Uint8Array());
  return text.includes("\0") ? undefined : text;
}
