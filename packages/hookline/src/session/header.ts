import type { JsonObject } from "./entry.ts";

/** The format version of the files that hookline writes. */
export const SESSION_VERSION = 3;

/** The first line of a session file. It is no entry of the tree. Source: spec/pi.md 6. */
export interface SessionHeader {
  readonly type: "session";
  /** The format version; absent in files of version 1. */
  readonly version?: number;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  /** The session file that this session was forked from. */
  readonly parentSession?: string;
}

/** Whether a parsed line is a header. */
export function isHeader(value: JsonObject): value is JsonObject & SessionHeader {
  return value["type"] === "session" && typeof value["id"] === "string";
}

/** Returns the working directory in a header; empty if it has none, as in old or damaged files. */
export function folderIn({ cwd }: { readonly cwd?: unknown }): string {
  return typeof cwd === "string" ? cwd : "";
}

/** Makes the header of a new session. */
export function newHeader(about: {
  id: string;
  now: number;
  cwd: string;
  parentSession?: string | undefined;
}): SessionHeader {
  const { id, now, cwd, parentSession } = about;
  const timestamp = new Date(now).toISOString();
  return {
    type: "session",
    version: SESSION_VERSION,
    id,
    timestamp,
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/** Names a session's file: `<timestamp with - for : and .>_<id>.jsonl`. */
export function fileName(header: SessionHeader): string {
  return `${header.timestamp.replace(/[:.]/g, "-")}_${header.id}.jsonl`;
}

/** Derives the header of a damaged file from the file's name. */
export function headerFromName(name: string): SessionHeader {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z_(.+)\.jsonl$/.exec(name);
  const timestamp = match ? `${match[1]}:${match[2]}:${match[3]}.${match[4]}Z` : new Date(0).toISOString();
  return {
    type: "session",
    version: SESSION_VERSION,
    id: match?.[5] ?? name.replace(/\.jsonl$/, ""),
    timestamp,
    cwd: "",
  };
}
