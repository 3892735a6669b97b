/** One file of a patch. */
export interface PatchedFile {
  readonly change: "add" | "update" | "delete";
  /** As the patch writes it. */
  readonly path: string;
  /** Where the file is moved. */
  readonly to?: string;
  /** The lines of a new file, or the new text of each place that is changed. */
  readonly content: string;
  readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
}

/** A patch, read; `problem` says why it cannot be trusted to be all. */
export interface PatchReading {
  readonly files: readonly PatchedFile[];
  readonly problem?: string;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const FILE = /^\*\*\* (Add|Update|Delete) File:\s*(.*)$/;
const MOVE = /^\*\*\* Move to:\s*(.*)$/;
/** Lines between the first one and the first file, and after the last change of a file. */
const ASIDE = /^\*\*\* (?:Environment ID:.*|End of File)$/;

/** Whether a text holds a patch, whole. */
export function hasPatch(text: string): boolean {
  return text.includes(BEGIN) && text.includes(END);
}

/** Every path that a text names as a patch does, also where it is no patch that can be read. */
export function patchPaths(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.+)$/gim)].map(([, path = ""]) =>
    path.trim(),
  );
}

/**
 * Reads a patch of the form that OpenAI's models write, alone or within a command: what is before its first line and
 * behind its last one is not looked at. Agents take room around the lines that begin with `***`, so this does.
 */
export function readPatch(text: string): PatchReading {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trimEnd().endsWith(BEGIN));
  if (begin < 0) return { files: rest(text, []), problem: `it has no line "${BEGIN}"` };
  const size = lines.slice(begin + 1).findIndex((line) => line.trim().startsWith(END));
  if (size < 0) return { files: rest(text, []), problem: `it has no line "${END}"` };
  const read = filesIn(lines.slice(begin + 1, begin + 1 + size));
  const files = rest(text, read.files);
  if (read.problem !== undefined) return { files, problem: read.problem };
  if (files.length > read.files.length) return { files, problem: "it names files outside of its first and last line" };
  return files.length === 0 ? { files, problem: "it changes no file" } : { files };
}

/** The files that were read, and any other that the text names. */
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

/** Takes a line of a file's part; gives whether it is one. */
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
