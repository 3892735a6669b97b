import { join } from "node:path";
import type { Lost } from "../cover.ts";
import { filesBelow, isRebuilt, whatIs } from "./places.ts";
import type { Entry, Repository } from "./repository.ts";

/** A loss that an effect would cause. */
export interface Loss {
  /** `refuse` for what nobody should run through an agent. */
  readonly level: "ask" | "refuse";
  /** Completes "`COMMAND` would …". */
  readonly would: string;
  /** Completes "`COMMAND` …" in its place, for an effect that is certain: `deletes a bucket`. */
  readonly does?: string;
  /** The files, commits or words that show it, at most a few. */
  readonly evidence: readonly string[];
  /** A way that is allowed, as a sentence. */
  readonly instead: string;
  /** The place of the loss: only what is in the project can be covered by a checkpoint. */
  readonly where: "project" | "elsewhere" | "unknown";
  /** The setting of a person that allows it; `commands.allow` by default. */
  readonly allowedBy?: "paths.allow" | "paths.noRead";
  /** The things that a checkpoint must bring back, for a loss in the project. */
  readonly of?: readonly Lost[];
}

/** The folders among which losses are judged. */
export interface Grounds {
  readonly project: string;
  readonly home: string;
  readonly temp: readonly string[];
  /** Folders that count as the project. */
  readonly outside: readonly string[];
  readonly rebuildable: readonly RegExp[];
  readonly protectedBranches: readonly RegExp[];
  /** Whether a path outside the project may be changed. */
  readonly isAllowed: (name: string) => boolean;
}

const COMMIT = "Commit or stash them first: `git stash push -u`.";

/** Makes the loss of something in the project, which a checkpoint of `of` would bring back. */
export function lossOf(would: string, evidence: readonly string[], of: Lost | readonly Lost[], instead = COMMIT): Loss {
  const all = [of].flat();
  return { level: "ask", would, evidence: evidence.slice(0, 20), instead, where: "project", of: all };
}

/** Whether a file of a work tree is in no commit and not in the index, and no program makes it again. */
export function isAtRisk({ index, tree, path }: Entry, top: string, rebuildable: readonly RegExp[]): boolean {
  if (tree === " " || tree === "D") return false;
  const isIgnored = index === "!";
  if (isRebuilt(path, isIgnored, rebuildable)) return false;
  const kind = whatIs(join(top, path));
  if (kind === "nothing" || kind === "other") return false;
  if (kind === "empty") return false;
  return !(path.endsWith("/") && (filesBelow(join(top, path)) ?? [path]).every((file) => isRebuilt(file, isIgnored)));
}

/** Whether a path of `git status` is a path, is below it, or is a folder above it. */
export function isBelow(path: string, whole: string): boolean {
  return (
    whole === "" ||
    path === whole ||
    path.startsWith(`${whole}/`) ||
    (path.endsWith("/") && (path === `${whole}/` || whole.startsWith(path)))
  );
}

/** Files as something to bring back. */
export function files(paths: readonly string[]): Lost {
  return { kind: "files", paths };
}

/** Returns the state of a repository: its index, refs, stash and objects. */
export function stateOf({ top: folder }: Repository): Lost {
  return { kind: "repository", folder };
}

/** Writes a list as "a, b and c". */
const LIST = new Intl.ListFormat("en-GB");

/** Returns some of the names for a sentence, and how many more there are. */
export function listed(names: readonly string[]): string {
  const few = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return LIST.format(few);
}
