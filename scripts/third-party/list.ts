import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../step.ts";

/** An extension, and what is known of how it does. */
export interface Listed {
  /** Its file in the package; without one the package is used as a whole, by its name. */
  readonly path?: string;
  /** Its folder has a manifest of its own: it is copied, and what it needs is installed, as a person would. */
  readonly installs?: true;
  /** Why it does not run, or not without an error; without it, it must. */
  readonly why?: string;
  /** In which way it does otherwise than in pi, and why. */
  readonly differs?: string;
}

/** A package or a repository as it was published by somebody else. */
export interface Package extends Listed {
  /** Of a repository: where it is, as `github.com/OWNER/NAME`. */
  readonly name: string;
  /** Of a repository: its commit. */
  readonly version: string;
  /** It is no package of a registry but a clone, which is handed in. */
  readonly clone?: true;
  /** What of a clone is used, as files and folders; without it the clone is one package. */
  readonly paths?: readonly string[];
  readonly by: string;
  readonly extensions?: readonly Listed[];
}

/** The list: packages, and the names of those that the registry did not have. */
export interface List {
  readonly packages: readonly Package[];
  readonly absent: readonly string[];
}

/** Reads the list. */
export function readList(): List {
  return parse(readFileSync(join(root, "third-party/list.yaml"), "utf8")) as List;
}
