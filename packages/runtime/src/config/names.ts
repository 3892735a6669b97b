import { posix } from "node:path";
import { unbraced } from "../command/braces.ts";
import { importsIn } from "./imports.ts";
import type { Language } from "./language.ts";

/** One name in a text: the path of a file or folder, or of a module without its ending. */
export interface Name {
  /** Normalized; it begins with `../` or `/` if it leads outwards. */
  readonly path: string;
  /** A module's name: the language finds its ending, or the file in a folder of this name. */
  readonly isStem: boolean;
}

/** Everything in a text that may be a file name, whatever its language does with it (decision 57). */
export interface Names {
  /** Names that begin with neither `../` nor `/`, by their first part, folded. */
  readonly inward: ReadonlyMap<string, readonly Name[]>;
  readonly outward: readonly Name[];
  readonly patterns: ReadonlySet<string>;
  /** Packages imported by name. */
  readonly packages: ReadonlySet<string>;
  /** Paths of files that the text visibly starts or sources. */
  readonly started: ReadonlySet<string>;
  /** Paths that the text writes by redirection: a hook's own log is not part of the hook. */
  readonly written: ReadonlySet<string>;
  /** The paths of all names. */
  readonly all: ReadonlySet<string>;
}

/** Longer texts, in characters, are no paths on any file system. */
const LONGEST = 4096;

/**
 * Runs without white space, quotes and shell operators; the second kind also ends at characters that often join two
 * names.
 */
