import { messageOf } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import { redact, SecretNames } from "@hookline/guards/parts";
import { readRecording } from "@hookline/runtime";
import type { RecognisedSource } from "@hookline/runtime/past";

/** A search for secrets that stopped after a time limit could miss one. */
const NO_LIMIT = { limitMs: Number.POSITIVE_INFINITY };

/**
 * Throws for a source that must not become public, for example in the artefacts of a CI job: one that is no recording
 * of level `decisions`, or that contains a secret.
 */
export async function requireRedacted(sources: readonly RecognisedSource[]): Promise<void> {
  for (const { path, name = path, kind } of sources) {
    const problem = kind === "recording" ? await problemOf(path) : `it is a session of ${kind}, not a recording`;
    if (problem === undefined) continue;
    const remedy = "Record with `hookline --record=decisions` and the guard `secrets` added, and name that file.";
    throw wrongUse("--redacted", `refuses ${name}: ${problem}`, remedy);
  }
}

async function problemOf(path: string): Promise<string | undefined> {
  const reader = readRecording(path);
  try {
    const level = reader.header?.level;
    if (level !== "decisions") return `its level is ${level ?? "unknown"}, not decisions`;
    const names = new SecretNames();
    for await (const moment of reader.moments()) {
      const [found] = redact(JSON.stringify(moment), names, undefined, NO_LIMIT).findings;
      if (found !== undefined) return `moment ${moment.n} (${moment.event}) shows a secret (${found.kind})`;
    }
    // Damaged lines cannot be searched for secrets, so they are refused.
    const skipped = Object.values(reader.skipped).reduce((sum: number, count) => sum + Number(count), 0);
    return skipped === 0 ? undefined : `${skipped} of its lines cannot be read`;
  } catch (thrown) {
    return messageOf(thrown);
  } finally {
    reader.close();
  }
}
