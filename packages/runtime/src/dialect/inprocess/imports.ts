/** A module's imports, as its text names them. */
export interface Imports {
  /** Of `import`, `export … from`, `import()`, `require()`; type imports count. In order, each once. */
  readonly code: readonly string[];
  /** Of `import("…")` in comments, as JSDoc types are written. */
  readonly comments: readonly string[];
}

/** Comments, strings and templates: what must be stepped over to find a specifier, or is one. */
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
