import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { diagnose, messageOf, type Tier } from "@hookline/runtime/internal";
import { kindAt, namesIn, QUIETLY, type Searching, textAt } from "../file/look.ts";
import { type Frontmatter, readFrontmatter } from "./frontmatter.ts";

/** A place where files of one kind may be: a folder, or with `explicit` a file or folder that was named. */
export interface ResourcePlace {
  readonly path: string;
  readonly tier: Tier;
  readonly explicit?: boolean;
  /** What the file holds, where it was read before: the disk may hold something else by now. */
  readonly text?: string;
  /** Files that lie there and are not read, with links resolved. */
  readonly except?: ReadonlySet<string>;
  /** Whether only folders with a `SKILL.md` are skills there, and `.md` files that lie in it are none. */
  readonly isStrict?: boolean;
}

/** A Markdown file, read. */
export interface MarkdownFile extends Frontmatter {
  readonly path: string;
  readonly tier: Tier;
}

/** The Markdown files that lie directly in a place, or the one that it names; what is of no use is reported. */
export function markdownIn(place: ResourcePlace, report: Searching["report"] = QUIETLY.report): string[] {
  const searching = { tier: place.tier, report };
  const kind = kindAt(place.path, searching);
  if (kind === "file") return place.path.endsWith(".md") ? [place.path] : [];
  if (kind === "nothing") return [];
  return namesIn(place.path, searching)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(place.path, name))
    .filter((path) => kindAt(path, searching) === "file");
}

/** Reads one file; what is wrong with it is reported and it is left out. */
export async function readMarkdown(
  place: ResourcePlace,
  report: (diagnostic: Diagnostic) => void,
): Promise<MarkdownFile | undefined> {
  const { path, tier } = place;
  let text: string;
  try {
    if (place.except?.has(realpathSync(path)) === true) return undefined;
    text = place.text ?? textAt(path);
  } catch (thrown) {
    report(diagnose("UNREADABLE", { path, problem: messageOf(thrown) }, { source: { path, tier } }));
    return undefined;
  }
  try {
    return { path, tier, ...(await readFrontmatter(text)) };
  } catch (thrown) {
    const problem = messageOf(thrown).split("\n")[0] ?? "";
    report(diagnose("SYNTAX", { path, line: 1, problem }, { source: { path, tier } }));
    return undefined;
  }
}

/** Paths that hooks have named, as places; relative ones belong to the working directory. */
export function namedPlaces(paths: readonly string[], cwd: string, home: string): ResourcePlace[] {
  return paths.map((path) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : isAbsolute(path) ? path : resolve(cwd, path);
    return { path: full, tier: "user", explicit: true };
  });
}
