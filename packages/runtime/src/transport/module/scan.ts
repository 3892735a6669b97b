import type { Import } from "./unit.ts";

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const STATEMENT = new RegExp(
  String.raw`^(?:import (?:((?:[^"';{]|\{[^}]*\})*?) from )?|export \* from )(${STRING})(?: with \{[^}]*\})?;$`,
  "gm",
);
const REQUIRE = new RegExp(String.raw`\bhookline\$require\((${STRING})\)`, "g");
const DYNAMIC = new RegExp(String.raw`\bimport\((${STRING})`, "g");
const COMPUTED = new RegExp(String.raw`\bimport\((?!(?:${STRING})\s*[,)])`);
const EXPORTS = /^export \{([\s\S]*?)\};$/m;
const EXPORT_NAME = /\s*([^\s,]+)(?: as ("(?:[^"\\]|\\.)*"|[^\s,]+))?\s*(?:,|$)/g;

/** Returns the static imports of a file, in order. `flat` must be printed like `flatten` in `passes.ts` does. */
export function scanImports(flat: string): Import[] {
  const found: Import[] = [];
  for (const [, clause, literal] of flat.matchAll(STATEMENT)) {
    found.push({ specifier: unquote(literal ?? ""), names: namesOf(clause ?? "") });
  }
  return found;
}

/**
 * Returns the literal specifiers of `require` and `import()` calls, each once. Text in strings may add some that are
 * not calls.
 */
export function scanCalls(flat: string): { requires: string[]; dynamic: string[] } {
  return { requires: literals(flat, REQUIRE), dynamic: literals(flat, DYNAMIC) };
}

/** Returns whether the file may contain an `import()` whose argument is not one string literal. */
export function mayComputeImports(flat: string): boolean {
  return COMPUTED.test(flat);
}

/** Splits a flat module into import statements, the names it exports, and the rest, which keeps its line numbers. */
export function splitModule(flat: string): { header: string; exports: [name: string, local: string][]; body: string } {
  const header: string[] = [];
  const names: [string, string][] = [];
  const body = flat
    .replace(STATEMENT, (statement: string) => {
      header.push(statement.replaceAll("\n", " "));
      return blank(statement);
    })
    .replace(EXPORTS, (statement: string, list: string) => {
      for (const [, local = "", exported = local] of list.matchAll(EXPORT_NAME)) {
        names.push([exported.startsWith('"') ? unquote(exported) : exported, local]);
      }
      return blank(statement);
    });
  return { header: header.join(" "), exports: names, body };
}

function namesOf(clause: string): string[] {
  const names: string[] = [];
  const braces = /\{([^}]*)\}/.exec(clause);
  const outside = clause.replace(/\{[^}]*\}/, "").trim();
  if (outside !== "" && !outside.startsWith("*") && !outside.startsWith(",")) names.push("default");
  for (const part of braces?.[1]?.split(",") ?? []) {
    const name = part.trim().split(" as ")[0]?.trim() ?? "";
    if (name !== "") names.push(/^["']/.test(name) ? unquote(name) : name);
  }
  return names;
}

function literals(flat: string, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const [, literal] of flat.matchAll(pattern)) found.add(unquote(literal ?? ""));
  return [...found];
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, "");
}

function unquote(literal: string): string {
  const inner = literal.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  return inner.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|(.))/gi, (_, x, u, point, char: string) => {
    const code = x ?? u ?? point;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return ESCAPES[char] ?? char;
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", 0: "\0" };
