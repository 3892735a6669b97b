import { dirname, extname, join } from "node:path";
import type { Files, Scan } from "@hookline/runtime/dialect";

/** A module's source as one load finds it. */
export interface ModuleText {
  readonly text: string;
  readonly imports: Imports;
}

/**
 * Cached per load for one turn of the event loop: finding a module, choosing its dialect and loading it need the same
 * text.
 */
let turn: WeakMap<Scan, Map<string, ModuleText | undefined>> | undefined;

/** The text of a file; `undefined` if it cannot be read. Read once per load and turn. */
export function moduleText(scan: Scan, path: string): ModuleText | undefined {
  const texts = turnOf(scan);
  const known = texts.get(path);
  if (known !== undefined || texts.has(path)) return known;
  const bytes = scan.files.read(path);
  const made = bytes === undefined ? undefined : readText(bytes);
  texts.set(path, made);
  return made;
}

/** A source as text, with what it imports. */
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

/** A module's imports, as its text names them. */
export interface Imports {
  /** Specifiers of `import`, `export … from`, `import()`, `require()`; type imports count. In order, each once. */
  readonly code: readonly string[];
  /** Specifiers of `import("…")` in comments, as JSDoc types are written. */
  readonly comments: readonly string[];
}

/** Comments, strings and templates: tokens that must be skipped to find a specifier, or are one. */
const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const before = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*$/;
const typed = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/**
 * Reads the specifiers that a source text imports, without parsing it.
 * A regular expression that holds quotes may hide what follows it on its line; nothing else does.
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
