import { dirname, extname, relative } from "node:path";
import type { Candidate } from "../dialect/dialect.ts";
import { globMatch } from "../dialect/inprocess/glob.ts";
import type { Place } from "../dialect/project.ts";
import { type Closure, closureOf } from "./closure.ts";
import { needsConsent } from "./consent.ts";
import { isCode, isData } from "./language.ts";
import { folded, type Names } from "./names.ts";
import { steady } from "./steady.ts";

interface Reached {
  readonly closure: Closure;
  /** Whether the data that it names counts: a hook that needs consent does not run after that data changes. */
  readonly withData: boolean;
}

/**
 * The reverse of consent: the files that a session's hooks reach by names, whoever owns them. Such a file decides what
 * runs, so the agent's own tools ask before they write it (guarantees R54).
 */
export class Reach {
  readonly #cwd: string;
  readonly #reached: readonly Reached[];

  /**
   * Every file and folder that decides which hooks run: searched places (even missing ones), definitions, and reached
   * files.
   */
  readonly places: readonly string[];

  constructor(found: readonly { readonly candidate: Candidate }[], place: Place, searched: readonly string[]) {
    const candidates = found.map(({ candidate }) => candidate);
    this.#cwd = place.cwd;
    const looked = { ...place, files: steady(place.files) };
    this.#reached = candidates
      .filter(({ state }) => state === "runs")
      .map((candidate) => ({ closure: closureOf(candidate, looked), withData: needsConsent(candidate) }));
    const files = this.#reached.flatMap(({ closure, withData }) =>
      [...closure.files].flatMap(([path, { text }]) => (withData || text !== undefined ? path : [])),
    );
    const defining = candidates.flatMap(({ source, files: own }) => [source.path, ...own]);
    this.places = [...new Set([...searched, ...defining, ...files])];
  }

  /** Whether a file that does not exist yet would be reached, by a name, a pattern or an import that fits it. */
  wouldReach(path: string): boolean {
    return this.#reached.some(({ closure }) => {
      // Data that appears later changes nothing that was approved.
      if (isData(path)) return false;
      const commands = closure.commands.map(({ names }) => ({ names, folder: this.#cwd }));
      const files = [...closure.files].flatMap(([file, { text }]) =>
        text === undefined ? [] : { names: text.names, folder: dirname(file) },
      );
      return [...commands, ...files].some(({ names, folder }) =>
        closure.bases.some((base) => {
          const below = relative(base, path);
          return below !== "" && !below.startsWith("..") && closure.mayMean(folder, base) && fits(names, below);
        }),
      );
    });
  }
}

function fits(names: Names, below: string): boolean {
  if (names.started.has(below)) return true;
  if (!isCode(below)) return false;
  if (names.all.has(below)) return true;
  for (const pattern of names.patterns) if (globMatch(pattern.replaceAll(/\[[^\]]+\]/g, "?"), below)) return true;
  const stem = below.slice(0, -extname(below).length);
  const last = stem.split("/").at(-1) ?? "";
  const stems = /^(?:index|__init__|__main__)$/.test(last) ? [stem, stem.slice(0, -last.length - 1)] : [stem];
  return stems.some((one) =>
    names.inward.get(folded(one.split("/", 1)[0] ?? ""))?.some((name) => name.isStem && name.path === one),
  );
}
