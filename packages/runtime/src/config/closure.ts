import { basename, dirname, join, resolve } from "node:path";
import type { Candidate } from "../dialect/dialect.ts";
import { globFiles } from "../dialect/inprocess/glob.ts";
import { isInside, type Place, projectRoot } from "../dialect/project.ts";
import { dependencyFolder, type Represented, represented } from "./dependencies.ts";
import { isCode, isData, type Language, languageOf } from "./language.ts";
import { folded, type Name, type Names, namesOf } from "./names.ts";
import { isCheckedPython } from "./python.ts";
import { type SteadyFiles, steady } from "./steady.ts";
import { LIMITS } from "./tree.ts";

/** A file whose bytes an item covers. */
export interface Covered {
  readonly bytes: Uint8Array;
  /** The file names that it was found under: its own, and those of links that lead to it. */
  readonly called: ReadonlySet<string>;
  /** Absent for data: as far as can be read, nothing starts, sources or imports it. */
  readonly text?: { readonly text: string; readonly language: Language; readonly names: Names };
}

/** Everything of a project that an item names, and that those files name in turn (decision 57). */
export interface Closure {
  /** By the path with all links resolved; a missing file has no bytes. */
  readonly files: ReadonlyMap<string, Covered>;
  /** The folders in which names were tried. */
  readonly bases: readonly string[];
  /** What its commands name. */
  readonly commands: readonly { readonly text: string; readonly names: Names }[];
  /** Whether a name in a text in one folder may be relative to another. */
  mayMean(from: string, base: string): boolean;
  /** Dependency folders in which something names a file; their lock files are among the files. */
  readonly represented: readonly Represented[];
  /** The limit that was reached. */
  readonly refused?: string;
}

/**
 * Follows the names in the definition's commands and in each covered file. Each name is tried in every folder to which
 * it could be relative: the session's folder, the folder of each covered file, and every folder that is named. `more`
 * is covered as well.
 */
export function closureOf(candidate: Candidate, place: Place, more: readonly string[] = []): Closure {
  const closing = new Closing(place, candidate);
  const commands = (candidate.commands ?? []).map((text) => ({ text, names: namesIn(text, "shell") }));
  for (const folder of candidate.folders ?? []) closing.base(folder);
  for (const { names } of commands) closing.names(names, place.cwd);
  // Data among a command's words is found by its name, or left out because the command writes it.
  const isWord = (path: string): boolean => commands.length > 0 && isData(path) && path !== candidate.source.path;
  for (const path of [...candidate.files.filter((one) => !isWord(one)), ...more]) closing.given(path);
  return { ...closing.close(), commands };
}

/** The endings of a module's file name. */
const ENDING = /^\.(?:cpython-[\w-]+\.|abi3\.)?\w+$/;
/** Files that a language loads for the folder that contains them. */
const OF_FOLDER = /^(?:(?:index|__init__|__main__|mod)\.\w+|package\.json|init\.lua)$/;

const MOST_REMEMBERED = 512;
const remembered = new Map<string, Names>();

