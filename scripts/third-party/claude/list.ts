import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../../step.ts";

/** A file with hooks of a repository, and what it is: `plugin`, `project`, `settings` or `script`, with its path. */
export interface Entry {
  readonly plugin?: string;
  readonly project?: string;
  readonly settings?: string;
  readonly script?: string;
  /** The settings are the person's, not the project's. */
  readonly home?: true;
  /** Of a script: what it is called on. */
  readonly event?: string;
  readonly matcher?: string;
}

/** A public repository at one commit. */
export interface Repository {
  readonly repository: string;
  readonly commit: string;
  readonly entries: readonly Entry[];
}

/** Reads the list. */
export function readClaudeList(): readonly Repository[] {
  return parse(readFileSync(join(root, "third-party/claude.yaml"), "utf8")) as Repository[];
}

/** The entry's path in its repository. */
export function pathOf({ plugin, project, settings, script }: Entry): string {
  return plugin ?? project ?? settings ?? script ?? "";
}