const WIDE = /[^ \t\r\n\0"'`\\;|&()<>]+/g;
const NARROW = /[^ \t\r\n\0"'`\\;|&()<>$={},:*?![\]#^]+/g;

/** A word as a shell joins it from quoted and unquoted parts. */
const WORD = /(?:[^ \t\r\n\0"'\\;|&()<>]|\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'[^']*')+/g;

const WRITTEN = />{1,2}\s*["']?(?:\$\{?PWD\}?\/)?([^\s"'`;|&()<>$]+)/g;

const STARTED =
  /(?:^|[\s"'`;|&({/])(?:(?:ba|da|z|k|a)?sh|python[\d.]*|node|nodejs|deno(?:\s+run)?|bun(?:\s+run)?|tsx|ts-node|ruby|perl|php|luajit|lua|Rscript|source|\.)[\s,"'[]+(?:-[^\s,"']+[\s,"']+)*([^\s,"'`;|&()<>]+)/g;

/** Finds the names in a text: as written, without quotes and escapes, and with variables expanded. */
export function namesOf(text: string, language: Language): Names {
  const names = new Collected();
  const variables = variablesIn(text);
  for (const variant of variantsOf(text)) {
    for (const { 0: run, index } of variant.matchAll(NARROW)) {
      // What follows a protocol is not a path, except after `file:`.
      const isAddress = run.startsWith("//") && /(?<!file):$/.test(variant.slice(Math.max(0, index - 5), index));
      if (!isAddress) names.path(run);
    }
    for (const [run] of variant.matchAll(WIDE)) {
      if (!run.includes("://")) names.path(run);
      for (const filled of filledIn(run, variables)) names.path(filled);
    }
    for (const [, operand = ""] of variant.matchAll(STARTED)) {
      for (const path of [operand, ...filledIn(operand, variables)]) names.start(path);
    }
  }
  if (language === "shell" || language === "unknown" || language === "make") {
    for (const { value, isPattern } of wordsOf(text)) {
      const all = /[$]/.test(value) ? filledIn(value, variables) : [value];
      for (const one of all) {
        if (isPattern) for (const pattern of unbraced(one) ?? []) names.pattern(pattern);
        else names.path(one);
      }
    }
  }
  for (const [, target = ""] of text.matchAll(WRITTEN)) names.written.add(normalized(target));
  const imports = importsIn(text, language);
  for (const stem of imports.stems) names.stem(stem);
  for (const name of imports.packages) names.packages.add(name);
  for (const file of runnersIn(text)) names.start(file);
  return names;
}

const filledIn = (run: string, variables: Variables): readonly string[] =>
  /[$#{]/.test(run) ? fill(run, variables) : [];

/** The text as written, and without what a language may put between the letters of a name. */
function variantsOf(text: string): Iterable<string> {
  const decoded = text
    .replaceAll("\0", "")
    .replaceAll(/\\\r?\n/g, "")
    .replaceAll(
      /\\x([\da-f]{2})|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}/gi,
      (whole, x?: string, u?: string, long?: string) => characterOf(whole, Number.parseInt(x ?? u ?? long ?? "", 16)),
    )
    .replaceAll(/\\([0-3]?[0-7]{2})/g, (whole, octal: string) => characterOf(whole, Number.parseInt(octal, 8)));
  // Concatenated strings: "tools/" + "g.sh", "tools/" . "g.sh", "tools/" "g.sh".
  const joined = decoded.replaceAll(/(["'`])\s*(?:\+|\.{1,2})?\s*\1/g, "");
  return new Set([text, ...[decoded, joined].map((one) => one.replaceAll(/["'\\]/g, ""))]);
}

function characterOf(whole: string, code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** The words of a shell text without their quotes. A pattern for comparing texts stands for no files. */
function* wordsOf(text: string): Generator<{ readonly value: string; readonly isPattern: boolean }> {
  for (const { 0: whole, index } of text.matchAll(WORD)) {
    let unquoted = "";
    const value = whole.replaceAll(
      /\\\r?\n|\\([\s\S])|"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|([^"'\\]+)/g,
      (_, escaped?: string, double?: string, single?: string, bare?: string) => {
        unquoted += bare ?? "";
        return escaped ?? double?.replaceAll(/\\([\s\S])/g, "$1") ?? single ?? bare ?? "";
      },
    );
    const before = text.slice(Math.max(0, index - 40), index);
    const after = text.slice(index + whole.length, index + whole.length + 8);
    const isCompared = /(?:[=!]=?|=~)\s*$/.test(before);
    const isCase = /^\s*[)|]/.test(after) && /(?:\bin|;;&?|;&|[|(\n])\s*$/.test(before);
    const isPattern = /[*?]|\[[^\]]+\]|\{[^}]*(?:,|\.\.)/.test(unquoted.replaceAll(/\$\{[^}]*\}/g, ""));
    if (!isPattern || !(isCompared || isCase)) yield { value, isPattern };
    // A quoted text that another shell reads.
    if (value !== whole && /(?:\s-\w*[cS]|\beval|\btrap|\bexec)\s*$/.test(before)) yield* wordsOf(value);
  }
}

class Collected implements Names {
  readonly inward = new Map<string, Name[]>();
  readonly outward: Name[] = [];
  readonly patterns = new Set<string>();
  readonly packages = new Set<string>();
  readonly started = new Set<string>();
  readonly written = new Set<string>();
  readonly all = new Set<string>();
  readonly #stems = new Set<string>();

  path(written: string): void {
    if (written.length > LONGEST) return;
    // `-Ctools`, `${x:-tools}`, `@tools`, and the end of a sentence.
    for (const mark of [/^$/, /[.,:!?]+$/, /^[-+@]+/, /^-\w/]) this.#add(written.replace(mark, ""));
  }

  start(written: string): void {
    this.path(written);
    this.stem(written);
    for (
      let path = normalized(written);
      path !== "";
      path = path.includes("/") ? path.slice(path.indexOf("/") + 1) : ""
    )
      this.started.add(path);
  }

  pattern(written: string): void {
    const path = normalized(written);
    if (!/[*?]|\[[^\]]+\]/.test(path)) this.path(path);
    // A single star names everything, and so nothing.
    else if (/[^*?/.]/.test(path)) this.patterns.add(path);
  }

  stem(written: string): void {
    for (const path of [normalized(written), normalized(written.replace(/\.(?:[cm]?js|jsx)$/, ""))]) {
      if (this.#stems.has(path) || path === "" || path.length > LONGEST) continue;
      this.#stems.add(path);
      this.#enter({ path, isStem: true });
      const rest = path.replace(/^[#~@]\/?/, "").replace(/^[^/]*\//, "");
      if (rest !== path && !path.startsWith("..")) this.stem(rest);
    }
  }

  #add(written: string): void {
    const whole = normalized(written);
    for (let path = whole; path !== "" && !this.all.has(path); ) {
      this.all.add(path);
      this.#enter({ path, isStem: false });
      const slash = path.indexOf("/");
      path = slash < 0 ? "" : path.slice(slash + 1);
    }
  }

  #enter(name: Name): void {
    if (/^(?:\/|\.\.(?:\/|$))/.test(name.path)) {
      this.outward.push(name);
      return;
    }
    const first = folded(name.path.split("/", 1)[0] as string);
    const known = this.inward.get(first);
    if (known === undefined) this.inward.set(first, [name]);
    else known.push(name);
  }
}

/** A name as file systems compare it that ignore case and Unicode composition. */
export function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A path without `.`, doubled and trailing slashes; empty for the folder itself. */
export function normalized(path: string): string {
  const short = posix.normalize(path).replace(/\/$/, "");
  return short === "." ? "" : short;
}

/** The files that a program reads by itself in its working folder. */
const DEFAULT_FILES: readonly (readonly [programs: RegExp, files: readonly string[]])[] = [
  [/^g?make$/, ["GNUmakefile", "makefile", "Makefile"]],
  [/^(?:npm|pnpm|yarn|bun|npx|pnpx|bunx)$/, ["package.json"]],
  [/^deno$/, ["deno.json", "deno.jsonc"]],
  [/^just$/, ["justfile", "Justfile", ".justfile"]],
  [/^(?:go-)?task$/, ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]],
  [/^mise$/, ["mise.toml", ".mise.toml"]],
  [/^rake$/, ["Rakefile", "rakefile", "Rakefile.rb"]],
  [/^cargo$/, ["Cargo.toml", "build.rs"]],
  [/^(?:gradle|gradlew)$/, ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]],
  [/^(?:mvn|mvnw)$/, ["pom.xml"]],
  [/^ant$/, ["build.xml"]],
  [/^(?:tox|nox)$/, ["tox.ini", "noxfile.py"]],
  [/^(?:inv|invoke)$/, ["tasks.py"]],
  [/^pytest$/, ["conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"]],
  [/^pre-commit$/, [".pre-commit-config.yaml"]],
  [/^lefthook$/, ["lefthook.yml", ".lefthook.yml"]],
  [/^(?:cmake|ctest)$/, ["CMakeLists.txt"]],
  [/^ninja$/, ["build.ninja"]],
  [/^(?:bazel|bazelisk)$/, ["BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel"]],
  [/^docker(?:-compose)?$/, ["Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"]],
  [/^direnv$/, [".envrc"]],
  [/^(?:eslint|prettier|jest|vitest|mocha|tsc|webpack|vite|rollup|gulp|grunt|turbo|nx)$/, ["package.json"]],
  [/^(?:bundle|bundler)$/, ["Gemfile"]],
  [/^composer$/, ["composer.json"]],
  [/^go$/, ["go.mod"]],
];

/** The files that a program reads by itself; none if it is not a task runner. */
function defaultFiles(program: string): readonly string[] | undefined {
  return DEFAULT_FILES.find(([programs]) => programs.test(program))?.[1];
}

/** The default files of every task runner that a text names. */
function runnersIn(text: string): string[] {
  const words = new Set(text.match(/[\w-]+/g));
  return [...words].flatMap((word) => defaultFiles(word) ?? []);
}

/** The possible values of a text's variables, as far as it states them literally. */
type Variables = ReadonlyMap<string, readonly string[]>;

/** Variables for a folder in which names are tried anyway. */
const FOLDERS = ["PWD", "JCLI_CWD", "JCLI_HOOK_DIR", "CLAUDE_PROJECT_DIR"];

const MOST_WAYS = 64;
const ASSIGNED =
  /(?:^|[\s;&|({,])[$@]?([A-Za-z_]\w*)\s*:?=\s*((?:[^\s"'`;|&()<>\\]|\\[\s\S]|"(?:\\[\s\S]|[^"\\\n])*"|'[^'\n]*')+)/g;
const LISTED = /\bfor\s+([A-Za-z_]\w*)\s+in\s+([^;\n]+)/g;
const REFERENCE = /\$\{(\w+)\}|\$(\w+)|#\{(\w+)\}|\{(\w+)\}/;

/** Reads the assignments in a text. */
function variablesIn(text: string): Variables {
  const found = new Map<string, string[]>(FOLDERS.map((name) => [name, ["."]]));
  const add = (name: string, value: string): void => {
    const known = found.get(name);
    if (known === undefined) found.set(name, [value]);
    else if (!known.includes(value)) known.push(value);
  };
  if (!text.includes("=") && !text.includes("for")) return found;
  for (const [, name = "", value = ""] of text.matchAll(ASSIGNED)) add(name, value.replaceAll(/["'\\]/g, ""));
  for (const [, name = "", list = ""] of text.matchAll(LISTED))
    for (const value of list.split(/\s+/)) add(name, value.replaceAll(/["'\\]/g, ""));
  return found;
}

/** All expansions of a piece of text; none if a variable is unknown or there are too many. */
function fill(piece: string, variables: Variables): readonly string[] {
  let open = [piece];
  for (let round = 0; round < 8 && open.some((one) => REFERENCE.test(one)); round++) {
    open = open.flatMap((one) => {
      const [whole, ...names] = REFERENCE.exec(one) ?? [];
      const values = variables.get(names.find((name) => name !== undefined) ?? "");
      if (whole === undefined) return [one];
      return values?.map((value) => one.replace(whole, () => value)) ?? [];
    });
    if (open.length > MOST_WAYS) return [];
  }
  return open.filter((one) => !REFERENCE.test(one));
}
