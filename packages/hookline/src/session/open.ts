import { lstatSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Owner } from "@hookline/ground/system";
import { sessionDirectory, sessionsRoot, tightenDirectory } from "./directory.ts";
import type { SessionEntry } from "./entry.ts";
import { findByPrefix, mostRecent } from "./find.ts";
import { fileName, folderIn, newHeader } from "./header.ts";
import { chosenId } from "./id.ts";
import { loadSession } from "./load.ts";
import { acquireLock } from "./lock.ts";
import { SessionStore, type StoreOptions } from "./store.ts";

/** Says which session is opened or created. */
export type SessionRequest =
  | { readonly kind: "new"; readonly id?: string; readonly parentSession?: string }
  /** A session file. If it does not exist, it is created with `id`. `cwd` overrides the folder in its header. */
  | { readonly kind: "file"; readonly path: string; readonly cwd?: string; readonly id?: string }
  /** The most recently written session of the folder; a new one if there is none. */
  | { readonly kind: "recent" }
  /** The session whose id begins with `prefix`; if the folder of sessions has none, one of any folder. */
  | { readonly kind: "id"; readonly prefix: string }
  | { readonly kind: "memory"; readonly id?: string; readonly entries?: readonly SessionEntry[] };

/** The folders of sessions. The default is the working directory's folder in hookline's home. */
export interface SessionPlace {
  readonly cwd: string;
  readonly home?: string;
  /** One folder for the sessions of all working directories. */
  readonly sessionDir?: string;
}

/** A session, and the working directory and the session folder for which it was opened. */
export interface OpenStore {
  readonly store: SessionStore;
  readonly cwd: string;
  readonly sessionDir: string;
}

/** The result of opening a session. Each failure has the details for a message. */
export type OpenResult<T = OpenStore> =
  | { readonly state: "open"; readonly session: T /** Whether the session is new. */; readonly fresh: boolean }
  | { readonly state: "held"; readonly path: string; readonly owner: Owner }
  | { readonly state: "ambiguous"; readonly prefix: string; readonly paths: readonly string[] }
  | { readonly state: "missing"; readonly prefix: string }
  | { readonly state: "refused"; readonly path: string; readonly problem: string };

/** Finds, reads and locks a session. With `claim: "later"`, the first append that writes takes the lock. */
export function openStore(
  request: SessionRequest,
  place: SessionPlace,
  options: StoreOptions = {},
  claim: "now" | "later" = "now",
): OpenResult {
  const cwd = resolve(place.cwd);
  switch (request.kind) {
    case "new": {
      const sessionDir = folderOf(place);
      return opened(newStore(request, cwd, sessionDir, options), cwd, sessionDir, true);
    }
    case "memory":
      return opened(memoryStore(request, cwd, options), cwd, "", true);
    case "recent": {
      const sessionDir = folderOf(place);
      const path = mostRecent(sessionDir, place.sessionDir === undefined ? undefined : cwd);
      if (path === undefined) return openStore({ kind: "new" }, place, options, claim);
      return openFile({ kind: "file", path }, { cwd, sessionDir }, options, claim);
    }
    case "id": {
      const paths = findByPrefix(folderOf(place), sessionsRoot(place.home), request.prefix);
      const [path] = paths;
      if (path === undefined) return { state: "missing", prefix: request.prefix };
      if (paths.length > 1) return { state: "ambiguous", prefix: request.prefix, paths };
      return openFile({ kind: "file", path }, { cwd, sessionDir: dirname(path) }, options, claim);
    }
    case "file": {
      const sessionDir = place.sessionDir === undefined ? dirname(resolve(request.path)) : folderOf(place);
      return openFile(request, { cwd, sessionDir }, options, claim);
    }
  }
}

