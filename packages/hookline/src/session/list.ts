import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { sessionDirectory, sessionsRoot } from "./directory.ts";
import { type JsonObject, roleOf } from "./entry.ts";
import { allSessionFiles, ranIn, readHeader, type SessionFileStat, sessionFiles } from "./find.ts";
import { folderIn } from "./header.ts";
import { parseLine } from "./line.ts";
import { loadSession } from "./load.ts";
import type { SessionPlace } from "./open.ts";
import { eachLine, readFully } from "./scan.ts";
import { textIn } from "./text.ts";

/** A session in a list. Source: spec/pi.md 6, "List/resume". */
export interface SessionInfo {
  readonly path: string;
  readonly id: string;
  /** The working directory; empty if the file does not name it. */
  readonly cwd: string;
  readonly name?: string;
  readonly parentSessionPath?: string;
  readonly created: Date;
  /** The time of the last message of the user or the assistant. */
  readonly modified: Date;
  readonly messageCount: number;
  /** The first text of the user, or `(no messages)`. */
  readonly firstMessage: string;
  /** All texts of the conversation, for searching. A getter that reads the file; not enumerable. */
  readonly allMessagesText: string;
}

/** Limits, reports on and aborts the listing of sessions. */
export interface ListOptions {
  /** The largest number of files to list; those that changed last are listed. */
  readonly limit?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Lists the sessions of a working directory, newest first. With a `sessionDir`, only looks there. */
export async function listSessions(place: SessionPlace, options: ListOptions = {}): Promise<SessionInfo[]> {
  const { cwd, home, sessionDir } = place;
  const files = sessionFiles(sessionDir ?? sessionDirectory(cwd, home));
  if (sessionDir === undefined) return summaries(files, options);
  return summaries(
    files.filter(({ path }) => {
      const header = readHeader(path);
      return header !== undefined && ranIn(header, cwd);
    }),
    options,
  );
}

/** Lists the sessions of all working directories, or all sessions in one folder; newest first. */
export async function listAllSessions(
  place: Omit<SessionPlace, "cwd"> = {},
  options: ListOptions = {},
): Promise<SessionInfo[]> {
  const { home, sessionDir } = place;
  return summaries(sessionDir === undefined ? allSessionFiles(sessionsRoot(home)) : sessionFiles(sessionDir), options);
}

async function summaries(files: readonly SessionFileStat[], options: ListOptions): Promise<SessionInfo[]> {
  const { limit = files.length, onProgress, signal } = options;
  const wanted = files.slice(0, limit);
  const infos: SessionInfo[] = [];
  for (const [index, { path }] of wanted.entries()) {
    signal?.throwIfAborted();
    const info = summarize(path);
    if (info) infos.push(info);
    onProgress?.(index + 1, wanted.length);
    // Summarizing thousands of files must not block the screen.
    await new Promise(setImmediate);
  }
  return infos.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** Makes a file's list entry; undefined if it cannot be read or is no session. Parses only a few lines. */
export function summarize(path: string): SessionInfo | undefined {
  const header = readHeader(path);
  if (!header) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY);
    const { size, mtime } = fstatSync(fd);
    const { name, firstText, messageCount, lastSpoken } = survey(fd, size);
    const created = new Date(header.timestamp);
    const modified = (lastSpoken && timeOf(fd, lastSpoken)) ?? (Number.isNaN(created.getTime()) ? mtime : created);
    const info = {
      path,
      id: header.id,
      cwd: folderIn(header),
      ...(name && { name }),
      ...(header.parentSession !== undefined && { parentSessionPath: header.parentSession }),
      created,
      modified,
      messageCount,
      firstMessage: firstText || "(no messages)",
    };
    return withText(info);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Matches the beginning of a message line that hookline or pi wrote; the group is the role. */
const MESSAGE =
  /^\{"type":"message",(?:"id":"[^"]*","parentId":(?:null|"[^"]*"),)?"timestamp":"[^"]*","message":\{"role":"(\w+)"/;
const OTHER = /^\{"type":"(?!message"|session_info")\w+"[,}]/;
const BEGIN_BYTES = 240;

interface TextSpan {
  readonly offset: number;
  readonly length: number;
}

function survey(fd: number, size: number) {
  let name: string | undefined;
  let firstText = "";
  let messageCount = 0;
  let lastSpoken: TextSpan | undefined;
  eachLine(fd, 0, size, (bytes, start, end, offset, terminated) => {
    const begin = bytes.toString("latin1", start, Math.min(end, start + BEGIN_BYTES));
    if (terminated && OTHER.test(begin)) return undefined;
    const role = terminated ? MESSAGE.exec(begin)?.[1] : undefined;
    const line = role === undefined || (role === "user" && firstText === "") ? parseLine(bytes, start, end) : undefined;
    if (typeof line === "object" && line["type"] === "session_info") {
      name = typeof line["name"] === "string" ? line["name"].trim() : "";
      return undefined;
    }
    const spoken = role ?? (typeof line === "object" ? roleIn(line) : undefined);
    if (spoken === undefined) return undefined;
    messageCount += 1;
    if (SPOKEN.has(spoken)) lastSpoken = { offset, length: end - start };
    if (spoken === "user" && typeof line === "object")
      firstText ||= textIn((line["message"] as JsonObject)["content"], " ");
    return undefined;
  });
  return { name, firstText, messageCount, lastSpoken };
}

function timeOf(fd: number, { offset, length }: TextSpan): Date | undefined {
  const bytes = Buffer.alloc(length);
  readFully(fd, bytes, length, offset);
  const line = parseLine(bytes, 0, length);
  if (typeof line !== "object") return undefined;
  const message = line["message"] as JsonObject | undefined;
  const own = message?.["timestamp"];
  const time = typeof own === "number" ? own : Date.parse(String(line["timestamp"]));
  return time > 0 ? new Date(time) : undefined;
}

function roleIn(line: JsonObject): string | undefined {
  if (line["type"] !== "message") return undefined;
  const message = line["message"];
  const role = typeof message === "object" && message !== null ? (message as JsonObject)["role"] : undefined;
  return typeof role === "string" ? role : "";
}

function withText(info: Omit<SessionInfo, "allMessagesText">): SessionInfo {
  return Object.defineProperty(info, "allMessagesText", { get: () => allText(info.path) }) as SessionInfo;
}

function allText(path: string): string {
  const loaded = loadSession(path, Number.POSITIVE_INFINITY);
  if (loaded.state !== "session") return "";
  const said = loaded.entries.map((entry) =>
    entry.type === "message" && SPOKEN.has(roleOf(entry) ?? "")
      ? textIn((entry.message as { content?: unknown }).content, " ")
      : "",
  );
  return said.filter((text) => text !== "").join(" ");
}

const SPOKEN: ReadonlySet<string> = new Set(["user", "assistant"]);
