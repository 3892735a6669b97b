import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { transcripts } from "@hookline/integrations/transcripts";
import type { RecognisedSource } from "@hookline/runtime/past";
import { recogniseSource } from "@hookline/runtime/replay";
import { directoryName, sessionDirectory, sessionsRoot } from "../../session/directory.ts";
import { findByPrefix } from "../../session/find.ts";
import { type Arguments, textFlag } from "../../start/args.ts";
import type { Place } from "../../start/place.ts";
import { fleetSources } from "./fleet.ts";

/** The recordings and sessions that a replay reads. */
export interface FoundSources {
  readonly sources: readonly RecognisedSource[];
  /** Says which sessions or files were left out and why, for the person. */
  readonly notes: readonly string[];
  /** Moments before this time (epoch ms) are not judged; hooks are asked about them only to build up their state. */
  readonly since: number;
  /** The message if there are no sources. */
  readonly none: string;
  readonly advice: string;
  /** Whether a person has ended the search early. */
  readonly isInterrupted?: boolean;
  /** Deletes temporary files: the copy of stdin, or the decisions that machines of a fleet have sent. */
  close(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };
const DEFAULT_DAYS = 30;
/** How many levels of folders are searched below a named one. */
const DEPTH = 6;

/** Finds the sources that the command line names; by default, the recordings and sessions of this folder. */
export async function findSources(args: Arguments, io: Io, place: Place): Promise<FoundSources> {
  const since = sinceOf(args);
  const agents = agentsOf(args);
  if (args.flags["fleet"] === true || args.flags["machine"] !== undefined) {
    const found = await fleetSources(args, io, place, since ?? Date.now() - DEFAULT_DAYS * DAY_MS);
    return { ...found, notes: [...found.notes, ...otherFolders(found.sources, place)] };
  }
  const hasWords = args.words.length > 0;
  let copy: string | undefined;
  const notes: string[] = [];
  const sources: RecognisedSource[] = [];
  for (const word of args.words) {
    if (word === "-") {
      copy ??= await copied(io);
      sources.push(named(join(copy, "stdin.jsonl"), "stdin"));
    } else sources.push(...wordSources(word, { io, place, notes }));
  }
  if (!hasWords || agents.length > 0) {
    const whose = [...(hasWords ? [] : OWN), ...agents];
    sources.push(...ofThisFolder(whose, since ?? Date.now() - DEFAULT_DAYS * DAY_MS, { io, place, notes }));
  }
  const kept = withoutTwice(sources, notes);
  if (!hasWords && agents.length === 0) notes.push(...leftOut(place, io.env));
  return {
    sources: kept,
    notes: [...notes, ...otherFolders(kept, place)],
    since: since ?? 0,
    none: "There is no recording or session for this folder.",
    advice: "Record with `hookline --record`, or name a file; --agents reads other agents' sessions.",
    close: () => copy !== undefined && rmSync(copy, { recursive: true, force: true }),
  };
}

/** Returns a note about other agents' sessions in this folder, which are replayed only if a person asks for them. */
function leftOut(place: Place, env: Io["env"]): string[] {
  const past = countSessions(place, env);
  if (past.length === 0) return [];
  const counts = past.map(({ agent, files }) => `${files} of ${agent}`).join(", ");
  return [`Left out, of the last 30 days: ${counts}. --agents ${past.map(({ agent }) => agent).join(",")} adds them.`];
}

/** Returns a note that names the folders in which sources were recorded; none if hooks run in that same folder. */
function otherFolders(sources: readonly RecognisedSource[], place: Place): string[] {
  const others = [...new Set(sources.flatMap(({ cwd }) => (cwd !== undefined && cwd !== place.cwd ? [cwd] : [])))];
  if (others.length === 0) return [];
  const more = others.length > 3 ? " and others" : "";
  return [`Recorded in ${others.slice(0, 3).join(", ")}${more}; hooks run in ${place.cwd}.`];
}

/** Drops sources that would replay a session twice. A recording replaces the session's file, which replaces a log. */
function withoutTwice(sources: readonly RecognisedSource[], notes: string[]): RecognisedSource[] {
  const sessions = (isMeant: (source: RecognisedSource) => boolean): Set<string> =>
    new Set(sources.filter(isMeant).map(({ session }) => session));
  const files = sessions(({ kind }) => kind === "hookline");
  const recorded = sessions(({ kind, isLog }) => kind === "recording" && isLog !== true);
  const logged = sessions(({ isLog, session }) => isLog === true && files.has(session));
  const seen = new Set<string>();
  const kept = sources.filter(({ path }) => !seen.has(path) && seen.add(path));
  const isLeft = ({ kind, session, isLog }: RecognisedSource): boolean =>
    isLog === true ? logged.has(session) : kind === "hookline" && recorded.has(session);
  const left = kept.filter(isLeft);
  const logs = left.filter(({ isLog }) => isLog === true).length;
  const others = left.length - logs;
  if (others > 0)
    notes.push(`${sessionsWere(others)} recorded; hooks are asked about the recording, not the session's file.`);
  if (logs > 0) notes.push(`${sessionsWere(logs)} only logged; hooks are asked about the session's file, not the log.`);
  return kept.filter((source) => !isLeft(source));
}

function sessionsWere(count: number): string {
  return count === 1 ? "1 session was" : `${count} sessions were`;
}

/** The streams, folders and settings that a search uses, and the list that gets its notes. */
interface Search {
  readonly io: Io;
  readonly place: Place;
  readonly notes: string[];
}

function wordSources(word: string, { io, place, notes }: Search): RecognisedSource[] {
  const path = resolve(io.cwd, word);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    const found = recognised(filesBelow(path, DEPTH), notes);
    if (found.length === 0)
      throw wrongUse(`The source ${word}`, "has no recording or session", "Name a file, or a folder that has some.");
    return found;
  }
  if (stat?.isFile() === true) return [named(path, word)];
  const found = byId(word, place);
  if (found.length > 0) return found;
  throw wrongUse(
    `The source ${word}`,
    "is neither a file nor the start of a session's id",
    "`hookline replay --list` lists them.",
  );
}

