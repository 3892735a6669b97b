import { statSync } from "node:fs";
import { transcripts } from "@hookline/integrations/transcripts";
import { linesOf, type RecognisedSource } from "@hookline/runtime/past";
import { recogniseSource } from "@hookline/runtime/replay";
import type { InspectedSource, SourceKind } from "./api.ts";
import { openFile } from "./file-bytes.ts";
import { isTraceLine, objectIn } from "./moment-file.ts";
import { isReplayLine } from "./replay-file.ts";

/** A file that the inspector can show. */
export interface FoundFile {
  readonly path: string;
  readonly kind: SourceKind;
  readonly level?: NonNullable<InspectedSource["level"]>;
  /** The reader of a session's own file; absent for recordings, traces and results. */
  readonly session?: RecognisedSource;
  /** The agent whose hooks were asked through the bridge, if the recording or trace names it. */
  readonly host?: string;
  readonly id: string;
  readonly cwd?: string;
  /** The session's own file, if the recording names it. */
  readonly sessionFile?: string;
  /** The machine of a fleet that has sent the file. */
  readonly machine?: string;
  /** Epoch ms of the last change, if that is not the file's modification time. */
  readonly changed?: number;
}

/** Recognises a file; undefined if it cannot be inspected. Throws file system errors. */
export function recogniseFile(path: string): FoundFile | undefined {
  const first = firstLine(path);
  if (first !== undefined && isReplayLine(first)) return { path, kind: "replay", id: "" };
  if (first !== undefined && isTraceLine(first)) {
    const { session, host } = objectIn(first) ?? {};
    return { path, kind: "trace", id: typeof session === "string" ? session : "", ...hostIn(host) };
  }
  const source = recogniseSource(path, transcripts);
  if (source === undefined) return undefined;
  const { kind, session: id, cwd } = source;
  const about = { path, id, ...(cwd !== undefined && { cwd }) };
  if (kind !== "recording") return { ...about, kind: "session", session: source };
  const { level, sessionFile, host } = objectIn(first ?? "") ?? {};
  return {
    ...about,
    kind: "recording",
    ...hostIn(host),
    ...((level === "log" || level === "decisions" || level === "all") && { level }),
    ...(typeof sessionFile === "string" && { sessionFile }),
  };
}

function hostIn(host: unknown): Pick<FoundFile, "host"> {
  return typeof host === "string" ? { host } : {};
}

function firstLine(path: string): string | undefined {
  // Reading a pipe or a device could wait forever.
  if (!statSync(path).isFile()) throw new Error("it is not a regular file");
  const bytes = openFile(path);
  try {
    for (const { text } of linesOf(bytes)) return text;
    return undefined;
  } finally {
    bytes.close();
  }
}