/** The names in a text; each text is read once. */
function namesIn(text: string, language: Language): Names {
  const key = `${language}\0${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const names = namesOf(text, language);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, names);
  return names;
}

class Closing {
  readonly #cwd: string;
  /** The project's folder; for a person's own hook, their home. */
  readonly #root: string;
  /** The file of which the definition is one entry: its other entries are not this one's. */
  readonly #entryOf: string | undefined;
  /** Texts for the model start nothing. */
  readonly #isText: boolean;
  readonly #covered = new Map<string, Covered>();
  readonly #files: SteadyFiles;
  readonly #represented = new Map<string, Represented>();
  readonly #bases = new Set<string>();
  readonly #texts: { readonly names: Names; readonly folder: string }[] = [];
  readonly #isProject: boolean;
  readonly #todo: (() => void)[] = [];
  #bytes = 0;
  #refused: string | undefined;

  constructor(place: Place, { source, commands, isText }: Candidate) {
    this.#isText = isText === true;
    this.#files = steady(place.files);
    this.#cwd = place.cwd;
    const isProject = source.tier === "project" || place.home === undefined;
    this.#root = isProject ? projectRoot({ ...place, files: this.#files }) : (place.home as string);
    this.#isProject = isProject;
    if (isProject || commands !== undefined) this.base(place.cwd);
    if (!isProject) this.base(this.#root);
    this.#entryOf = source.line !== undefined || commands !== undefined ? source.path : undefined;
  }

  /** Tries all names in all folders until nothing new is found. */
  close(): Omit<Closure, "commands"> {
    for (let next = this.#todo.pop(); next !== undefined && this.#refused === undefined; next = this.#todo.pop())
      next();
    const files = new Map([...this.#covered].sort(([a], [b]) => (a < b ? -1 : 1)));
    const found = {
      files,
      represented: [...this.#represented.values()],
      bases: [...this.#bases],
      mayMean: (from: string, base: string) => this.#mayMean(from, base),
    };
    return this.#refused === undefined ? found : { ...found, refused: this.#refused };
  }

  /** Covers a file that the definition gives, wherever it is. */
  given(path: string): void {
    const isRead = this.#isText || isData(path) || path === this.#entryOf || this.#dependency(path) !== undefined;
    this.#cover(path, isRead ? "data" : "acts");
  }

  /** Tries names in every folder known so far, and in those found later. */
  names(names: Names, folder: string): void {
    for (const base of this.#bases) if (this.#mayMean(folder, base)) this.#todo.push(() => this.#try(names, base));
    this.#texts.push({ names, folder });
    for (const name of names.packages) this.#todo.push(() => this.#package(name, folder));
  }

  /** Adds a folder in which names are tried. */
  base(folder: string): void {
    if (this.#bases.has(folder)) return;
    this.#bases.add(folder);
    for (const text of this.#texts) {
      if (this.#mayMean(text.folder, folder)) this.#todo.push(() => this.#try(text.names, folder));
    }
  }

  #try(names: Names, base: string): void {
    const { byKey } = this.#files.listing(base);
    const keys = byKey.size < names.inward.size ? byKey.keys() : names.inward.keys();
    for (const key of keys) {
      const entries = byKey.get(key) ?? [];
      for (const name of entries.length > 0 ? (names.inward.get(key) ?? []) : []) {
        // A module's name is a file name up to one of its dots.
        const isWhole = entries.some((entry) => folded(entry) === key);
        if (isWhole || (name.isStem && !name.path.includes("/"))) this.#at(name, names, base);
      }
    }
    for (const name of names.outward) this.#at(name, names, base);
    for (const pattern of names.patterns) {
      const loose = pattern.replaceAll(/\[[^\]]+\]/g, "?");
      for (const path of globFiles(this.#files, base, loose)) this.#found(path, names.started.has(pattern));
    }
  }

  #at(name: Name, names: Names, base: string): void {
    const path = resolve(base, name.path);
    // An absolute path that leads elsewhere names nothing in the project.
    if (name.path.startsWith("/") && !isInside(path, this.#root) && !isInside(path, this.#cwd)) return;
    if (name.isStem) this.#module(path);
    else if (!names.written.has(name.path) || !isData(path)) this.#found(path, names.started.has(name.path));
  }

  #found(path: string, isStarted: boolean): void {
    const kind = this.#files.stat(path)?.kind;
    const inside = this.#dependency(path);
    if (inside !== undefined && kind === "file" && this.#stands(inside)) this.#cover(path, "data");
    else if (kind === "file") this.#cover(path, isStarted || !isData(path) ? "acts" : "data");
    else if (kind === "directory" && inside === undefined && this.#mayHold(path)) this.base(path);
  }

  /** Words in a person's own script are not relative to the open project's folder; a command's words are. */
  #mayMean(from: string, base: string): boolean {
    return this.#isProject || isInside(from, this.#cwd) || !isInside(base, this.#cwd);
  }

  /**
   * Whether names are tried in a folder. A name may lead out of the project and back, but not across the whole machine.
   */
  #mayHold(folder: string): boolean {
    return isInside(folder, dirname(this.#root)) || isInside(folder, this.#cwd);
  }

  /** Finds a module by its name: the files that a language would load for it. */
  #module(path: string): void {
    const files = this.#files;
    const inside = this.#dependency(path);
    if (inside !== undefined && this.#stands(inside)) return;
    const last = folded(basename(path));
    const folder = dirname(path);
    for (const name of files.listing(folder).names) {
      const entry = folded(name);
      if (entry === last) this.#moduleFolder(join(folder, name));
      else if (entry.startsWith(`${last}.`) && ENDING.test(name.slice(last.length)) && isCode(name))
        this.#cover(join(folder, name), "acts");
    }
    // Compiled files that run instead of their source.
    for (const name of files.listing(join(folder, "__pycache__")).names) {
      const compiled = join(folder, "__pycache__", name);
      if (name.startsWith(`${basename(path)}.`) && !isCheckedPython(name, files.read(compiled) ?? new Uint8Array()))
        this.#cover(compiled, "acts");
    }
  }

  #moduleFolder(path: string): void {
    const files = this.#files;
    if (files.stat(path)?.kind !== "directory") return;
    for (const name of files.listing(path).names) {
      if (OF_FOLDER.test(name) && isCode(name)) this.#cover(join(path, name), "acts");
    }
    this.base(path);
  }

  /** A package that is imported by its name, if it is in this project. */
  #package(name: string, folder: string): void {
    const files = this.#files;
    const parts = name.split("/").slice(0, name.startsWith("@") ? 2 : 1);
    for (let at = folder; isInside(at, this.#root); at = dirname(at)) {
      const installed = join(at, "node_modules", ...parts);
      const real = files.real(installed);
      if (real !== undefined && this.#dependency(real) === undefined) {
        // A link to a package of the same project.
        this.#moduleFolder(real);
        this.#module(join(real, ...name.split("/").slice(parts.length)));
        return;
      }
      if (real !== undefined) {
        this.#stands(join(at, "node_modules"));
        return;
      }
    }
  }

  /** Whether lock files cover a dependency folder; if so, they are part of the closure. */
  #stands(folder: string): boolean {
    if (this.#represented.has(folder)) return true;
    const found = represented(this.#files, folder, this.#root);
    // A folder `vendor` without a lock file is a folder like any other.
    if (found.by.length === 0 && basename(folder) === "vendor") return false;
    this.#represented.set(folder, found);
    for (const lock of found.by) this.#cover(lock, "data");
    return true;
  }

  #cover(path: string, role: "acts" | "data"): void {
    if (this.#refused !== undefined) return;
    const files = this.#files;
    const real = files.real(path) ?? path;
    const known = this.#covered.get(real);
    const called = new Set([...(known?.called ?? []), basename(real), basename(path)]);
    if (known !== undefined && called.size > known.called.size) this.#covered.set(real, { ...known, called });
    if (known !== undefined && (known.text !== undefined || role === "data")) {
      if (role === "acts") this.base(dirname(path));
      return;
    }
    const stat = files.stat(real);
    if (known === undefined) {
      this.#bytes += stat?.kind === "file" ? stat.size : 0;
      if (this.#covered.size >= LIMITS.files || this.#bytes > LIMITS.bytes) {
        this.#refused = `it names more than ${LIMITS.files} files or 16 MiB`;
        return;
      }
    }
    const bytes = known?.bytes ?? (stat?.kind === "file" ? files.read(real) : undefined) ?? new Uint8Array();
    const isProgram = stat !== undefined && (stat.mode & 0o111) !== 0 && bytes[0] === 0x23 && bytes[1] === 0x21;
    if (role === "data" && !isProgram) {
      this.#covered.set(real, { bytes, called });
      return;
    }
    const text = new TextDecoder().decode(bytes);
    const own = languageOf(real, text);
    const language = own === "unknown" ? languageOf(path, text) : own;
    const names = namesIn(text, language);
    this.#covered.set(real, { bytes, called, text: { text, language, names } });
    this.base(dirname(path));
    if (dirname(real) !== dirname(path)) this.base(dirname(real));
    this.names(names, dirname(real));
  }

  /** The dependency folder that contains a path; folders above the project do not matter. */
  #dependency(path: string): string | undefined {
    if (!isInside(path, this.#root)) return dependencyFolder(path);
    const below = dependencyFolder(path.slice(this.#root.length));
    return below === undefined ? undefined : join(this.#root, below);
  }
}
