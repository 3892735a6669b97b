import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A state of a folder: a line for each thing in it, with its kind, permissions and content, by its path. */
export type Copy = ReadonlyMap<string, string>;

/** Takes a full copy of a folder by reading all of it, object stores included. Names are read as bytes. */
export function copyOf(root: string, isWanted: (path: string) => boolean = () => true): Copy {
  const copy = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(bytes(`${root}/${path}`), "latin1")) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (!isWanted(inner)) continue;
      const at = bytes(`${root}/${inner}`);
      const stats = lstatSync(at);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        copy.set(inner, `folder ${mode}`);
        walk(inner);
      } else if (stats.isSymbolicLink()) copy.set(inner, `link ${readlinkSync(at, "latin1")}`);
      else if (stats.isFile()) copy.set(inner, `file ${mode} ${readFileSync(at, "latin1")}`);
    }
  };
  walk("");
  return copy;
}

/** Returns the paths in which two copies differ. */
export function differences(some: Copy, others: Copy): string[] {
  return [...new Set([...some.keys(), ...others.keys()])].filter((path) => some.get(path) !== others.get(path)).sort();
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
