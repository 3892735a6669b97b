/** One file of a patch. */
export interface PatchedFile {
  readonly change: "add" | "update" | "delete";
  /** The path exactly as the patch spells it. */
  readonly path: string;
  /** The new path of the file, if the patch moves it. */
  readonly to?: string;
  /** The text of an added file; for an updated file, the new text of each changed place. */
  readonly content: string;
  readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
}

/** The files that a patch changes. `problem` says why some of the patch may be missing here. */
export interface PatchReading {
  readonly files: readonly PatchedFile[];
  readonly problem?: string;
}

/** The first line of a patch. */
export const PATCH_BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const FILE = /^\*\*\* (Add|Update|Delete) File:\s*(.*)$/;
const MOVE = /^\*\*\* Move to:\s*(.*)$/;
/** Matches marker lines that carry no change: the environment's id before the first file, and a file's end. */
const ASIDE = /^\*\*\* (?:Environment ID:.*|End of File)$/;

/** Returns whether a text contains a complete patch. */
export function hasPatch(text: string): boolean {
  return text.includes(PATCH_BEGIN) && text.includes(END);
}

/** Returns every path on a patch's file lines, even if the text as a whole cannot be read as a patch. */
export function patchPaths(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.+)$/gim)].map(([, path = ""]) =>
    path.trim(),
  );
}

/**
 * Reads a patch in the format that OpenAI's models write, alone or within a command. Text before its first line and
 * after its last one is ignored. Lines that begin with `***` may be indented, because agents accept that too.
 */
export function readPatch(text: string): PatchReading {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trimEnd().endsWith(PATCH_BEGIN));
  if (begin < 0) return { files: rest(text, []), problem: `it has no line "${PATCH_BEGIN}"` };
  const size = lines.slice(begin + 1).findIndex((line) => line.trim().startsWith(END));
  if (size < 0) return { files: rest(text, []), problem: `it has no line "${END}"` };
  const read = filesIn(lines.slice(begin + 1, begin + 1 + size));
  const files = rest(text, read.files);
  if (read.problem !== undefined) return { files, problem: read.problem };
  if (files.length > read.files.length) return { files, problem: "it names files outside of its first and last line" };
  return files.length === 0 ? { files, problem: "it changes no file" } : { files };
}

/** Returns the files whose changes could be read, and, without content, every further file that the patch names. */
function rest(text: string, files: readonly PatchedFile[]): readonly PatchedFile[] {
  const known = new Set(files.flatMap(({ path, to }) => [path, to]));
  const others = patchPaths(text).filter((path) => !known.has(path));
  return [...files, ...others.map((path) => ({ change: "update" as const, path, content: "", edits: [] }))];
}

interface Open {
  change: PatchedFile["change"];
  path: string;
  to?: string;
  readonly added: string[];
  readonly hunks: { readonly before: string[]; readonly after: string[] }[];
}

function filesIn(lines: readonly string[]): PatchReading {
  const open: Open[] = [];
  const done = (problem?: string): PatchReading => ({
    files: open.map(closed),
    ...(problem !== undefined && { problem }),
  });
  for (const line of lines) {
    const mark = line.trim();
    const file = open.at(-1);
    const [, change, path = ""] = FILE.exec(mark) ?? [];
    if (change !== undefined) {
      if (path === "") return done("a file in it has no name");
      open.push({ change: change.toLowerCase() as Open["change"], path, added: [], hunks: [] });
      continue;
    }
    if (ASIDE.test(mark)) continue;
    if (file === undefined) {
      if (mark !== "") return done(`its line "${mark.slice(0, 60)}" is in no file`);
      continue;
    }
    const to = MOVE.exec(mark)?.[1];
    if (to !== undefined && file.change === "update") file.to = to;
    else if (!take(file, line)) return done(`its line "${mark.slice(0, 60)}" is no line of a patch`);
  }
  return done();
}

/** Adds one line of a patch to its file; returns false if no patch can have such a line there. */
function take({ change, added, hunks }: Open, line: string): boolean {
  if (change === "add") {
    if (line.startsWith("+")) added.push(line.slice(1));
    return line.startsWith("+") || line.trim() === "";
  }
  if (change === "delete") return line.trim() === "";
  if (line.startsWith("@@")) {
    hunks.push({ before: [], after: [] });
    return true;
  }
  if (!/^(?:[-+ ]|$)/.test(line)) return false;
  let hunk = hunks.at(-1);
  if (hunk === undefined) {
    hunk = { before: [], after: [] };
    hunks.push(hunk);
  }
  if (!line.startsWith("+")) hunk.before.push(line.slice(1));
  if (!line.startsWith("-")) hunk.after.push(line.slice(1));
  return true;
}

function closed({ change, path, to, added, hunks }: Open): PatchedFile {
  const edits = hunks
    .filter(({ before, after }) => before.length + after.length > 0)
    .map(({ before, after }) => ({ oldText: before.join("\n"), newText: after.join("\n") }));
  const content =
    change === "add" ? added.map((line) => `${line}\n`).join("") : edits.map(({ newText }) => newText).join("\n");
  return { change, path, content, edits, ...(to !== undefined && { to }) };
}
