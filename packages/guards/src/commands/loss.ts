import { join } from "node:path";
import type { Glob } from "@hookline/runtime/command";
import type { Lost } from "../cover.ts";
import { filesBelow, isRebuilt, whatIs } from "./places.ts";
import type { Entry, Repository } from "./repository.ts";

/** A loss that an effect would cause. */
export interface Loss {
  /** `refuse` for losses that nobody should cause through an agent. */
  readonly level: "ask" | "refuse";
  /** Completes "`COMMAND` would …": `delete a repository with its whole history`. */
  readonly would: string;
  /** Says what the command certainly does, instead of `would`: `deletes a bucket`. */
  readonly does?: string;
  /** The files, commits or words that show the loss, at most a few. */
  readonly evidence: readonly string[];
  /** An allowed alternative, as a sentence. */
  readonly instead: string;
  /** The place of the loss: a checkpoint can only cover losses in the project. */
  readonly where: "project" | "elsewhere" | "unknown";
  /** The setting with which a person can allow the loss; `commands.allow` by default. */
  readonly allowedBy?: "paths.allow" | "paths.noRead";
  /** The files and repository states that a checkpoint must restore, for a loss in the project. */
  readonly of?: readonly Lost[];
}

/** The folders and settings by which losses are judged. */
export interface Grounds {
  readonly project: string;
  readonly home: string;
  readonly temp: readonly string[];
  /** Folders outside the project that count as the project. */
  readonly outside: readonly string[];
  readonly rebuildable: readonly Glob[];
  readonly protectedBranches: readonly Glob[];
  /** Whether a path outside the project may be changed. */
  readonly isAllowed: (name: string) => boolean;
}

const COMMIT = "Commit or stash them first: `git stash push -u`.";

/** Makes a loss in the project. A checkpoint that covers it must restore `of`. */
export function lossOf(would: string, evidence: readonly string[], of: Lost | readonly Lost[], instead = COMMIT): Loss {
  const all = [of].flat();
  return { level: "ask", would, evidence: evidence.slice(0, 20), instead, where: "project", of: all };
}

/** Whether a file of a work tree is neither committed nor in the index, and no program can rebuild it. */
export function isAtRisk({ index, tree, path }: Entry, top: string, rebuildable: readonly Glob[]): boolean {
  if (tree === " " || tree === "D") return false;
  const isIgnored = index === "!";
  if (isRebuilt(path, isIgnored, rebuildable)) return false;
  const kind = whatIs(join(top, path));
  if (kind === "nothing" || kind === "other") return false;
  if (kind === "empty") return false;
  return !(path.endsWith("/") && (filesBelow(join(top, path)) ?? [path]).every((file) => isRebuilt(file, isIgnored)));
}

/** Whether a path equals `whole` (empty: the top folder), or is below it. */
export function isWithin(path: string, whole: string): boolean {
  return whole === "" || path === whole || path.startsWith(`${whole}/`);
}

/** Whether a path of `git status` is within `whole`, or is a folder (with a slash at its end) above it. */
export function isBelow(path: string, whole: string): boolean {
  return isWithin(path, whole) || (path.endsWith("/") && whole.startsWith(path));
}

/** Describes files that must be restored. */
export function files(paths: readonly string[]): Lost {
  return { kind: "files", paths };
}

/** Describes a repository's state that must be restored: its index, refs, stash and objects. */
export function stateOf({ top: folder }: Repository): Lost {
  return { kind: "repository", folder };
}

/** Formats a list as "a, b and c". */
const LIST = new Intl.ListFormat("en-GB");

/** Returns the first names for a sentence, and how many more there are. */
export function listed(names: readonly string[]): string {
  const few = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return LIST.format(few);
}
