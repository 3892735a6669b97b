import { dirname, extname, join } from "node:path";
import type { Files } from "../../port/files.ts";
import type { Scan } from "../dialect.ts";
import { moduleText } from "./module-text.ts";

const endings = ["", ".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
/** TypeScript sources are imported by the name that they will have as JavaScript. */
const written: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".jsx": ".tsx" };
const most = 512;

/**
 * The files whose bytes decide what a module does, entry first: itself and what it reaches by relative imports.
 * Read from the text alone, nothing is run; installed packages are not followed.
 */
export function moduleFiles(scan: Scan, entry: string): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    if (found.size >= most || extname(path) === ".json") continue;
    for (const specifier of moduleText(scan, path)?.imports.code ?? []) {
      if (!/^\.{1,2}(\/|$)/.test(specifier)) continue;
      const target = resolved(scan.files, join(dirname(path), specifier));
      if (target !== undefined) found.add(target);
    }
  }
  return [...found];
}

function resolved(files: Files, path: string): string | undefined {
  const source = written[extname(path)];
  const stems = source === undefined ? [path] : [path, path.slice(0, -extname(path).length) + source];
  for (const stem of stems) {
    for (const ending of endings) if (files.stat(stem + ending)?.kind === "file") return stem + ending;
  }
  return undefined;
}
