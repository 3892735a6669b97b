import { isAbsolute } from "node:path";
import { readText, replaceText } from "@hookline/ground/system";
import type { SessionRequest } from "../session/open.ts";
import type { ContextPaths } from "./home.ts";

/** Returns the session file of a context's last run; undefined if there is none. */
export function lastSession({ lastSession: path }: ContextPaths): string | undefined {
  try {
    const session: unknown = JSON.parse(readText(path))?.session;
    return typeof session === "string" && isAbsolute(session) ? session : undefined;
  } catch {
    return undefined;
  }
}

/** Records the session with which a context's next run continues, unless it is only in memory. */
export function rememberSession(paths: ContextPaths, session: string | undefined): void {
  if (session === undefined || session === lastSession(paths)) return;
  replaceText(paths.lastSession, `${JSON.stringify({ session })}\n`);
}

/** Returns the request for the last session of a context, in whatever folder it ran, or for a new one. */
export function continuation(paths: ContextPaths, cwd: string): SessionRequest {
  const path = lastSession(paths);
  return path === undefined ? { kind: "new" } : { kind: "file", path, cwd };
}
