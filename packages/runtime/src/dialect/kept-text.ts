import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { PrivateFiles } from "@hookline/ground";
import type { Scene } from "../hook/lane.ts";

/**
 * Writes to a file a hook's text that is too long to be passed on: beside the session's file, or for a session without
 * one in the person's own folder for temporary files, which the caller removes when the session ends. Returns the
 * file's path, `undefined` if it could not be written.
 */
export function keepText(text: string, { sessionFile, sessionId }: Scene, files: PrivateFiles): string | undefined {
  const name = `.output-${randomBytes(4).toString("hex")}.txt`;
  const path =
    sessionFile === undefined
      ? join(tmpdir(), `hookline-texts-${process.getuid?.() ?? 0}`, `${sessionId}${name}`)
      : join(dirname(sessionFile), "transcripts", basename(sessionFile).replace(/\.jsonl$/, "") + name);
  try {
    files.write(path, text);
    return path;
  } catch {
    // The hook's answer counts even if its text could not be kept.
    return undefined;
  }
}
