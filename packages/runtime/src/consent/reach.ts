import { basename, dirname } from "node:path";
import type { FileStat, Files } from "@hookline/ground";
import { theParser } from "../command/parser.ts";
import type { Candidate } from "../dialect/dialect.ts";
import type { ProjectFolders } from "../dialect/project.ts";
import type { Coverage, DataFile } from "./answers.ts";
import { coverageOf } from "./coverage.ts";
import { isOwnBusiness } from "./secret.ts";
import { SteadyFiles } from "./steady.ts";

interface Reached extends ReachedBy {
  readonly coverage: Coverage;
  /** Each path that was looked up, existing or not. */
  readonly asked: ReadonlySet<string>;
}

/** A definition, with what it was approved to read. */
export interface ReachedBy {
  readonly candidate: Candidate;
  readonly isGuard: boolean;
  /** The data files in the definition's approval. Tools may write those that git ignored when a person approved. */
  readonly agreed: readonly DataFile[] | undefined;
}

/**
 * The reverse of consent: finds the files that a session's hooks run or, if they are guards, read, whoever owns the
 * files. Such a file decides what runs or what is refused, so the agent's own tools ask before they write it
 * (guarantees R54).
 */
export class Reach {
  readonly #place: ProjectFolders;
  readonly #reached: readonly Reached[];

  /**
   * Every file and folder that decides which hooks run: searched places (even missing ones), definitions, and the files
   * that hooks run or read.
   */
  readonly places: readonly string[];

  constructor(found: readonly ReachedBy[], place: ProjectFolders, searched: readonly string[]) {
    this.#place = place;
    const steady = new SteadyFiles(place.files);
    this.#reached = found
      .filter(({ candidate }) => candidate.state === "runs")
      .map((one) => {
        const asked = new Set<string>();
        const files = new SteadyFiles(steady, (path) => asked.add(path));
        return { ...one, coverage: coverageOf(one.candidate, { ...place, files }, theParser()), asked };
      });
    const guarded = this.#reached.flatMap(({ isGuard, agreed = [], coverage }) => {
      if (!isGuard) return [];
      const isIgnored = new Map([...coverage.data, ...agreed].map((one) => [one.file, one.isIgnored === true]));
      return [...isIgnored].flatMap(([file, ignored]) =>
        steady.stat(file)?.kind === "file" && !ignored && !isOwnBusiness(file) ? [file] : [],
      );
    });
    const files = this.#reached.flatMap(({ coverage, candidate }) =>
      [...coverage.files.keys()].filter((path) => !isOwnBusiness(path) || candidate.files.includes(path)),
    );
    const defining = found.flatMap(({ candidate: { source, files: own } }) => [source.path, ...own]);
    this.places = [...new Set([...searched, ...defining, ...files, ...guarded])];
  }

  /** Returns whether a file that does not exist yet would be run, or would change what runs. */
  wouldReach(path: string): boolean {
    const near = this.#reached.filter(({ asked }) => asked.has(path) || asked.has(dirname(path)));
    if (near.length === 0) return false;
    const files = withFile(this.#place.files, path);
    return near.some(({ candidate, coverage }) => {
      const now = coverageOf(candidate, { ...this.#place, files }, theParser());
      const names = (of: Coverage): number => of.modules.reduce((sum, one) => sum + one.names.length, 0);
      return (
        now.files.has(path) ||
        now.files.size > coverage.files.size ||
        now.open.length > coverage.open.length ||
        names(now) > names(coverage)
      );
    });
  }
}

/** Returns the same files as if one more, empty file existed. */
function withFile(files: Files, path: string): Files {
  const stat: FileStat = { kind: "file", size: 0, mtimeMs: 0, mode: 0o755 };
  return {
    read: (one) => (one === path ? new Uint8Array() : files.read(one)),
    head: (one) => (one === path ? new Uint8Array() : files.head?.(one)),
    stat: (one) => (one === path ? stat : files.stat(one)),
    real: (one) => (one === path ? path : files.real(one)),
    list: (one) =>
      one === dirname(path) ? [...(files.list(one) ?? []), { name: basename(path), kind: "file" }] : files.list(one),
  };
}
