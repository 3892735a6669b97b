import { basename, extname } from "node:path";

/** The language of a file, which decides how the file is read. `binary` is a compiled program. */
export type Language = "shell" | "javascript" | "python" | "make" | "other" | "unknown" | "binary";

const ENDINGS: Readonly<Record<Exclude<Language, "unknown" | "binary">, string>> = {
  shell: "sh bash zsh ksh dash fish bats envrc",
  javascript: "js mjs cjs jsx ts mts cts tsx",
  python: "py pyw",
  make: "mk make",
  other: "rb pl pm php lua awk sed jq r tcl ps1 go rs",
};
const BY_ENDING: ReadonlyMap<string, Language> = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [`.${ending}`, language as Language] as const),
  ),
);

/** Returns whether a file's name shows that it contains code. */
export function isCode(name: string): boolean {
  return BY_ENDING.has(endingOf(name)) || /\.(?:node|wasm|so|pyd|pyc|jar)$/i.test(name);
}

/** Returns the language of a file, by its first line, its bytes and its name. */
export function languageOf(path: string, text: string): Language {
  const [, program = ""] = /^#!\s*\S*?([^\s/]+)(?:\s|$)/.exec(text) ?? [];
  const interpreter = program === "env" ? (/^#!\s*\S+(?:\s+(?:-\S+|\w+=\S*))*\s+(\S+)/.exec(text)?.[1] ?? "") : program;
  // Runners such as `uv run --script` do not identify the language.
  if (interpreter !== "") return languageOfProgram(basename(interpreter)) ?? BY_ENDING.get(endingOf(path)) ?? "other";
  if (/^(?:\x7fELF|MZ|\xfe\xed\xfa|[\ufffd\xcf\xca])/.test(text) && text.includes("\0")) return "binary";
  if (/^(?:gnu)?makefile$/i.test(basename(path))) return "make";
  return BY_ENDING.get(endingOf(path)) ?? "unknown";
}

function endingOf(path: string): string {
  return (extname(path) || basename(path)).toLowerCase();
}

/** Returns the language that an interpreter reads, by the program's name. */
function languageOfProgram(program: string): Language | undefined {
  if (/^(?:ba|da|z|k|a|mk|fi)?sh$/.test(program)) return "shell";
  if (/^python[\d.]*$|^pypy[\d.]*$/.test(program)) return "python";
  if (/^(?:node|nodejs|deno|bun|tsx|ts-node)$/.test(program)) return "javascript";
  return undefined;
}
