import { basename, extname } from "node:path";
import { LANGUAGES, type Language } from "./languages.ts";

/** Returns a file's text with a marker at its beginning, once for each language in which a program may read it. */
export function marked(file: string, text: string, programs: ReadonlySet<string>, mark: string): readonly string[] {
  const name = basename(file);
  if (name === "package.json") return packageMarked(text, mark);
  if (/^\.git\/(?:config|worktrees)/.test(file))
    return [`${text}\n[core]\n\tfsmonitor = "${LANGUAGES.sh.mark(mark)}"\n`];
  if (name === ".npmrc") return [`${text}\nscript-shell=${markerProgram(mark)}\n`];
  const texts = languagesOf(file, text, programs).map((language) => inFront(text, language, language.mark(mark)));
  // Node reads NODE_OPTIONS, so an `.env` file can make it load another file.
  return name.startsWith(".env") ? [...texts, `${text}\nNODE_OPTIONS=--require=${markerModule(mark)}\n`] : texts;
}

/** Returns a file's text with a marker before a line, once for each language in which a program may read it. */
export function markedBefore(
  { file, text, line }: { readonly file: string; readonly text: string; readonly line: number },
  programs: ReadonlySet<string>,
  mark: string,
): readonly string[] {
  const lines = text.split("\n");
  const blanks = /^\s*/.exec(lines[line - 1] ?? "")?.[0] ?? "";
  return languagesOf(file, text, programs).map((language) =>
    lines.toSpliced(line - 1, 0, blanks + language.mark(mark)).join("\n"),
  );
}

/** Returns the files beside the marker that a marked file may load, with their texts. */
export function helpers(mark: string): Readonly<Record<string, string>> {
  return {
    [markerModule(mark)]: LANGUAGES.cjs.mark(mark),
    [markerProgram(mark)]: `#!/bin/sh\n${LANGUAGES.sh.mark(mark)}\n`,
  };
}

const markerModule = (mark: string): string => `${mark}.cjs`;
const markerProgram = (mark: string): string => `${mark}.sh`;

function languagesOf(file: string, text: string, programs: ReadonlySet<string>): Language[] {
  const all: readonly Language[] = Object.values(LANGUAGES);
  const ran = (name: string): boolean => programs.has(name) || (name === "python3" && programs.has("python"));
  const [, first] = /^#!\s*(?:\S*\/)?(?:env\s+(?:-\S+\s+)*)?(\S+)/.exec(text) ?? [];
  const by = first === undefined ? [] : all.filter((one) => one.programs.includes(first.replace(/.*\//, "")));
  const known = by.length > 0 ? by : all.filter((one) => one.endings.includes(extname(file)));
  const others = all.filter((one) => one.programs.some(ran));
  const isMake = /^(?:GNU)?[Mm]akefile$/.test(basename(file));
  // Languages with the same marker need only one text.
  const found = isMake ? [LANGUAGES.make] : known.length > 0 ? known : others;
  return [...new Map(found.map((one) => [one.mark("m"), one])).values()];
}

/** Inserts a statement as early in a text as its language allows. */
function inFront(text: string, { name }: Language, statement: string): string {
  const lines = text.split("\n");
  const isKept = (line: string): boolean =>
    name === "python" ? /^(?:#|from __future__|\s*$)/.test(line) : /^#!/.test(line);
  const last = name === "python" ? lastKept(lines, isKept) : isKept(lines[0] ?? "") ? 1 : 0;
  return [...lines.slice(0, last), statement, ...lines.slice(last)].join("\n");
}

/** Returns the number of lines up to the last `__future__` import, or the first line if it names the program. */
function lastKept(lines: readonly string[], isKept: (line: string) => boolean): number {
  const future = lines.findLastIndex((line) => line.startsWith("from __future__"));
  return future >= 0 ? future + 1 : lines.findIndex((line, at) => at > 1 || !isKept(line) || line.trim() === "");
}

/** Name of the marker in a package's folder, since Node resolves a package's maps only inside the package. */
export const MARKER_IN_PACKAGE = "marker-of-the-oracle.cjs";

/** Returns a `package.json` whose entry points, imports and scripts all lead to the marker. */
function packageMarked(text: string, mark: string): string[] {
  const given = read(text);
  if (given === undefined) return [];
  const each = (value: unknown, to: string): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.keys(value).map((name) => [name, to]))
      : value && to;
  const to = `./${MARKER_IN_PACKAGE}`;
  const { main, exports, imports, scripts } = given;
  return [
    JSON.stringify({
      ...given,
      ...(main !== undefined && { main: to }),
      ...(exports !== undefined && { exports: each(exports, to) }),
      ...(imports !== undefined && { imports: each(imports, to) }),
      ...(scripts !== undefined && { scripts: each(scripts, LANGUAGES.sh.mark(mark)) }),
    }),
  ];
}

function read(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
