import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { works } from "../stage/ground.ts";
import { type OpenLine, SETTINGS } from "./answers.ts";
import type { Content } from "./drawn.ts";
import { LANGUAGES } from "./languages.ts";
import { helpers, MARKER_IN_PACKAGE, marked, markedBefore } from "./marker.ts";

const MOST_MS = 10_000;
/** The PATH: the system's programs and this Node. */
export const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;

export const HAS_STRACE = works("strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "true");
/**
 * The command that runs a program without a network, if possible; processes that it leaves running are killed with it.
 */
const APART = ["unshare", "-npf", "--kill-child", "--mount-proc"];
const IS_APART = works(...(APART as [string, ...string[]]), "true");

/** The files and programs that a run of a command opened and started. */
export interface Traced {
  /** Files of the project that were opened for reading, relative to the session's folder, with all links resolved. */
  readonly opened: ReadonlySet<string>;
  /** Whether the run looked for code of the project that is missing; only recorded for published hooks. */
  readonly missesCode: boolean;
  /** Names of the programs that were started. */
  readonly programs: ReadonlySet<string>;
  /** The exit code; absent if the run had to be killed. */
  readonly exit: number | undefined;
}

/** A command to run as a hook, with its environment and input. */
export interface Run {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Set for a published hook, which others have written. */
  readonly isForeign?: true;
}

/** A project and a home in a separate folder. */
export class Ground {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "oracle-")));
  /** The session's folder: the project, or a folder in it. */
  readonly project: string;
  readonly home: string;
  readonly #root: string;
  readonly #mark = join(this.top, "mark");

  /** Creates an empty project and home, or takes existing ones; the session may begin in a folder of the project. */
  constructor(given?: { readonly project: string; readonly home: string }, below = "") {
    this.#root = given?.project ?? join(this.top, "project");
    this.project = join(this.#root, below);
    this.home = given?.home ?? join(this.top, "home");
    for (const folder of [this.project, this.home]) mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(helpers(this.#mark))) writeFileSync(path, text, { mode: 0o755 });
  }

  write(path: string, content: Content): void {
    const full = join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    if (typeof content === "string") writeFileSync(full, content);
    else if ("link" in content) symlinkSync(content.link, full);
    else writeFileSync(full, content.program, { mode: 0o755 });
  }

  /** Returns the files of the project, with links resolved. */
  files(): ReadonlySet<string> {
    return new Set(
      readdirSync(this.project, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.project.length + 1)),
    );
  }

  /** Runs a command as hooks of a project are run, and returns what it opened. */
  async trace(run: Run): Promise<Traced> {
    const log = join(this.top, "log");
    const calls = run.isForeign ? `${OPENING},${LOOKING}` : OPENING;
    const exit = await this.#start(["strace", ...STRACE, `trace=${calls}`, "-o", log, "--"], run);
    return { ...this.#read(readFileSync(log, "latin1")), exit };
  }

  /** Whether a file is run as code: a marker put before its text runs. */
  async isCode(file: string, run: Run, programs: ReadonlySet<string>): Promise<boolean> {
    const texts = (text: string): readonly string[] => marked(file, text, programs, this.#mark);
    return (await this.#runsMarked(file, texts, run)).has("mark");
  }

  /**
   * Whether a run reaches a line of a file, or a piece of its command: a marker put before it runs. If a statement is
   * invalid there, it changes how the run ends, which also counts as reached.
   */
  async reaches(line: OpenLine, run: Run, { programs, exit }: Traced): Promise<boolean> {
    const { file, piece, line: number = 1 } = line;
    if (file !== SETTINGS) {
      const texts = (text: string): readonly string[] =>
        markedBefore({ file, text, line: number }, programs, this.#mark);
      const ends = await this.#runsMarked(file, texts, run);
      return ends.has("mark") || !ends.has(exit);
    }
    const at = run.command.indexOf(piece.split(/…|\s{2}/)[0] ?? "");
    if (at < 0) return true;
    const command = `${run.command.slice(0, at)}${LANGUAGES.sh.mark(this.#mark)}; ${run.command.slice(at)}`;
    const end = await this.#start([], { ...run, command });
    return this.#isMarked() || end !== exit;
  }

  /**
   * Runs a command with each of these texts in a file, and returns how it ended: at the marker, or with which exit
   * code.
   */
  async #runsMarked(
    file: string,
    texts: (text: string) => readonly string[],
    run: Run,
  ): Promise<ReadonlySet<"mark" | number | undefined>> {
    const path = join(this.project, file);
    const before = readFileSync(path);
    const { mode } = statSync(path);
    const beside = basename(file) === "package.json" ? join(dirname(path), MARKER_IN_PACKAGE) : undefined;
    const ends = new Set<"mark" | number | undefined>();
    try {
      if (beside !== undefined) writeFileSync(beside, Object.values(helpers(this.#mark))[0] ?? "");
      for (const text of texts(before.toString("latin1"))) {
        writeFileSync(path, text, "latin1");
        const end = await this.#start([], run);
        ends.add(this.#isMarked() ? "mark" : end);
        if (ends.has("mark")) break;
      }
      return ends;
    } finally {
      writeFileSync(path, before);
      chmodSync(path, mode);
      if (beside !== undefined) rmSync(beside, { force: true });
    }
  }

  /** Whether the marker has run; resets it. */
  #isMarked(): boolean {
    const isThere = existsSync(this.#mark);
    rmSync(this.#mark, { force: true });
    return isThere;
  }

  /** Starts a command behind these words; returns its exit code, if it ends by itself. */
  async #start(before: readonly string[], { command, env, stdin, isForeign }: Run): Promise<number | undefined> {
    const words = [...(isForeign && IS_APART ? APART : []), ...before, "bash", "-c", command];
    const child: ChildProcess = spawn(words[0] ?? "", words.slice(1), {
      cwd: this.project,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: { ...this.variables, ...env },
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin);
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, MOST_MS);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    return code ?? undefined;
  }

  /** The variables that hookline sets for a hook of Claude Code's settings. */
  get variables(): Readonly<Record<string, string>> {
    return {
      PATH,
      HOME: this.home,
      LC_ALL: "C.UTF-8",
      CLAUDE_PROJECT_DIR: this.project,
      PYTHONPYCACHEPREFIX: join(this.top, "pycache"),
    };
  }

  #read(log: string): Omit<Traced, "exit"> {
    const opened = new Set<string>();
    const programs = new Set<string>();
    let missesCode = false;
    for (const line of log.split("\n")) {
      missesCode ||= MISSING.exec(line)?.[1]?.startsWith(`${this.#root}/`) === true;
      const [, program] = /\bexecve\("([^"]+)".*= 0$/.exec(line) ?? [];
      if (program !== undefined) programs.add(basename(program));
      const [, result] = /\bopen(?:at)?(?:\(| resumed).*= \d+<(.*?)>(?:\(deleted\))?$/.exec(line) ?? [];
      if (result === undefined || /O_WRONLY|O_CREAT|O_DIRECTORY/.test(line)) continue;
      const path = Buffer.from(plainOf(result), "latin1").toString();
      const isThere = path.startsWith(`${this.#root}/`) && statSync(path, { throwIfNoEntry: false })?.isFile();
      if (isThere === true) opened.add(relative(this.project, path));
    }
    return { opened, programs, missesCode };
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

const STRACE = ["-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none", "-e"];
const OPENING = "execve,openat,open";
const LOOKING = "statx,newfstatat,access,readlink";
const MISSING = /"(\/[^"]+\.(?:[cm]?[jt]s|py|sh|bash|rb|p[lm]))".* = -1 ENOENT/;

/** Decodes the escapes that strace puts into a path. */
function plainOf(text: string): string {
  return text.replaceAll(/\\([0-7]{1,3}|.)/g, (_all, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code,
  );
}
