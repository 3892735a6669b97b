import { createHash } from "node:crypto";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Parser } from "../command/parser.ts";
import { ALL_WORDS, type CodeLanguage, type Start, startsOf } from "../command/starts.ts";
import { type CommandWord, shellQuoted } from "../command/word.ts";
import type { Candidate } from "../dialect/dialect.ts";
import { globFiles } from "../dialect/glob.ts";
import { isInside, type ProjectFolders, projectRoot, realAsFar } from "../dialect/project.ts";
import type { Coverage, DataFile, ModuleFolder, More, OpenPiece } from "./answers.ts";
import { codeStarts } from "./calls.ts";
import { configured, hooksOfGit, programsOfGit, recipesOf } from "./config-files.ts";
import { dependencyFolder, type Represented, represented } from "./dependencies.ts";
import { beginsAsProgram, codeIn, hooksFolder, MOST_LOOKED_AT, modulesIn } from "./folder.ts";
import { importsOfJavaScript, pathTo, type Resolved, resolveJavaScript } from "./javascript.ts";
import { isCode, type Language, languageOf } from "./language.ts";
import { importsOfPython, isPythonsOwn, pythonModule, searchedByPython } from "./python.ts";
import { isIgnored } from "./secret.ts";
import { type SteadyFiles, steady } from "./steady.ts";
import { LIMITS } from "./tree.ts";

/** Finds the files that a definition may run or read. Follows what it starts, imports and loads (ruling 82). */
export function coverageOf(candidate: Candidate, place: ProjectFolders, parser: Parser, more: More = {}): Coverage {
  return new Covering(candidate, place, parser, more).result();
}

/** Returns the same definition, marked with `runsProject` if it is a person's own and runs code of the project. */
export function withProject(candidate: Candidate, place: ProjectFolders, parser: Parser): Candidate {
  const { source, state, kind } = candidate;
  const home = place.home === undefined ? undefined : (place.files.real(place.home) ?? place.home);
  // The home folder and the folders above it are never a project.
  if (
    source.tier === "project" ||
    source.api !== undefined ||
    kind !== undefined ||
    state !== "runs" ||
    home === undefined
  )
    return candidate;
  if (isInside(home, projectRoot(place))) return candidate;
  const own: Candidate = { ...candidate, runsProject: true };
  const { files, open } = coverageOf(own, place, parser);
  return files.size > 0 || open.length > 0 ? own : candidate;
}

