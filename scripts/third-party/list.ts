import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../step.ts";

/** An extension, and what is known about how it works. */
export interface Listed {
  /** Path of the extension's file in the package; without it, the whole package is used by name. */
  readonly path?: string;
  /**
   * Set if the extension's folder has its own manifest: the folder is copied and its dependencies are installed, as a
   * person would do.
   */
  readonly installs?: true;
  /** The reason why the extension does not run, or only with errors; without a reason, it must run. */
  readonly why?: string;
  /** The difference from its behavior in pi, and the reason. */
  readonly differs?: string;
}

/** A third-party package or repository, as published. */
export interface Package extends Listed {
  /** The package's name; for a repository its address, as `github.com/OWNER/NAME`. */
  readonly name: string;
  /** The package's version; for a repository its commit. */
  readonly version: string;
  /** Set for a clone that must be provided, instead of a package from the registry. */
  readonly clone?: true;
  /** The files and folders of a clone that are used; without it, the clone is one package. */
  readonly paths?: readonly string[];
  readonly by: string;
  readonly extensions?: readonly Listed[];
}

/** The list of packages, and the names of those that the registry did not have. */
export interface List {
  readonly packages: readonly Package[];
  readonly absent: readonly string[];
}

/** Reads the list. */
export function readList(): List {
  return parse(readFileSync(join(root, "third-party/list.yaml"), "utf8")) as List;
}