/** Opens a session for an extension. Throws where `openStore` returns a failure; the first append takes the lock. */
export function openedStore(request: SessionRequest, place: SessionPlace, options: StoreOptions): OpenStore {
  const result = openStore(request, place, options, "later");
  if (result.state === "open") return result.session;
  if (result.state === "refused") {
    throw new Error(`Session file is not a valid hookline session: ${result.path} (${result.problem})`);
  }
  throw new Error(`Session could not be opened: ${JSON.stringify(result)}`);
}

function openFile(
  request: SessionRequest & { kind: "file" },
  place: { readonly cwd: string; readonly sessionDir: string },
  options: StoreOptions,
  claim: "now" | "later",
): OpenResult {
  const path = resolve(request.path);
  const kind = kindOf(path);
  if (kind === "absent")
    return opened(emptyStore(path, false, place.cwd, options, request.id), place.cwd, place.sessionDir, true);
  if (kind !== "file") return { state: "refused", path, problem: `it is ${kind}` };

  // The lock is taken before the file is read, so that no other process writes in between.
  const first = claim === "now" ? acquireLock(path) : undefined;
  if (first?.state === "held") return { state: "held", path, owner: first.owner };
  try {
    const loaded = loadSession(path, options.tailFirstBytes);
    if (loaded.state === "foreign") return { state: "refused", path, problem: "it is not a session" };
    if (claim === "later" && loaded.state === "session" && loaded.migrated) {
      // Opening rewrites a file of an older format, unless another process holds it.
      const claimed = openFile(request, place, options, "now");
      if (claimed.state === "open") claimed.session.store.release();
      if (claimed.state !== "held") return claimed;
    }
    const fresh = loaded.state === "empty";
    const store = fresh
      ? emptyStore(path, true, place.cwd, options)
      : new SessionStore({ header: loaded.header, path, loaded }, options);
    if (claim === "now") store.claim();
    return opened(store, resolve(request.cwd ?? (folderIn(store.header) || place.cwd)), place.sessionDir, fresh);
  } catch (error) {
    return { state: "refused", path, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    if (first?.state === "locked") first.lock.release();
  }
}

function emptyStore(path: string, empty: boolean, cwd: string, options: StoreOptions, id?: string): SessionStore {
  const header = newHeader({ id: chosenId(id), now: (options.now ?? Date.now)(), cwd });
  return new SessionStore({ header, path, empty }, options);
}

function newStore(
  about: { readonly id?: string; readonly parentSession?: string },
  cwd: string,
  sessionDir: string,
  options: StoreOptions,
): SessionStore {
  const now = (options.now ?? Date.now)();
  const header = newHeader({ id: chosenId(about.id), now, cwd, parentSession: about.parentSession });
  return new SessionStore({ header, path: join(sessionDir, fileName(header)) }, options);
}

function memoryStore(
  about: { readonly id?: string; readonly entries?: readonly SessionEntry[] },
  cwd: string,
  options: StoreOptions,
) {
  const header = newHeader({ id: chosenId(about.id), now: (options.now ?? Date.now)(), cwd });
  return new SessionStore({ header, ...(about.entries && { entries: about.entries }) }, options);
}

/** Returns the folder of a working directory's sessions. Makes hookline's own folders private again if necessary. */
function folderOf(place: SessionPlace): string {
  if (place.sessionDir !== undefined) return resolve(place.sessionDir);
  tightenDirectory(sessionsRoot(place.home));
  const folder = sessionDirectory(place.cwd, place.home);
  tightenDirectory(folder);
  return folder;
}

function kindOf(path: string): "absent" | "file" | "a symbolic link" | "not a regular file" {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file that cannot be inspected counts as a normal one: reading it then fails and reports the reason.
    return "file";
  }
  if (!stat) return "absent";
  // A link may make hookline write to a file that somebody else has chosen.
  if (stat.isSymbolicLink()) return "a symbolic link";
  return stat.isFile() ? "file" : "not a regular file";
}

function opened(store: SessionStore, cwd: string, sessionDir: string, fresh: boolean): OpenResult {
  return { state: "open", session: { store, cwd, sessionDir }, fresh };
}
