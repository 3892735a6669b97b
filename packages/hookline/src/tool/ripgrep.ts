import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isInProject, projectOf, trustedFolders } from "@hookline/ground/system";
import type { ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import type { ContentFilter } from "./content-filter.ts";
import type { NamedFile } from "./grep-files.ts";

/** The oldest major version of ripgrep that is used; older ones have not been tested. */
const OLDEST = 13;
const VERSION_MS = 2000;
/** Time limit for one run of ripgrep, in ms. */
const LONGEST_RUN_MS = 120_000;
/** Size limit for the arguments of one run, in bytes: half of the 1 MiB that macOS allows, environment included. */
const MOST_ARGUMENT_BYTES = 512 * 1024;
/** The decoder's replacement for invalid bytes. A file with such a name cannot be passed to a program. */
const NOT_A_CHARACTER = "\uFFFD";

/**
 * Arguments of each run. Settings and ignore files are switched off, because the files are already chosen. Every file
 * is searched as text. In a folder, only the files directly in it are searched.
 */
const ARGUMENTS = [
  "--no-config",
  "--no-ignore",
  "--hidden",
  "--max-depth=1",
  "--text",
  "--no-mmap",
  "--no-messages",
  "--color=never",
  "--files-with-matches",
  "--null",
];

/** The process transport and the folder with which ripgrep runs, and the filter for files that it cannot search. */
export interface RipgrepOptions {
  readonly processes: ProcessTransport;
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  /** The filter for files that ripgrep could not search, and for all files if ripgrep is not used. */
  readonly otherwise: ContentFilter;
}

/** Makes a filter in which ripgrep finds the files that match a pattern from `bytePattern`. */
export function createRipgrep(pattern: string, options: RipgrepOptions): ContentFilter {
  const { processes, otherwise } = options;
  const closing = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
  const running = new Set<Promise<unknown>>();
  let program = programFor(options);
  const run = async (args: readonly string[]): Promise<ProcessReport | undefined> => {
    const file = await program;
    if (file === undefined || signal.aborted) return undefined;
    const ending = processes.run({
      command: { file, args },
      cwd: "/",
      tier: "user",
      env: {},
      timeoutMs: LONGEST_RUN_MS,
      signal,
      label: "rg",
    });
    running.add(ending);
    return ending.finally(() => running.delete(ending));
  };
  const passed = async (named: readonly Named[]): Promise<readonly NamedFile[]> => {
    const files = named.flatMap((one) => one.files);
    const report = await run([...ARGUMENTS, "-e", `(?-u)${pattern}`, "--", ...named.map(({ path }) => path)]);
    // ripgrep exits with 0 if a file matches, and with 1 if none does. Any other code, such as for an unreadable file,
    // says nothing about any file.
    if (report?.status === "exited" && (report.exitCode === 0 || report.exitCode === 1)) {
      const matching = new Set(report.stdout.split("\0"));
      return files.filter(({ path }) => matching.has(path));
    }
    if (report !== undefined && report.status !== "exited") program = Promise.resolve(undefined);
    return otherwise.pass(files);
  };
  return {
    async pass(files) {
      const canBeNamed = files.filter(({ path }) => !path.includes(NOT_A_CHARACTER));
      const found = await Promise.all(portions(namesOf(canBeNamed)).map(passed));
      const matching = new Set(found.flat());
      return files.filter((file) => matching.has(file) || file.path.includes(NOT_A_CHARACTER));
    },
    async close() {
      closing.abort();
      await Promise.allSettled([otherwise.close(), ...running]);
    },
  };
}

/** A path for ripgrep's command line: a file, or a folder whose files are all searched. */
interface Named {
  readonly path: string;
  readonly files: readonly NamedFile[];
}

/** Names whole folders where possible: a file that is passed by name takes twice as long as one found in a folder. */
function namesOf(files: readonly NamedFile[]): Named[] {
  const groups = Map.groupBy(files, ({ folder }) => folder);
  return [...groups].flatMap(([folder, inside]): Named[] =>
    folder?.files === inside.length
      ? [{ path: folder.path, files: inside }]
      : inside.map((file) => ({ path: file.path, files: [file] })),
  );
}

/** Divides names into groups that fit into a program's arguments. */
function portions(names: readonly Named[]): Named[][] {
  const all: Named[][] = [];
  let room = 0;
  for (const named of names) {
    const bytes = Buffer.byteLength(named.path) + 16;
    if (bytes > room || all.length === 0) {
      all.push([]);
      room = MOST_ARGUMENT_BYTES;
    }
    room -= bytes;
    all.at(-1)?.push(named);
  }
  return all;
}

/** Caches the path of ripgrep. A key lists the folders of `PATH` in which ripgrep was looked for. */
const known = new Map<string, Promise<string | undefined>>();

function programFor({ processes, cwd }: RipgrepOptions): Promise<string | undefined> {
  // Windows limits command lines to 32,767 characters, too few for the paths, so ripgrep is not used there.
  if (process.platform === "win32") return Promise.resolve(undefined);
  const seeker = { cwd, home: homedir(), env: process.env };
  const folders = trustedFolders(seeker);
  const key = folders.join("\0");
  const looking = known.get(key) ?? findRipgrep(folders, projectOf(seeker), processes);
  known.set(key, looking);
  return looking;
}

async function findRipgrep(
  folders: readonly string[],
  project: string | undefined,
  processes: ProcessTransport,
): Promise<string | undefined> {
  for (const folder of folders) {
    const file = join(folder, "rg");
    if (!(await isProgram(file)) || isInProject(file, project)) continue;
    const report = await processes.run({
      command: { file, args: ["--no-config", "--version"] },
      cwd: "/",
      tier: "user",
      env: {},
      timeoutMs: VERSION_MS,
      label: "rg",
    });
    const [, version] = /^ripgrep (\d+)\.\d+/.exec(report.stdout) ?? [];
    if (report.exitCode === 0 && Number(version) >= OLDEST) return realpath(file).catch(() => undefined);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