/** How a covered file is used: started as a script or loaded as a module. What a `kept` file starts is not followed. */
type Role = "script" | "module" | "kept";
const LONGEST_PIECE = 120;
/** Matches words in an open piece of code that may name a file or folder. */
const NAMES = /[\w.@-]*\/[\w./@-]*|[\w-]+\.\w{1,4}\b/g;
const MOST_LITERALS = 2000;
/** The limit of argument lists per script. Beyond it, the script is read as if its arguments were unknown. */
const MOST_CALLS = 16;
/** Matches a use of the arguments in a shell script. */
const USES_WORDS = /\$(?:[@*\d]|\{[@*\d])/;

class Covering {
  readonly #files: SteadyFiles;
  readonly #parser: Parser;
  readonly #cwd: string;
  /** The file that contains the definition. */
  readonly #definition: string;
  /** The project's root; for a person's own hook, their home folder. */
  readonly #root: string;
  readonly #home: string | undefined;
  readonly #isProject: boolean;
  /** Whether the definition is a person's own; then only the project's files are covered. */
  readonly #isOwners: boolean;
  readonly #covered = new Map<string, Uint8Array | undefined>();
  readonly #roles = new Map<string, Role>();
  /** The argument lists that each script is started with, as JSON. */
  readonly #calls = new Map<string, Set<string>>();
  readonly #open = new Map<string, OpenPiece>();
  readonly #data = new Map<string, DataFile>();
  readonly #modules = new Map<string, ModuleFolder>();
  readonly #inRoot = new Set<string>();
  readonly #represented = new Map<string, Represented>();
  readonly #boundFolders: readonly string[];
  /** Computes the coverage without one bound folder, which shows what the person saw before binding it. */
  readonly #without: (folder: string) => Covering;
  /** Maps a bound folder to the files that are covered even without it. */
  readonly #seen = new Map<string, ReadonlyMap<string, unknown>>();
  /** Folders that relative names in texts may start from; every name in `#named` is looked up in each. */
  readonly #bases = new Set<string>();
  readonly #named: { readonly from: string; readonly look: (base: string) => void }[] = [];
  /** Folders that are searched for modules and programs, and what to look for in each of them. */
  readonly #searched = new Map<
    CodeLanguage | "program",
    { readonly folders: Set<string>; readonly looks: Set<(folder: string) => void> }
  >();
  readonly #todo: (() => void)[] = [];
  /** Modules that hookline loads itself. As it loads only approved bytes, a computed import in them is not reported. */
  readonly #ownModules = new Set<string>();
  #bytes = 0;
  #isFull = false;

  constructor(candidate: Candidate, place: ProjectFolders, parser: Parser, more: More) {
    const { kept = [], loaded = [], bound = [] } = more;
    this.#without = (folder) =>
      new Covering(candidate, place, parser, { ...more, bound: bound.filter((path) => this.#real(path) !== folder) });
    this.#files = steady(place.files);
    this.#parser = parser;
    this.#cwd = this.#real(place.cwd);
    this.#home = place.home;
    this.#isOwners = candidate.runsProject === true;
    this.#isProject = candidate.source.tier === "project" || this.#isOwners || place.home === undefined;
    this.#root = this.#isProject ? projectRoot({ ...place, files: this.#files }) : (place.home as string);
    this.#boundFolders = bound
      .map((path) => this.#real(path))
      .filter((path) => this.#files.stat(path)?.kind === "directory");
    const { source, commands, env = {}, files, folders = [], isText } = candidate;
    for (const base of [this.#cwd, ...(this.#isProject ? [] : [this.#root]), ...folders]) this.#base(base);
    const isEntry = source.line !== undefined || commands !== undefined;
    // The first file of a definition with commands is the one that contains it; reading the commands finds the others.
    for (const path of commands === undefined ? files : files.slice(0, 1)) {
      const isRead = isText === true || (isEntry && path === source.path);
      if (source.api !== undefined) this.#ownModules.add(this.#real(path));
      if (!this.#isOwners || !isRead) this.#cover(path, isRead ? "kept" : "script");
    }
    if (candidate.cases !== undefined && !this.#isOwners) this.#cover(candidate.cases, "kept");
    for (const path of loaded) {
      this.#ownModules.add(this.#real(path));
      this.#cover(path, dependencyFolder(path) === undefined ? "module" : "kept");
    }
    for (const path of bound) if (this.#files.stat(path)?.kind === "file") this.#cover(path, "script");
    // A bound folder covers all code files in it; what they start elsewhere is found by reading them.
    for (const folder of this.#boundFolders) for (const { path } of this.#codeIn(folder)) this.#cover(path, "script");
    for (const path of kept) this.#cover(path, "kept");
    this.#definition = this.#real(source.path);
    const definition = {
      file: this.#definition,
      folder: this.#cwd,
      ...(source.line !== undefined && { line: source.line }),
    };
    // Variables of the definition are treated as if the command set them first.
    const set = Object.entries(env).map(([name, value]) =>
      /^\w+$/.test(name) ? `export ${name}=${shellQuoted(value)}\n` : "",
    );
    for (const text of commands ?? []) this.#shell(set.join("") + text, { ...definition, text });
  }

  /** Reads all covered files that have not been read yet, until no new ones are found. */
  #follow(): void {
    for (let next = this.#todo.pop(); next !== undefined; next = this.#todo.pop()) next();
  }

  result(): Coverage {
    this.#follow();
    for (const { folder, by } of this.#represented.values())
      if (by.length === 0)
        this.#add({ piece: this.#short(folder), file: folder, why: "contains packages, and no lock file says which" });
    const counts = (path: string): boolean => !this.#isOwners || this.#isOfProject(path);
    const inOrder = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      // For a person's own hook, leaves out a `.git/config` without programs: git then runs nothing of the project.
      files: new Map(
        inOrder(this.#covered).filter(
          ([path, bytes]) => counts(path) && !(this.#isOwners && path.endsWith("/.git/config") && bytes?.length === 0),
        ),
      ),
      open: [...this.#open.values()].filter(
        (piece) =>
          !this.#isClosed(piece) && (!this.#isOwners || this.#isOfProject(piece.file) || piece.isProject === true),
      ),
      data: inOrder(this.#data).flatMap(([path, one]) => (this.#covered.has(path) || this.#isBound(path) ? [] : [one])),
      modules: inOrder(this.#modules).map(([, one]) => ({
        ...one,
        names: one.names.filter((name) => !this.#covered.has(this.#real(join(one.folder, name)))),
      })),
      inRoot: [...this.#inRoot],
      represented: [...this.#represented.values()],
    };
  }

  #add({ piece, ...rest }: OpenPiece): void {
    const line = piece.replaceAll(/\s+/g, " ").trim();
    const short = line.length > LONGEST_PIECE ? `${line.slice(0, LONGEST_PIECE - 1)}…` : line;
    const key = JSON.stringify([short, rest.file, ALL_WORDS.test(short) ? 0 : rest.line, rest.why]);
    if (!this.#open.has(key)) this.#open.set(key, { piece: short, ...rest });
  }

  /**
   * Returns whether `--bind` covers an open piece of code. Each project file that the piece names must be covered or
   * bound. The piece's own file must be in a bound folder, or have been covered before the folder was bound: only then
   * did the person see the piece when they bound it.
   */
  #isClosed({ bind, piece, file }: OpenPiece): boolean {
    const isHeld = (path: string): boolean => this.#covered.has(path) || this.#isBound(path);
    if (bind !== undefined) return bind.every(isHeld);
    // The `/x` in `__dirname + "/x"` is relative: `join` looks for it below the working folder and the file's folder.
    const named = [...piece.matchAll(NAMES)].flatMap(([name]) =>
      [this.#cwd, dirname(file)].flatMap((base) => [resolve(base, name), join(base, name)]),
    );
    const isElsewhere = (path: string): boolean =>
      this.#files.stat(path) !== undefined && this.#isOfProject(path) && !isHeld(this.#real(path));
    return (
      !named.some(isElsewhere) &&
      this.#boundFolders.some((folder) => isInside(file, folder) || this.#seenWithout(folder).has(file))
    );
  }

  /**
   * Returns the files that are covered even without this bound folder. The person saw their open pieces before binding
   * the folder.
   */
  #seenWithout(folder: string): ReadonlyMap<string, unknown> {
    let seen = this.#seen.get(folder);
    if (seen === undefined) {
      const without = this.#without(folder);
      without.#follow();
      this.#seen.set(folder, (seen = new Map([...without.#covered, [this.#definition, undefined]])));
    }
    return seen;
  }

  #isBound(path: string): boolean {
    return this.#boundFolders.some((folder) => isInside(path, folder));
  }

  #isOfProject(path: string): boolean {
    return isInside(path, this.#root) || isInside(path, this.#cwd);
  }

  #datum(path: string): void {
    const real = this.#real(path);
    if (!this.#isOfProject(real) || this.#data.has(real) || this.#dependency(real) !== undefined) return;
    if (this.#files.stat(real) === undefined || /\/\.git(?:\/|$)/.test(real)) return;
    this.#data.set(real, { file: real, ...(isIgnored(real, this.#root, this.#files) && { isIgnored: true }) });
  }

  #cover(path: string, role: Role, as?: Language, given?: readonly CommandWord[]): void {
    const files = this.#files;
    const real = this.#real(path);
    const known = this.#roles.get(real);
    const words = role === "script" ? this.#wordsOf(real, given) : undefined;
    if (known === "script" && words !== undefined) this.#readAgain(path, real, words.given, as);
    if (known === "script" || known === role || (known === "module" && role === "kept")) return;
    const inside = this.#dependency(real);
    if (inside !== undefined && role !== "kept" && this.#stands(inside)) return;
    const stat = files.stat(real);
    if (known === undefined) {
      this.#bytes += stat?.kind === "file" ? stat.size : 0;
      if (this.#covered.size >= LIMITS.files || this.#bytes > LIMITS.bytes) {
        if (!this.#isFull)
          this.#add({
            piece: this.#short(path),
            file: real,
            why: `is one of more than ${LIMITS.files} files or 16 MiB, which is more than an approval covers`,
          });
        this.#isFull = true;
        return;
      }
    }
    const bytes = stat?.kind === "file" ? files.read(real) : undefined;
    this.#roles.set(real, role);
    this.#covered.set(real, bytes);
    if (role === "kept" || bytes === undefined) return;
    this.#todo.push(() => this.#read(path, real, bytes, role, as, words?.given));
    const hooks = hooksFolder(real, this.#root) ?? hooksFolder(path, this.#root);
    if (hooks !== undefined) this.#hooksFolder(hooks);
  }

  /** Records the arguments that a script is started with; `undefined` if it was started with the same ones before. */
  #wordsOf(
    real: string,
    given: readonly CommandWord[] | undefined,
  ): { readonly given: readonly CommandWord[] | undefined } | undefined {
    const known = this.#calls.get(real) ?? new Set();
    this.#calls.set(real, known);
    const counted = known.size < MOST_CALLS ? given : undefined;
    const key = counted === undefined ? "" : JSON.stringify(counted.map(({ values }) => values ?? null));
    if (known.has(key)) return undefined;
    known.add(key);
    return { given: counted };
  }

  /** Reads a shell script again, because it is started with other arguments. */
  #readAgain(path: string, real: string, given: readonly CommandWord[] | undefined, as?: Language): void {
    const bytes = this.#covered.get(real);
    const text = new TextDecoder().decode(bytes);
    if (bytes === undefined || !USES_WORDS.test(text) || this.#language(path, real, text, as) !== "shell") return;
    this.#todo.push(() => this.#read(path, real, bytes, "script", as, given));
  }

  #hooksFolder(folder: string): void {
    if (this.#modules.has(`hooks ${folder}`)) return;
    this.#modules.set(`hooks ${folder}`, { folder, names: [] });
    for (const { path, isLink } of this.#codeIn(folder)) {
      // The programs that a file starts are followed only if the hook runs the file.
      this.#cover(path, "kept");
      // The target of a link is covered too, so that a changed link needs a new approval.
      if (isLink) this.#covered.set(path, new TextEncoder().encode(`link to ${this.#short(this.#real(path))}`));
    }
  }

  /** Returns the code files in a folder; if it holds too much to be searched, the folder is not covered. */
  #codeIn(folder: string): NonNullable<ReturnType<typeof codeIn>> {
    const found = codeIn(folder, this.#files, LIMITS.files);
    if (found !== undefined) return found;
    const why = `contains more than ${MOST_LOOKED_AT} files, so it is not searched for code`;
    this.#add({ piece: this.#short(folder), file: folder, why });
    return [];
  }

  /** Covers a dependency folder by its lock files instead of its content; returns false if it is an ordinary folder. */
  #stands(folder: string): boolean {
    if (this.#represented.has(folder)) return true;
    const found = represented(this.#files, folder, this.#root);
    // A folder `vendor` without a lock file is treated like any other folder.
    if (found.by.length === 0 && basename(folder) === "vendor") return false;
    this.#represented.set(folder, found);
    for (const lock of found.by) this.#cover(lock, "kept");
    return true;
  }

  /** Returns the dependency folder that contains a path; folders above the project do not count. */
  #dependency(path: string): string | undefined {
    if (!isInside(path, this.#root)) return dependencyFolder(path);
    const below = dependencyFolder(path.slice(this.#root.length));
    return below === undefined ? undefined : join(this.#root, below);
  }

  #language(path: string, real: string, text: string, as?: Language): Language {
    const own = languageOf(real, text);
    const named = own === "unknown" ? languageOf(path, text) : own;
    return named === "unknown" ? (as ?? "shell") : named;
  }

  #read(
    path: string,
    real: string,
    bytes: Uint8Array,
    role: Role,
    as?: Language,
    given?: readonly CommandWord[],
  ): void {
    const text = new TextDecoder().decode(bytes);
    const language = this.#language(path, real, text, as);
    const where: Text = { file: real, folder: dirname(path), text, ...(role === "script" && { isScript: true }) };
    const open = (why: string): void => this.#add({ piece: this.#short(real), file: real, why });
    if (language === "binary" || (language !== "shell" && text.includes("\0"))) {
      if (!/\.(?:pyc|so|pyd|node|wasm)$/.test(real)) open("is a compiled program, whose starts cannot be read");
      return;
    }
    if (language !== "make" && text.includes("\ufffd")) open("contains bytes that are not text");
    if (role === "script") {
      this.#base(dirname(path));
      this.#base(dirname(real));
    } else if (language === "shell") this.#base(dirname(path));
    const [, starter] = /^#!\s*(\S.*)/.exec(text) ?? [];
    if (starter !== undefined)
      this.#shell(`${starter.replace(/^(\S*\benv)\s+-S\s*/, "$1 ")} ${shellQuoted(path)}`, {
        ...where,
        line: 1,
      });
    if (role === "script" && (language === "python" || language === "other"))
      this.#beside(dirname(real), language, real);
    if (language === "shell") this.#shell(text.replaceAll("\0", ""), where, given);
    else if (language === "make") this.#shell(recipesOf(text), where);
    else this.#code(text, language as CodeLanguage, where);
  }

  #code(text: string, language: CodeLanguage, where: Text): void {
    const { folder } = where;
    if (language === "javascript") {
      for (const name of importsOfJavaScript(text)) this.#javascript(name, folder);
    } else if (language === "python") {
      for (const { folder: found, piece, at } of searchedByPython(text, folder, this.#cwd))
        if (found !== undefined) this.#search("python", found);
        else this.#start({ kind: "open", piece, at, why: "computes where Python looks for modules" }, where);
      if (where.isScript) this.#search("python", folder, true);
      for (const { level, parts } of importsOfPython(text)) this.#python(level, parts, folder);
    } else if (where.isScript) this.#search("other", folder, true);
    for (const start of codeStarts(text, language, this.#parser)) {
      const isOwn = this.#ownModules.has(where.file) && start.kind === "open" && start.why === "computes what it loads";
      if (!isOwn) this.#start(start, where);
    }
    let left = MOST_LITERALS;
    for (const [, , literal = ""] of text.matchAll(/(["'`])((?:(?!\1)[^\\\n$]){1,200})\1/g)) {
      if ((left -= 1) < 0) break;
      if (/^[\w.~][^\s<>|"';]*$/.test(literal) && !/^\.{1,2}\/?$/.test(literal))
        this.#inBases(folder, (base) => {
          const path = resolve(base, literal);
          if (path !== this.#root && path !== this.#cwd) this.#datum(path);
        });
    }
  }

  #shell(text: string, where: Text, given?: readonly CommandWord[]): void {
    for (const start of startsOf(text, this.#parser, given)) this.#start(start, where);
  }

  #start(start: Start, where: Text): void {
    const { piece, at } = start;
    const { folder, file } = where;
    const line = where.line ?? where.text.slice(0, at).split("\n").length;
    const open = (why: string, bind?: readonly string[]): void =>
      this.#add({
        piece,
        file,
        line,
        why,
        ...(bind !== undefined && { bind }),
        ...((bind !== undefined || start.kind === "config") && { isProject: true }),
      });
    switch (start.kind) {
      case "open":
        open(start.why);
        return;
      case "start":
        if (start.isPattern && isEverything(start.path)) open("starts what is in a folder");
        this.#paths(start, folder, (path) =>
          this.#started(path, start.by as Language | undefined, open, start.kind === "start" ? start.given : undefined),
        );
        // A missing file outside the project is reported, because nobody would notice when it appears later.
        if (
          !start.isPattern &&
          start.path.startsWith("/") &&
          !this.#isOfProject(realAsFar(start.path, this.#files)) &&
          this.#files.stat(start.path) === undefined
        )
          open(`starts ${start.path}, which is not there`);
        return;
      case "hand":
        this.#paths(start, folder, (path) => {
          if (this.#files.stat(path)?.kind === "file" && (isCode(path) || beginsAsProgram(path, this.#files)))
            open(`hands ${this.#short(path)} to ${start.by}, which may run it`, [this.#real(path)]);
          else this.#datum(path);
        });
        return;
      case "data":
        this.#paths(start, folder, (path) => this.#datum(path));
        return;
      case "folder":
        this.#paths(start, folder, (path) => {
          if (this.#files.stat(path)?.kind === "directory" && this.#mayHold(path)) this.#base(path);
        });
        return;
      case "search":
        this.#inBases(folder, (base) => {
          const found = resolve(base, start.path);
          if (this.#isOfProject(found)) this.#search(start.of, found);
        });
        return;
      case "program":
        this.#lookIn("program", (one) => this.#started(join(one, start.name), undefined, open));
        return;
      case "module":
        this.#module(start, folder, open);
        return;
      case "code":
        this.#code(start.text, start.language, { ...where, folder: this.#cwd, line });
        return;
      case "config":
        this.#config(start.program, start.words, where, open);
        return;
      default:
        start satisfies never;
    }
  }

  #config(
    program: string,
    words: readonly string[],
    where: Text,
    open: (why: string, bind?: readonly string[]) => void,
  ): void {
    if (program === "git") {
      // Git runs programs that the repository's own configuration names, and a clone does not copy that configuration.
      const path = join(this.#root, ".git", "config");
      this.#roles.set(path, "kept");
      const programs = programsOfGit(this.#root, this.#files);
      this.#covered.set(path, new TextEncoder().encode(programs));
      for (const line of programs.split("\n"))
        this.#shell(line.replace(/^[^=]*=\s*!?/, ""), { ...where, text: "", file: path });
      const hooks = hooksOfGit(this.#root, words, this.#files);
      if (hooks !== undefined) open(`runs the hooks in ${this.#short(hooks)}`, [hooks]);
      return;
    }
    const folders = [...new Set([...this.#bases].filter((base) => this.#isOfProject(base)).concat(this.#root))];
    // npx looks in the project's packages first.
    if (/^(?:npx|pnpx|bunx)$/.test(program) && this.#files.stat(join(this.#root, "node_modules")) !== undefined)
      this.#stands(join(this.#root, "node_modules"));
    const found = configured(program, words, folders, this.#files);
    if (found === undefined) return;
    const { files, texts, runsMore, isCovered } = found;
    if (isCovered) for (const path of files) this.#cover(path, "kept");
    for (const path of files) if (this.#isBound(path)) this.#cover(path, "script");
    const isRead = files.every((path) => this.#roles.has(this.#real(path)));
    if (!isRead)
      open(
        `runs what ${files.map((path) => this.#short(path)).join(", ")} says`,
        files.map((path) => this.#real(path)),
      );
    else for (const text of texts) this.#shell(text, { ...where, text: "" });
    if (runsMore && files.length === 0) open("runs code of the project by rules of its own");
    else if (runsMore && isRead) open("runs what its own files say");
  }

  /** Calls `found` for each path that a name or pattern may mean. */
  #paths(
    { path, isPattern }: { readonly path: string; readonly isPattern: boolean },
    from: string,
    found: (path: string) => void,
  ): void {
    if (path === "" || path.length > 4096 || path.includes("\0")) return;
    if (path.startsWith("~/")) {
      if (this.#home !== undefined) found(join(this.#home, path.slice(2)));
      return;
    }
    if (path.startsWith("/") && !isPattern) {
      found(path);
      return;
    }
    this.#inBases(from, (base) => {
      if (!isPattern) found(resolve(base, path));
      else if (!isEverything(path)) for (const one of globFiles(this.#files, base, path)) found(one);
    });
  }

  /** Calls `look` for each base folder that a name in a text may be relative to, also for those found later. */
  #inBases(from: string, look: (base: string) => void): void {
    const one = { from, look };
    this.#named.push(one);
    for (const base of [...this.#bases, ...(this.#bases.has(from) ? [] : [from])])
      if (this.#mayMean(from, base)) look(base);
  }

  #base(folder: string): void {
    if (this.#bases.has(folder)) return;
    this.#bases.add(folder);
    for (const { from, look } of [...this.#named]) if (this.#mayMean(from, folder)) look(folder);
  }

  /**
   * Returns whether a name may be relative to a folder. Names in a person's own script are not relative to the open
   * project; those in a command are.
   */
  #mayMean(from: string, base: string): boolean {
    return this.#isProject || isInside(from, this.#cwd) || !isInside(base, this.#cwd);
  }

  /** Returns whether relative names are looked up in a folder: below the project's parent or the working folder. */
  #mayHold(folder: string): boolean {
    return isInside(folder, dirname(this.#root)) || isInside(folder, this.#cwd);
  }

  #started(path: string, as: Language | undefined, open: (why: string) => void, given?: readonly CommandWord[]): void {
    const kind = this.#files.stat(path)?.kind;
    if (kind === "file") {
      if (this.#mayBeRead(path)) this.#cover(path, "script", as, given);
    } else if (kind === "directory" && this.#isOfProject(path)) {
      if (as !== "javascript")
        for (const file of pythonModule(path, ["__main__"], this.#files)) this.#cover(file, "script", "python");
      if (as !== "python") this.#resolved(pathTo(path, this.#files), "script");
    } else if (kind === undefined && as === "javascript") {
      if (this.#isOfProject(path)) this.#resolved(pathTo(path, this.#files), "script");
    } else if (kind === "other") open(`starts ${this.#short(path)}, which is no file`);
  }

  /** Returns whether a started file may be covered: it is in the project or, for a person's own hook, in their home. */
  #mayBeRead(path: string): boolean {
    const isOwn = this.#isOwners && this.#home !== undefined && isInside(path, this.#home);
    return isOwn || this.#isOfProject(path) || this.#isOfProject(this.#real(path));
  }

  /** Adds a folder that a language searches for modules, and records these. `isOwn`: they are already recorded. */
  #search(of: CodeLanguage | "program", folder: string, isOwn = false): void {
    const known = this.#searchOf(of);
    if (known.folders.has(folder)) return;
    known.folders.add(folder);
    for (const look of known.looks) look(folder);
    if ((of === "python" || of === "other") && !isOwn) this.#beside(folder, of);
  }

  #searchOf(of: CodeLanguage | "program"): {
    readonly folders: Set<string>;
    readonly looks: Set<(folder: string) => void>;
  } {
    const known = this.#searched.get(of) ?? { folders: new Set(), looks: new Set() };
    this.#searched.set(of, known);
    return known;
  }

  #lookIn(of: CodeLanguage | "program", look: (folder: string) => void): void {
    const { folders, looks } = this.#searchOf(of);
    looks.add(look);
    for (const folder of folders) look(folder);
  }

  /**
   * Records the modules in a folder that a language searches, so that adding one needs a new approval. Beside a
   * `script` in the project's root folder no modules are recorded, so that adding one needs none.
   */
  #beside(folder: string, language: Language, script?: string): void {
    if (script !== undefined && folder === this.#root) {
      this.#inRoot.add(script);
      return;
    }
    if (!this.#isOfProject(folder)) return;
    const names = modulesIn(folder, language, this.#files);
    const known = this.#modules.get(folder)?.names ?? [];
    this.#modules.set(folder, { folder, names: [...new Set([...known, ...names])] });
    // Python would load a module of the project in place of one of its own with the same name.
    if (language === "python")
      for (const name of names)
        if (isPythonsOwn(name))
          this.#module({ language, name: name.replace(/\..*$/s, ""), isKnown: true }, folder, () => {});
  }

  #python(level: number, parts: readonly string[], folder: string): void {
    const load = (at: string): void => {
      for (const file of this.#isOfProject(at) ? pythonModule(at, parts, this.#files) : [])
        this.#cover(file, "module", "python");
    };
    if (level === 0) this.#lookIn("python", load);
    else {
      let at = folder;
      for (let up = 1; up < level; up++) at = dirname(at);
      load(at);
    }
  }

  #module(
    { language, name, isKnown }: Pick<Extract<Start, { kind: "module" }>, "language" | "name" | "isKnown">,
    folder: string,
    open: (why: string, bind?: readonly string[]) => void,
  ): void {
    if (language === "javascript") {
      this.#javascript(name, this.#cwd);
      return;
    }
    if (language === "other") {
      const path = name.replaceAll("::", "/");
      this.#lookIn("other", (at) => {
        for (const ending of [".pm", ".rb", ".lua", ""]) {
          const file = join(at, path + ending);
          if (this.#isOfProject(file) && this.#files.stat(file)?.kind === "file") this.#cover(file, "module");
        }
      });
      return;
    }
    const parts = name.split(".");
    const before = this.#covered.size;
    this.#python(0, parts, folder);
    this.#python(0, [...parts, "__main__"], folder);
    if (this.#covered.size === before && !isKnown && !parts.some(isPythonsOwn))
      open("starts a module that is not found in the project");
  }

  #javascript(name: string, folder: string): void {
    const found = resolveJavaScript(name, folder, this.#root, this.#files);
    this.#resolved(found);
    // If the module is not found, Node also searches the folders that `NODE_PATH` names.
    if (found.files.length === 0 && !/^[./#]/.test(name))
      this.#lookIn("javascript", (at) => this.#resolved(pathTo(join(at, name), this.#files)));
  }

  #resolved({ files, by = [], dependency }: Resolved, role: Role = "module"): void {
    for (const path of files)
      if (this.#isOfProject(path) || this.#isOfProject(this.#real(path))) this.#cover(path, role, "javascript");
    for (const path of by) if (this.#isOfProject(path)) this.#cover(path, "kept");
    if (dependency !== undefined && isInside(dependency, this.#root)) this.#stands(dependency);
  }

  #short(path: string): string {
    return isInside(path, this.#root) ? relative(this.#root, path) || "." : path;
  }

  #real(path: string): string {
    return this.#files.real(path) ?? path;
  }
}

interface Text {
  readonly file: string;
  /** The folder that names in the text are relative to, besides the base folders, which count for every text. */
  readonly folder: string;
  readonly text: string;
  /** The line in the file at which the text is, if it is only a part of the file. */
  readonly line?: number;
  /** Whether the text is a started file, in whose folder its language looks for modules. */
  readonly isScript?: true;
}

/** Returns whether a pattern matches every name, so that it does not tell which file is meant. */
function isEverything(pattern: string): boolean {
  return !/[^*?/.]/.test(pattern);
}

const hashes = new WeakMap<Uint8Array, string>();

/** Returns the SHA-256 of bytes in hex; empty without bytes. Results are cached by the array, which must not change. */
export function sha256(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "";
  const known = hashes.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
  hashes.set(bytes, known);
  return known;
}
