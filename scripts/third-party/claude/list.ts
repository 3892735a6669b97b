import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../../step.ts";

/** Path of a file with hooks in a repository, in the field of its kind: `plugin`, `project`, `settings` or `script`. */
export interface Entry {
  readonly plugin?: string;
  readonly project?: string;
  readonly settings?: string;
  readonly script?: string;
  /** Set if the settings are the person's, not the project's. */
  readonly home?: true;
  /** For a script: the event on which to call it. */
  readonly event?: string;
  readonly matcher?: string;
}

/** A public repository at one commit. */
export interface Repository {
  readonly repository: string;
  readonly commit: string;
  readonly entries: readonly Entry[];
}

/** Reads the list of repositories. */
export function readClaudeList(): readonly Repository[] {
  return parse(readFileSync(join(root, "third-party/claude.yaml"), "utf8")) as Repository[];
}

/** Returns the entry's path in its repository. */
export function pathOf({ plugin, project, settings, script }: Entry): string {
  return plugin ?? project ?? settings ?? script ?? "";
}
