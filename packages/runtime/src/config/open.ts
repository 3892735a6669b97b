import { relative, resolve } from "node:path";
import { loadParser, type Parser } from "../command/parser.ts";
import { type Start, startsOf } from "../command/starts.ts";
import type { Candidate } from "../dialect/dialect.ts";
import { type Place, projectRoot } from "../dialect/project.ts";
import type { Closure, Covered } from "./closure.ts";
import { codeStarts } from "./code.ts";
import type { OpenPiece } from "./consent.ts";
import { type Names, normalized } from "./names.ts";

const LONGEST_PIECE = 120;

/**
 * What consent does not cover (decision 57): each piece of the definition, and of the files that it covers, that
 * computes what it starts. Everything that a piece starts is either among the covered files or listed here. `more` are
 * files that the definition loads as modules, besides those that it gives.
 */
export async function openPieces(
  candidate: Candidate,
  place: Place,
  closure: Closure,
  more: readonly string[] = [],
): Promise<readonly OpenPiece[]> {
  return new Opening(candidate, place, closure, await loadParser()).pieces(more);
}

interface Text {
  readonly file: string;
  readonly text: string;
  readonly names: Names;
}

class Opening {
  readonly #candidate: Candidate;
  readonly #place: Place;
  readonly #closure: Closure;
  readonly #parser: Parser;
  readonly #found: OpenPiece[] = [];
  /** Files that something starts; only then is a file without a telling name read as a program. */
  readonly #started = new Set<string>();
  readonly #read = new Set<string>();

  constructor(candidate: Candidate, place: Place, closure: Closure, parser: Parser) {
    this.#candidate = candidate;
    this.#place = place;
    this.#closure = closure;
    this.#parser = parser;
  }

  pieces(more: readonly string[]): readonly OpenPiece[] {
    const { source, files, commands = [] } = this.#candidate;
    const path = this.#real(source.path);
    for (const { text, names } of this.#closure.commands) {
      for (const start of startsOf(text, this.#parser)) this.#start(start, { file: path, text, names }, source.line);
    }
    if (commands.length === 0 && source.line === undefined) this.#started.add(path);
    const modules = new Set(source.api === undefined ? [] : [...files, ...more].map((file) => this.#real(file)));
    for (let before = -1; before !== this.#read.size; ) {
      before = this.#read.size;
      for (const [file, covered] of this.#closure.files) this.#file(file, covered, modules.has(file));
    }
    for (const { folder, by } of this.#closure.represented) {
      if (by.length === 0)
        this.#add({ piece: this.#short(folder), file: folder, why: "holds packages, and no lock file says which" });
    }
    return this.#found;
  }

  #file(file: string, { text: read }: Covered, isModule: boolean): void {
    if (read === undefined || this.#read.has(file)) return;
    const { text, language, names } = read;
    const mode = this.#place.files.stat(file)?.mode ?? 0;
    if (language === "unknown" && !this.#started.has(file) && (mode & 0o111) === 0) return;
    this.#read.add(file);
    const where: Text = { file, text, names };
    if (language === "binary" || (language === "unknown" && text.includes("\0")))
      this.#add({ piece: this.#short(file), file, why: "is a compiled program, whose starts cannot be read" });
    else if (language === "make") this.#add({ piece: this.#short(file), file, why: "decides by itself what it runs" });
    else if (text.includes("\ufffd"))
      this.#add({ piece: this.#short(file), file, why: "holds bytes that are not text" });
    if (language === "shell" || language === "unknown") {
      for (const start of startsOf(text.replaceAll("\0", ""), this.#parser)) this.#start(start, where);
    } else if (language !== "binary" && language !== "make") {
      for (const start of codeStarts(text, language, this.#parser)) {
        // A module's imports are loaded from the approved bytes or not at all.
        if (!(isModule && start.kind === "open" && start.why === "computes what it loads")) this.#start(start, where);
      }
    }
  }

  #start(start: Start, where: Text, line?: number): void {
    const { file, text, names } = where;
    const at = line ?? text.slice(0, start.at).split("\n").length;
    const open = (why: string): void => this.#add({ piece: start.piece, file, line: at, why });
    if (start.kind === "open") open(start.why);
    else if (start.kind === "code") {
      for (const inner of codeStarts(start.text, start.language, this.#parser))
        this.#start({ ...inner, piece: start.piece, at: start.at }, where, line);
    } else if (!this.#isCovered(start, names)) {
      open(start.kind === "folder" ? "goes to a folder whose files are not looked at" : "starts what is not covered");
    }
  }

  /** Whether the started file is covered, or could be covered only by a name that was tried. */
  #isCovered(start: Extract<Start, { kind: "file" | "folder" }>, names: Names): boolean {
    const path = normalized(start.path);
    if (path === "" || path.startsWith("~")) return true;
    if (start.isPattern) return names.patterns.has(path);
    const there = this.#closure.bases
      .map((base) => resolve(base, path))
      .filter((one) => this.#place.files.stat(one) !== undefined);
    if (start.kind === "folder")
      return there.length === 0 ? this.#isNamed(path, names) : there.every((one) => this.#isLookedIn(one));
    for (const one of there) this.#started.add(this.#real(one));
    if (there.length === 0) return this.#isNamed(path, names);
    return there.every((one) => this.#acts(this.#real(one)));
  }

  /** Whether a name that leads nowhere now would be found if it led somewhere later. */
  #isNamed(path: string, names: Names): boolean {
    return names.all.has(path) || names.all.has(path.replace(/^(?:\.\.\/)+/, ""));
  }

  #isLookedIn(folder: string): boolean {
    return this.#closure.bases.includes(folder) || !this.#isInProject(folder);
  }

  #acts(file: string): boolean {
    if (this.#place.files.stat(file)?.kind !== "file") return this.#isLookedIn(file);
    if (!this.#isInProject(file)) return true;
    const covered = this.#closure.files.get(file);
    const isDependency = this.#closure.represented.some(({ folder }) => file.startsWith(`${folder}/`));
    return covered !== undefined && (covered.text !== undefined || isDependency);
  }

  #isInProject(path: string): boolean {
    return this.#closure.bases.some((base) => path === base || path.startsWith(`${base}/`));
  }

  #add({ piece, ...rest }: OpenPiece): void {
    const line = piece.replaceAll(/\s+/g, " ").trim();
    const short = line.length > LONGEST_PIECE ? `${line.slice(0, LONGEST_PIECE - 1)}…` : line;
    const one = { piece: short, ...rest };
    if (!this.#found.some((known) => known.piece === short && known.file === one.file && known.line === one.line))
      this.#found.push(one);
  }

  #short(path: string): string {
    return relative(projectRoot(this.#place), path);
  }

  #real(path: string): string {
    return this.#place.files.real(path) ?? path;
  }
}