/**
 * Returns sessions and recordings whose ids begin with `start`. Recordings of other folders whose session is gone count
 * only if nothing else is found.
 */
function byId(start: string, place: Place): RecognisedSource[] {
  const { cwd, hooklineHome } = place;
  const sessions = findByPrefix(sessionDirectory(cwd, hooklineHome), sessionsRoot(hooklineHome), start);
  const found = sessions.map((path) => named(path, start));
  const ids = new Set(found.map(({ session }) => session));
  const recordings = recognised(
    filesBelow(join(hooklineHome, "recordings"), 0).filter((path) => basename(path).startsWith(start)),
    [],
  );
  const meant = recordings.filter((recording) => recording.cwd === cwd || ids.has(recording.session));
  return meant.length + found.length > 0 ? [...meant, ...found] : recordings;
}

/** Returns the source that a person names; throws if the file is not a source. */
function named(path: string, name: string): RecognisedSource {
  let found: RecognisedSource | undefined;
  try {
    found = recogniseSource(path, transcripts);
  } catch (thrown) {
    throw wrongUse(
      `The source ${name}`,
      `could not be read: ${messageOf(thrown)}`,
      "Check that it exists and that you may read it.",
    );
  }
  if (found !== undefined) return found;
  throw wrongUse(
    `The source ${name}`,
    "is not a recording or session of hookline, pi, omp, Claude Code or Codex",
    "Name a file that one of them wrote.",
  );
}

/** Returns the sources among files that a search has found, and adds a note for each file that could not be read. */
function recognised(paths: readonly string[], notes: string[]): RecognisedSource[] {
  return paths.flatMap((path) => {
    try {
      return recogniseSource(path, transcripts) ?? [];
    } catch (thrown) {
      notes.push(`${path} is left out, because it could not be read: ${messageOf(thrown)}`);
      return [];
    }
  });
}

const OWN = ["recording", "hookline"] as const;
const OTHERS = ["claude", "codex", "pi", "omp"] as const;
type Agent = (typeof OTHERS)[number];

