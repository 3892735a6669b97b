import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, parse, sep } from "node:path";

/** Linux's own limit for a whole path; a write through more of them fails. */
const MOST_LINKS = 40;

/**
 * Where a write to an absolute path would end up: every link on the way is followed, even one whose target does not
 * exist. For a cycle of links, the path where it was noticed.
 */
export function landingOf(path: string): string {
  return landings()(path);
}

/**
 * The same for many paths at one moment: each folder that they have in common is looked at once. Not to be kept, since
 * links change.
 */
export function landings(): (path: string) => string {
  const targets = new Map<string, string | undefined>();
  const target = (path: string): string | undefined => {
    if (!targets.has(path)) targets.set(path, targetOf(path));
    return targets.get(path);
  };
  return (path) => {
    const start = recoded(path, "utf8", "latin1");
    let here = parse(start).root;
    const ahead = partsOf(start);
    for (let links = 0, part = ahead.pop(); part !== undefined; part = ahead.pop()) {
      // The folder above is that of the link's target, not of the link.
      const next = part === ".." ? dirname(here) : join(here, part);
      const to = part === ".." ? undefined : target(next);
      if (to === undefined || links === MOST_LINKS) {
        here = next;
        continue;
      }
      links += 1;
      here = parse(to).root || here;
      ahead.push(...partsOf(to));
    }
    return recoded(here, "latin1", "utf8");
  };
}

/** Paths are walked with a character for each byte, since a link on the way may have a name that is not UTF-8. */
function recoded(path: string, from: BufferEncoding, to: BufferEncoding): string {
  return Buffer.from(path, from).toString(to);
}

/** The names on the way to a path, the last one first. */
function partsOf(path: string): string[] {
  const parts = path.slice(parse(path).root.length).split(sep === "/" ? "/" : /[\\/]/);
  return parts.filter((part) => part !== "" && part !== ".").reverse();
}

/** A link's target; undefined if the path is not a link or cannot be read, in which case a write fails by itself. */
function targetOf(path: string): string | undefined {
  const name = Buffer.from(path, "latin1");
  try {
    return lstatSync(name).isSymbolicLink() ? readlinkSync(name, "latin1") : undefined;
  } catch {
    return undefined;
  }
}
