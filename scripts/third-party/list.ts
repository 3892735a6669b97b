import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../step.ts";

/** An extension, and what is known about how it works. */
export interface Listed {
  /** Its file in the package; without it, the whole package is used by name. */
  readonly path?: string;
  /** Its folder has its own manifest: it is copied and its dependencies are installed, as a person would do. */
  readonly installs?: true;
  /** Why it does not run, or only with errors; without a reason, it must run. */
  readonly why?: string;
  /** How it behaves differently than in pi, and why. */
  readonly differs?: string;
}

/** A third-party package or repository, as published. */
export interface Package extends Listed {
  /** For a repository: its address, as `github.com/OWNER/NAME`. */
  readonly name: string;
  /** For a repository: its commit. */
  readonly version: string;
  /** It is not a registry's package but a clone, which must be provided. */
  readonly clone?: true;
  /** The files and folders of a clone that are used; without it, the clone is one package. */
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
