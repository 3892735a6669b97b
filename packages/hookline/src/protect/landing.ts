import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, parse, sep } from "node:path";

/** Linux's limit for the links in one path; a write through more of them fails. */
const MOST_LINKS = 40;

/**
 * Returns the path to which a write to an absolute path would go, with all links resolved. Links to missing targets are
 * followed too. For a cycle of links, returns the path at which it was noticed.
 */
export function landingOf(path: string): string {
  return landings()(path);
}

/** Makes a resolver for many paths that reads each link only once. It must not be kept, because links change. */
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
      // `..` refers to the folder above the link's target, not above the link.
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

/** Changes the encoding of a path. In latin1 a character is one byte, which keeps names that are not valid UTF-8. */
function recoded(path: string, from: BufferEncoding, to: BufferEncoding): string {
  return Buffer.from(path, from).toString(to);
}

/** Returns the names in a path, the last one first. */
function partsOf(path: string): string[] {
  const parts = path.slice(parse(path).root.length).split(sep === "/" ? "/" : /[\\/]/);
  return parts.filter((part) => part !== "" && part !== ".").reverse();
}

/** Returns a link's target; undefined if the path is no link or cannot be read, in which case a write fails anyway. */
function targetOf(path: string): string | undefined {
  const name = Buffer.from(path, "latin1");
  try {
    return lstatSync(name).isSymbolicLink() ? readlinkSync(name, "latin1") : undefined;
  } catch {
    return undefined;
  }
}
