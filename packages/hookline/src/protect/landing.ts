import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

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
  const landing = (path: string, links: number): string => {
    const parent = dirname(path);
    const here = parent === path ? path : join(landing(parent, links), basename(path));
    const to = links < MOST_LINKS ? target(here) : undefined;
    return to === undefined ? here : landing(resolve(dirname(here), to), links + 1);
  };
  return (path) => landing(path, 0);
}

/** A link's target; undefined if the path is not a link or cannot be read, in which case a write fails by itself. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
