import type { Language } from "./language.ts";

/** The modules that a text imports, by the names that it gives them. */
export interface Imports {
  /** Paths without the endings that the language adds. */
  readonly stems: readonly string[];
  /** Packages that are imported by name. */
  readonly packages: readonly string[];
}

const QUOTED = /(["'`])((?:\.{1,2}|#|@|~)?\/?[^"'`\n]*)\1/g;
const JS_LEAD =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bresolve\s*\(|\bfork\s*\(|\bWorker\s*\(|\bURL\s*\()(?:\s|\/\*[\s\S]*?\*\/)*$/;
const PY_FROM = /\bfrom\s+(\.*)[ \t]*([\w.]*)\s+import[ \t]*(?:\(([^)]*)\)|((?:[\w., \t*]|\\\r?\n)+))/g;
const PY_IMPORT = /(?:^|[\n;:'"])[ \t]*import[ \t]+((?:[\w., \t]|\\\r?\n)+)/g;
const PY_CALL = /\b(?:import_module|__import__|run_module|find_spec|resource_filename)\s*\(\s*["']([\w.]+)["']/g;
const MODULE_OPTION = /(?:^|[\s"',[])-m["',\s]*([\w.]+)/g;
const OTHER =
  /\b(?:require_relative|require_once|include_once|require|include|load|autoload|dofile|loadfile|use|do|using|mod)\b[\s(]*["']?([\w.:/\\-]+)/g;

/** Reads imports from a text alone. What a language cannot be told is read as all of them. */
export function importsIn(text: string, language: Language): Imports {
  const stems = new Set<string>();
  const packages = new Set<string>();
  const isAny = language === "unknown" || language === "other" || language === "shell" || language === "make";
  if (language === "javascript" || isAny) javascript(text, stems, packages);
  if (language === "python" || isAny) python(text, stems);
  if (language === "other" || language === "unknown")
    for (const [, name = ""] of text.matchAll(OTHER)) {
      stems.add(name.replaceAll(/::|\\/g, "/"));
      if (!name.includes("/")) stems.add(name.replaceAll(/::|\./g, "/"));
    }
  for (const [, name = ""] of text.matchAll(MODULE_OPTION)) stems.add(name.replaceAll(".", "/"));
  return { stems: [...stems], packages: [...packages] };
}

function javascript(text: string, stems: Set<string>, packages: Set<string>): void {
  if (!/\b(?:import|require|from|fork|Worker|URL)\b/.test(text)) return;
  for (const found of text.matchAll(QUOTED)) {
    const specifier = (found[2] as string).replace(/[?#].*$/, (rest) => (found[2]?.startsWith("#") ? rest : ""));
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) stems.add(specifier);
    else if (JS_LEAD.test(text.slice(Math.max(0, found.index - 60), found.index))) {
      if (/^[#~]|^@\//.test(specifier)) stems.add(specifier);
      else if (!/^(?:node:|[a-z]+:\/\/)/.test(specifier)) packages.add(specifier);
    }
  }
}

function python(text: string, stems: Set<string>): void {
  for (const [, dots = "", module = "", listedNames = "", names = listedNames] of text.matchAll(PY_FROM)) {
    const up = dots === "" ? "" : dots.length === 1 ? "./" : "../".repeat(dots.length - 1);
    const base = up + module.replaceAll(".", "/");
    stems.add(base);
    for (const name of listed(names)) stems.add(base === "" || base.endsWith("/") ? base + name : `${base}/${name}`);
  }
  for (const [, names = ""] of text.matchAll(PY_IMPORT))
    for (const name of listed(names)) stems.add(name.replaceAll(".", "/"));
  for (const [, name = ""] of text.matchAll(PY_CALL)) stems.add(name.replaceAll(".", "/"));
}

/** The names of a list such as `a.b as c, d`. */
function listed(names: string): string[] {
  return names
    .split(",")
    .map(
      (one) =>
        one
          .replaceAll("\\", " ")
          .replaceAll(/#[^\n]*/g, "")
          .trim()
          .split(/\s+/)[0] ?? "",
    )
    .filter((one) => /^[\w.]+$/.test(one));
}
