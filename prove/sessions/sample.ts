import { readFileSync } from "node:fs";
import { type Disk, systemDisk } from "../../packages/hookline/src/session/file.ts";
import { SessionManager } from "../../packages/hookline/src/session/session.ts";
import { assistant, result, user } from "../../packages/hookline/test/session/talk.ts";

/** A disk that does not sync, for experiments with many small files that need not survive a power cut. */
export const unsynced: Disk = { ...systemDisk, sync: () => {}, syncAside: async () => {} };

/** Writes a session with calls, results and text with multi-byte characters; returns the bytes of its file. */
export function sampleSession(folder: string): Buffer {
  const session = SessionManager.create("/project", folder, {}, { disk: unsynced });
  session.appendModelChange("p1", "m1");
  session.appendMessage(user("zwölf Boxkämpfer 🥊"));
  session.appendMessage(assistant("let me look", ["c1", "c2"]));
  session.appendMessage(result("c1", "é".repeat(60)));
  session.appendMessage(result("c2", '\u2028\\"\u0000'.repeat(20)));
  session.appendMessage(assistant("done"));
  session.appendSessionInfo("boxing");
  session.appendMessage(user("again"));
  session.appendMessage(assistant("done again"));
  session.close();
  return readFileSync(session.getSessionFile() ?? "");
}

/** Returns the lines of a text that are valid JSON. */
export function wholeLines(text: string): string[] {
  return text.split("\n").filter((line) => {
    try {
      return typeof JSON.parse(line) === "object";
    } catch {
      return false;
    }
  });
}
