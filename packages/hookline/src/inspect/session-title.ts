import { isFields } from "@hookline/ground";
import { summarize } from "../session/list.ts";
import { openFile } from "./file-bytes.ts";
import { RecordingFile } from "./moment-file.ts";

/** How many moments of a recording are searched for its first prompt. */
const MOST_MOMENTS = 500;

/** Returns the title of a session's file: its name, otherwise its first prompt; undefined if it has neither. */
export function sessionTitle(file: string): string | undefined {
  const { name, messageCount, firstMessage } = summarize(file) ?? {};
  return titleOf(name ?? (messageCount === 0 ? undefined : firstMessage));
}

/** Returns the first prompt in a recording; undefined if it has none, or cannot be read. */
export function firstPrompt(path: string): string | undefined {
  try {
    const bytes = openFile(path);
    try {
      const file = new RecordingFile(bytes, path);
      let moments = 0;
      for (const passed of file.lines()) {
        if (passed.kind !== "moment") continue;
        if (passed.facts.event === "prompt.before") {
          const { payload } = file.partAt(passed.at);
          return titleOf(isFields(payload) ? payload["text"] : undefined);
        }
        moments += 1;
        if (moments > MOST_MOMENTS) return undefined;
      }
    } finally {
      bytes.close();
    }
  } catch {
    // A file that cannot be read is reported when somebody opens it.
  }
  return undefined;
}

function titleOf(said: unknown): string | undefined {
  return typeof said === "string" ? said.replace(/\s+/g, " ").trim().slice(0, 200) || undefined : undefined;
}
