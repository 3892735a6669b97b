import { dirname, resolve } from "node:path";
import { HooklineError, type HostUi } from "@hookline/runtime";
import { forkFile } from "../session/fork-file.ts";
import { newSessionId } from "../session/id.ts";
import type { OpenResult, SessionRequest } from "../session/open.ts";
import { openSession, type SessionManager } from "../session/session.ts";
import type { StoreOptions } from "../session/store.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Place } from "./place.ts";

/** Opens a session in the folder of this run. The messages of its errors are written for the person. */
export function openStoreFor(
  args: Arguments,
  place: Place,
  storing: StoreOptions,
  wanted: SessionRequest = { kind: "new" },
): SessionManager {
  return sessionIn(openFor(args, place, storing, wanted));
}

/** Opens the session with which a run starts. If another process is writing it, a person may continue in a copy. */
export async function openOrCopy(
  args: Arguments,
  place: Place,
  storing: StoreOptions,
  wanted: SessionRequest | undefined,
  ui: HostUi | undefined,
): Promise<SessionManager> {
  const opened = openFor(args, place, storing, wanted);
  if (opened.state !== "held" || ui?.confirm === undefined) return sessionIn(opened);
  const { path, owner } = opened;
  const question = `Process ${owner.pid} is writing ${path}. Continue in a copy of its current state?`;
  if (!(await ui.confirm("This session is in use", question))) return sessionIn(opened);
  const copy = { cwd: place.cwd, sessionDir: dirname(path), id: newSessionId(), now: Date.now() };
  return openStoreFor(args, place, storing, { kind: "file", path: forkFile(path, copy) });
}

function openFor(
  args: Arguments,
  place: Place,
  storing: StoreOptions,
  wanted: SessionRequest = { kind: "new" },
): OpenResult<SessionManager> {
  const sessionDir = textFlag(args, "session-dir");
  // With `--no-session`, new sessions are only in memory too.
  const request: SessionRequest =
    wanted.kind === "new" && args.flags["no-session"] === true ? { kind: "memory" } : wanted;
  const folder = sessionDir === undefined ? {} : { sessionDir: resolve(place.cwd, sessionDir) };
  return openSession(request, { cwd: place.cwd, home: place.hooklineHome, ...folder }, storing);
}

function sessionIn(opened: OpenResult<SessionManager>): SessionManager {
  switch (opened.state) {
    case "open":
      return opened.session;
    case "held":
      throw sessionProblem(
        `${opened.path} is in use by process ${opened.owner.pid}`,
        "End that process, or open another session.",
      );
    case "ambiguous":
      throw sessionProblem(
        `"${opened.prefix}" matches the ids of ${opened.paths.length} sessions`,
        "Give more of the id.",
      );
    case "missing":
      throw sessionProblem(
        `no session's id starts with "${opened.prefix}"`,
        "`hookline --continue` opens the latest one.",
      );
    case "refused":
      throw sessionProblem(`${opened.path}: ${opened.problem}`, "Choose another file with --session.");
  }
}

/** Returns the session that the command line requests; undefined if it requests none. */
export function requestOf(args: Arguments): SessionRequest | undefined {
  const path = textFlag(args, "session");
  const prefix = textFlag(args, "resume");
  if (args.flags["no-session"] === true) return { kind: "memory" };
  if (path !== undefined) return { kind: "file", path };
  if (prefix !== undefined) return { kind: "id", prefix };
  return args.flags["continue"] === true ? { kind: "recent" } : undefined;
}

function sessionProblem(problem: string, remedy: string): HooklineError {
  return new HooklineError("INVALID_OPTION", {
    option: "The session",
    problem: `cannot be opened: ${problem}`,
    remedy,
  });
}
