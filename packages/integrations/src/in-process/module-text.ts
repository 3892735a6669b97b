import { dirname, extname, join } from "node:path";
import type { Files, Scan } from "@hookline/runtime/dialect";

/** The source text of a module and what it imports. */
export interface ModuleText {
  readonly text: string;
  readonly imports: Imports;
}

/**
 * Source texts that were read in this turn of the event loop, in one map for each search for hooks. Finding a module,
 * choosing its dialect and loading it all need the same text.
 */
let turn: WeakMap<Scan, Map<string, ModuleText | undefined>> | undefined;

/**
 * Returns the source of a file; `undefined` if it cannot be read. In one turn of the event loop, a search for hooks
 * reads each file once.
 */
export function moduleText(scan: Scan, path: string): ModuleText | undefined {
  const texts = turnOf(scan);
  const known = texts.get(path);
  if (known !== undefined || texts.has(path)) return known;
  const bytes = scan.files.read(path);
  const made = bytes === undefined ? undefined : readText(bytes);
  texts.set(path, made);
  return made;
}

/** Decodes a module's source. Its imports are searched on first access. */
export function readText(bytes: Uint8Array): ModuleText {
  const text = new TextDecoder().decode(bytes);
  let imports: Imports | undefined;
  return {
    text,
    get imports() {
      imports ??= importsOf(text);
      return imports;
    },
  };
}

function turnOf(scan: Scan): Map<string, ModuleText | undefined> {
  if (turn === undefined) {
    turn = new WeakMap();
    setImmediate(forget).unref();
  }
  const known = turn.get(scan);
  if (known !== undefined) return known;
  const texts = new Map<string, ModuleText | undefined>();
  turn.set(scan, texts);
  return texts;
}

function forget(): void {
  turn = undefined;
}

/** The imports of a module, found in its text. */
export interface Imports {
  /**
   * Specifiers of `import`, `export … from`, `import()` and `require()`, in order and each once. Type imports are
   * included.
   */
  readonly code: readonly string[];
  /** Specifiers of `import("…")` in comments, as in JSDoc types. */
  readonly comments: readonly string[];
}

/** Matches comments, strings and template literals, which are specifiers or must be skipped to find them. */
const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const before = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*$/;
const typed = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/**
 * Finds the specifiers that a source text imports, without parsing it. If a regular expression contains quotes, imports
 * after it on the same line may be missed; nothing else is.
 */
export function importsOf(source: string): Imports {
  const code = new Set<string>();
  const comments = new Set<string>();
  for (const found of source.matchAll(token)) {
    const [text] = found;
    if (text.startsWith("/")) {
      for (const [, specifier] of text.matchAll(typed)) comments.add(specifier as string);
      continue;
    }
    const lead = source.slice(Math.max(0, found.index - 24), found.index);
    if (before.test(lead) && !text.includes("${")) code.add(text.slice(1, -1));
  }
  return { code: [...code], comments: [...comments] };
}

const endings = ["", ".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
/** TypeScript imports a file by the name of its compiled output, so `./a.js` may mean `a.ts`. */
const written: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".jsx": ".tsx" };
const most = 512;

/**
 * Returns the files that determine what a module does: the entry first, then all files that it reaches by relative
 * imports. Only their text is read. Imports of installed packages are not followed.
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
