import { isAbsolute } from "node:path";
import { readText, replaceText } from "@hookline/ground/system";
import type { SessionRequest } from "../session/open.ts";
import type { ContextPaths } from "./home.ts";

/** The file of a context's last session. */
export function lastSession({ lastSession: path }: ContextPaths): string | undefined {
  try {
    const session: unknown = JSON.parse(readText(path))?.session;
    return typeof session === "string" && isAbsolute(session) ? session : undefined;
  } catch {
    return undefined;
  }
}

/** Records which session a context is a view on, unless the session is in memory only. */
export function rememberSession(paths: ContextPaths, session: string | undefined): void {
  if (session === undefined || session === lastSession(paths)) return;
  replaceText(paths.lastSession, `${JSON.stringify({ session })}\n`);
}

/** How a context's conversation continues: in its last session, wherever that began, else in a new one. */
export function continuation(paths: ContextPaths, cwd: string): SessionRequest {
  const path = lastSession(paths);
  return path === undefined ? { kind: "new" } : { kind: "file", path, cwd };
}
