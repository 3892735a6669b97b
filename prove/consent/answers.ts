import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { claude } from "@hookline/runtime/dialects";
import { createHookRuntime, type Fingerprint, type Review } from "@hookline/runtime/session";
import { SCENE } from "../stage/events.ts";
import { PATH } from "./ground.ts";

/** A line of an approval that says what the approval leaves open. */
export interface OpenLine {
  readonly piece: string;
  /** The file that contains the piece of text, relative to the project. */
  readonly file: string;
  /** The line number from 1, unless the file is the hook's definition. */
  readonly line?: number;
  /** The files that close the line once they are bound; if empty, binding a folder does. */
  readonly bind: readonly string[];
}

/** The answers of one hook's approval. Paths are relative to the project, with all links resolved. */
export interface Answers {
  covered(file: string): boolean;
  /** Whether a line says that the file is read as data. */
  isData(file: string): boolean;
  readonly open: readonly OpenLine[];
  /** Returns the answers with these files and folders bound. Throws for one that cannot be bound. */
  bound(paths: readonly string[]): Answers;
}

/** The file that defines a hook. */
export const SETTINGS = ".claude/settings.json";

/** Reads the approval of the only hook of a project, as a library does; nothing if the hook never fires. */
export async function answersOf({
  project,
  home,
}: {
  readonly project: string;
  readonly home: string;
}): Promise<Answers | undefined> {
  const runtime = createHookRuntime({ dialects: [claude], home, env: { PATH, HOME: home } });
  try {
    const session = await runtime.open({ scene: { ...SCENE, cwd: project }, inert: true, onDiagnostic: () => {} });
    const [review, other] = (await session.review()).filter(({ candidate }) =>
      candidate.source.path.endsWith(SETTINGS),
    );
    if (other !== undefined) throw new Error(`${project} defines more than one hook`);
    return review && answersIn(review.print, review, realpathSync(project));
  } finally {
    await runtime.close();
  }
}

function answersIn(print: Fingerprint, review: Review, project: string): Answers {
  const { files, open = [], data = [], bound = [], refused } = print;
  if (refused !== undefined) throw new Error(`it cannot be approved: ${refused}`);
  const below = (path: string): string => relative(project, path);
  const covered = new Set(files.map(({ path }) => below(path)));
  const within = (folders: readonly string[], file: string): boolean =>
    folders.some((folder) => folder === "" || file === folder || file.startsWith(`${folder}/`));
  const standing = review.represented.filter(({ by }) => by.length > 0).map(({ folder }) => below(folder));
  const folders = [...bound.map(({ path }) => below(path)), ...standing];
  const read = data.map(({ file }) => below(file));
  return {
    covered: (file) => covered.has(file) || within(folders, file),
    isData: (file) => within(read, file),
    open: open.map(({ piece, file, line, bind = [] }) => ({
      piece,
      file: below(file),
      ...(line !== undefined && { line }),
      bind: bind.map(below),
    })),
    bound: (paths) => answersIn(review.bind(paths.map((path) => join(project, path))), review, project),
  };
}
