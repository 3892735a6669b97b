import type { SessionManager } from "./session.ts";

/**
 * A read-only view of a session for event handlers. It is pi's type of this name (spec/pi.md 2.2) with two more members
 * that extensions use.
 */
export type ReadonlySessionManager = Pick<SessionManager, (typeof MEMBERS)[number]>;

const MEMBERS = [
  "getCwd",
  "getSessionDir",
  "getSessionId",
  "getSessionFile",
  "getLeafId",
  "getLeafEntry",
  "getEntry",
  "getLabel",
  "getBranch",
  "getChildren",
  "getHeader",
  "getEntries",
  "getEntryCount",
  "getTree",
  "getSessionName",
  "buildContextEntries",
  "buildSessionContext",
  "buildSessionProjection",
] as const;

/** Makes a frozen view of a session that always shows its current state. */
export function readonlyView(manager: SessionManager): ReadonlySessionManager {
  const members = MEMBERS.map((name) => [name, (manager[name] as (...given: unknown[]) => unknown).bind(manager)]);
  return Object.freeze(Object.fromEntries(members)) as ReadonlySessionManager;
}
