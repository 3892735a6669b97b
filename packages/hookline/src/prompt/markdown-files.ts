import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { diagnose, messageOf, type Tier } from "@hookline/ground";
import { kindAt, namesIn, QUIETLY, type Searching, tellFile, textAt } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import { type Frontmatter, fieldsFault, readFrontmatter } from "./frontmatter.ts";

/** A folder to search for files of one kind, or a single file. */
export interface ResourcePlace {
  readonly path: string;
  readonly tier: Tier;
  /** The content of the file if it was read before: the approved text, even if the file on disk has changed. */
  readonly text?: string;
  /** Real paths of files that must not be read, because they still wait for approval. */
  readonly except?: ReadonlySet<string>;
  /** Whether only folders with a `SKILL.md` are skills, and not single `.md` files. */
  readonly isStrict?: boolean;
}

/** A Markdown file that has been read. */
export interface MarkdownFile extends Frontmatter {
  readonly path: string;
  readonly tier: Tier;
}

/** Returns the Markdown files directly in a folder, or the named file. Unusable ones are reported. */
export function markdownIn(place: ResourcePlace, report: Searching["report"] = QUIETLY.report): string[] {
  const searching = { tier: place.tier, report };
  const kind = kindAt(place.path, searching);
  if (kind === "file" && place.path.endsWith(".md")) return [place.path];
  if (kind === "file") tellFile(place.path, searching);
  if (kind !== "folder") return [];
  return namesIn(place.path, searching)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(place.path, name))
    .filter((path) => kindAt(path, searching) === "file");
}

/** Reads one Markdown file. A file with a problem is reported and left out. */
export async function readMarkdown(
  place: ResourcePlace,
  report: (diagnostic: Diagnostic) => void,
): Promise<MarkdownFile | undefined> {
  const { path, tier } = place;
  let text: string;
  try {
    if (place.except?.has(realpathSync.native(path)) === true) return undefined;
    text = place.text ?? textAt(path);
  } catch (thrown) {
    report(diagnose("UNREADABLE", { path, problem: messageOf(thrown) }, { source: { path, tier } }));
    return undefined;
  }
  try {
    return { path, tier, ...(await readFrontmatter(text)) };
  } catch (thrown) {
    report(diagnose("SYNTAX", { path, ...fieldsFault(thrown) }, { source: { path, tier } }));
    return undefined;
  }
}

/** Turns paths that hooks have named into places to search. Relative paths start at the working directory. */
export function namedPlaces(paths: readonly string[], cwd: string, home: string): ResourcePlace[] {
  return paths.map((path) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : isAbsolute(path) ? path : resolve(cwd, path);
    return { path: full, tier: "user" };
  });
}
