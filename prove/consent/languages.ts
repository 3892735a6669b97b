import { spawnSync } from "node:child_process";

/** A language in which hooks are written. */
export interface Language {
  readonly name: string;
  /** Extensions of the language's files; a file without one names its program in the first line. */
  readonly endings: readonly string[];
  /** Programs that run the language, the usual one first. */
  readonly programs: readonly string[];
  /** A statement for a file, in addition to those that load others. */
  readonly body: string;
  /** Returns a statement that writes an empty file and ends the hook; it can be put before any text. */
  mark(path: string): string;
}

const quoted = (text: string): string => JSON.stringify(text);
const written = (path: string): string =>
  `process.getBuiltinModule("node:fs").writeFileSync(${quoted(path)}, ""); process.kill(0, 9);`;

const shell = (name: string, programs: readonly string[]): Language => ({
  name,
  endings: [".sh", ".bash"],
  programs,
  body: "true",
  mark: (path) => `: > '${path}'; kill -9 0`,
});

const javaScript = (name: string, endings: readonly string[], body: string): Language => ({
  name,
  endings,
  programs: ["node"],
  body,
  mark: written,
});

/** The languages of the experiment. */
export const LANGUAGES = {
  sh: shell("sh", ["sh", "dash", "bash"]),
  bash: shell("bash", ["bash"]),
  cjs: javaScript("cjs", [".cjs", ".js"], "module.exports = { x: 1 };"),
  mjs: javaScript("mjs", [".mjs"], "export const x = 1;"),
  ts: javaScript("ts", [".ts", ".mts"], "export const x: number = 1;"),
  python: {
    name: "python",
    endings: [".py"],
    programs: ["python3"],
    body: "x = 1",
    mark: (path) => `open(${quoted(path)}, "w").close(); __import__("os").kill(0, 9)`,
  },
  perl: {
    name: "perl",
    endings: [".pl", ".pm"],
    programs: ["perl"],
    body: "1;",
    mark: (path) => `BEGIN { open(my $mark, ">", ${quoted(path)}); kill 9, 0 }`,
  },
  ruby: {
    name: "ruby",
    endings: [".rb"],
    programs: ["ruby"],
    body: "X = 1",
    mark: (path) => `File.write(${quoted(path)}, ""); Process.kill(9, 0)`,
  },
  awk: {
    name: "awk",
    endings: [".awk"],
    programs: ["awk", "mawk", "gawk"],
    body: "{ n++ }",
    mark: (path) => `BEGIN { printf "" > ${quoted(path)} }`,
  },
  sed: { name: "sed", endings: [".sed"], programs: ["sed"], body: "s/a/b/", mark: (path) => `1w ${path}` },
  make: {
    name: "make",
    endings: [".mk"],
    programs: ["make"],
    body: "",
    mark: (path) => `marked := $(shell : > '${path}')`,
  },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof LANGUAGES;

/** Returns the languages for which a program is installed on this machine. */
export function installed(path: string): ReadonlySet<LanguageName> {
  const all = Object.entries(LANGUAGES) as [LanguageName, Language][];
  const isThere = ({ programs: [program = ""] }: Language): boolean =>
    spawnSync("sh", ["-c", `command -v ${program}`], { env: { PATH: path }, stdio: "ignore" }).status === 0;
  return new Set(all.filter(([, language]) => isThere(language)).map(([name]) => name));
}
