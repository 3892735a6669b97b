import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const MOST_LINKS = 40;

/**
 * Where a write to an absolute path would end up: every link on the way is followed, even one whose target does not
 * exist. For a cycle of links, the path where it was noticed.
 */
export function landingOf(path: string, links = 0): string {
  const parent = dirname(path);
  const here = parent === path ? path : join(landingOf(parent, links), basename(path));
  const target = links < MOST_LINKS ? targetOf(here) : undefined;
  return target === undefined ? here : landingOf(resolve(dirname(here), target), links + 1);
}

/** A link's target; undefined if the path is not a link or cannot be read, in which case a write fails by itself. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
