import { basename, extname } from "node:path";

/** What a file is written in, as far as it decides how names and starts are read. `binary`: a compiled program. */
export type Language = "shell" | "javascript" | "python" | "make" | "other" | "unknown" | "binary";

const BY_ENDING: Readonly<Record<string, Language>> = {
  ...Object.fromEntries(
    [".sh", ".bash", ".zsh", ".ksh", ".dash", ".bats", ".envrc"].map((ending) => [ending, "shell"]),
  ),
  ...Object.fromEntries(
    [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].map((ending) => [ending, "javascript"]),
  ),
  ...Object.fromEntries([".py", ".pyw", ".pyi"].map((ending) => [ending, "python"])),
  ...Object.fromEntries([".mk", ".make"].map((ending) => [ending, "make"])),
  ...Object.fromEntries(
    [".rb", ".pl", ".pm", ".php", ".lua", ".awk", ".sed", ".jq", ".r", ".tcl", ".ps1", ".fish", ".go", ".rs"].map(
      (ending) => [ending, "other"],
    ),
  ),
};

/** Endings of files that hold data, which acts only where something starts or sources it by name. */
const DATA: ReadonlySet<string> = new Set(
  [
    "md markdown mdx rst txt text adoc json jsonc json5 jsonl yaml yml toml ini cfg conf properties csv tsv xml html htm",
  ]
    .concat(
      "css scss less svg png jpg jpeg gif webp ico pdf woff woff2 ttf lock log sql diff patch snap map gz zip tar",
    )
    .flatMap((names) => names.split(" ").map((name) => `.${name}`)),
);
const DATA_NAMES = /^(?:readme|license|licence|copying|notice|changelog|authors|contributors|codeowners|version)$/i;

/** Whether a file only holds data by its name: its text is not searched for further names. */
export function isData(path: string): boolean {
  return DATA.has(extname(path).toLowerCase()) || DATA_NAMES.test(basename(path));
}

/** Whether a file's name says that it holds code. */
export function isCode(name: string): boolean {
  return Object.hasOwn(BY_ENDING, extname(name).toLowerCase()) || /\.(?:json|node|wasm|so|pyd|pyc)$/i.test(name);
}

/** The language of a file, by its first line, its name and its bytes. */
export function languageOf(path: string, text: string): Language {
  const [, program = ""] = /^#!\s*\S*?([^\s/]+)(?:\s|$)/.exec(text) ?? [];
  const interpreter = program === "env" ? (/^#!\s*\S+(?:\s+-\S+)*\s+(\S+)/.exec(text)?.[1] ?? "") : program;
  if (interpreter !== "") return languageOfProgram(interpreter) ?? "other";
  if (/^(?:\x7fELF|MZ|\xfe\xed\xfa|[\ufffd\xcf\xca])/.test(text) && text.includes("\0")) return "binary";
  if (/^(?:gnu)?makefile$/i.test(basename(path))) return "make";
  return BY_ENDING[extname(path).toLowerCase()] ?? BY_ENDING[basename(path).toLowerCase()] ?? "unknown";
}

/** The language that an interpreter reads, by the name of its program. */
export function languageOfProgram(program: string): Language | undefined {
  if (/^(?:ba|da|z|k|a|mk)?sh$/.test(program)) return "shell";
  if (/^python[\d.]*$|^pypy[\d.]*$/.test(program)) return "python";
  if (/^(?:node|nodejs|deno|bun|tsx|ts-node)$/.test(program)) return "javascript";
  if (/^(?:ruby|perl|php|lua|luajit|awk|gawk|mawk|nawk|sed|Rscript|tclsh|pwsh|fish|osascript)[\d.]*$/.test(program))
    return "other";
  return undefined;
}