/** Another agent's recent sessions: their number and total size. No file is opened to find these. */
export interface PastSessions {
  readonly agent: string;
  readonly files: number;
  readonly bytes: number;
}

/** Counts other agents' sessions of the days that a replay covers, without opening a file. */
export function countSessions(place: Place, env: Io["env"]): readonly PastSessions[] {
  const since = Date.now() - DEFAULT_DAYS * DAY_MS;
  return OTHERS.flatMap((agent) => {
    const stats = PLACES[agent](place, env).map((path) => statSync(path, { throwIfNoEntry: false }));
    const recent = stats.filter((stat) => (stat?.mtimeMs ?? 0) >= since);
    const bytes = recent.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
    return recent.length === 0 ? [] : [{ agent, files: recent.length, bytes }];
  });
}

/** The places where each program stores the sessions of a folder. */
const PLACES: Readonly<Record<Agent | (typeof OWN)[number], (place: Place, env: Io["env"]) => readonly string[]>> = {
  recording: ({ hooklineHome }) => filesBelow(join(hooklineHome, "recordings"), 0),
  hookline: ({ cwd, hooklineHome }) => filesBelow(sessionDirectory(cwd, hooklineHome), 0),
  pi: ({ cwd, home }, env) =>
    filesBelow(join(env["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent"), "sessions", directoryName(cwd)), 0),
  omp: ({ home }) => filesBelow(join(home, ".omp", "agent", "sessions"), 1),
  claude: ({ cwd, home }, env) =>
    filesBelow(
      join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects", cwd.replace(/[^A-Za-z0-9]/g, "-")),
      // Four levels: sub-agents have their own files in `SESSION/subagents`, or in `workflows/RUN` below that.
      4,
    ),
  codex: ({ home }, env) => filesBelow(join(env["CODEX_HOME"] ?? join(home, ".codex"), "sessions"), 3),
};

function ofThisFolder(
  whose: readonly (keyof typeof PLACES)[],
  since: number,
  { io, place, notes }: Search,
): RecognisedSource[] {
  const files = whose.flatMap((who) =>
    PLACES[who](place, io.env).flatMap((path) => {
      const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return mtimeMs >= since ? [{ path, mtimeMs }] : [];
    }),
  );
  // Oldest first, so that sources are replayed in the order of events.
  files.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1));
  const paths = files.map(({ path }) => path);
  return recognised(paths, notes).filter(({ cwd }) => cwd === place.cwd);
}

function filesBelow(folder: string, depth: number): string[] {
  let entries: import("node:fs").Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith(".jsonl") ? [path] : [];
    return entry.isDirectory() && depth > 0 ? filesBelow(path, depth - 1) : [];
  });
}

/** Copies stdin to a file in a private folder, because reading a recording goes back to its earlier bytes. */
async function copied(io: Io): Promise<string> {
  if (io.input === undefined || io.stdinIsTerminal)
    throw wrongUse(
      "-",
      "means stdin, but nothing is piped in",
      "Pipe a recording or session into the command, or name its file.",
    );
  const folder = mkdtempSync(join(tmpdir(), "hookline-replay-"));
  try {
    await pipeline(io.input, createWriteStream(join(folder, "stdin.jsonl"), { mode: 0o600 }));
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw thrown;
  }
  return folder;
}

function sinceOf(args: Arguments): number | undefined {
  const text = textFlag(args, "since");
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const t = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (UNITS[unit] as number);
  if (Number.isFinite(t)) return t;
  throw wrongUse("--since", `is neither a span nor a date: ${text}`, "Write it as 12h, 30d, 2w, or as 2026-11-01.");
}

function agentsOf(args: Arguments): Agent[] {
  const names =
    textFlag(args, "agents")
      ?.split(",")
      .map((name) => name.trim()) ?? [];
  const unknown = names.find((name) => !OTHERS.includes(name as Agent));
  if (unknown === undefined) return names as Agent[];
  throw wrongUse("--agents", `names "${unknown}", whose sessions are not known`, `Choose from ${OTHERS.join(",")}.`);
}
