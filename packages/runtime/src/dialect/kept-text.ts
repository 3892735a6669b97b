import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { PrivateFiles } from "@hookline/ground";
import type { Scene } from "../hook/lane.ts";

/**
 * Keeps in a file a hook's text that is too long to be passed on. Returns its path, `undefined` if that fails. The file
 * is beside the session's file; without one it is in the folder for temporary files, and the caller must remove it when
 * the session ends.
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
