import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { cleanText } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, table } from "@hookline/ground/system";
import { describeDamage } from "../session/damage.ts";
import { hooklineHome, sessionDirectory, sessionsRoot } from "../session/directory.ts";
import { sessionPage } from "../session/export.ts";
import { findByPrefix } from "../session/find.ts";
import { listAllSessions, listSessions, type SessionInfo } from "../session/list.ts";
import { type LoadedSession, loadSession } from "../session/load.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { branchOf, conversation, titleOf } from "./session-text.ts";

/** `hookline sessions [list]`: lists the sessions of this folder, or with `--all` of every folder; newest first. */
export async function listOfSessions(args: Arguments, io: Io): Promise<number> {
  const where = placeOf(args, io);
  const infos = args.flags["all"] === true ? await listAllSessions(where) : await listSessions(where);
  if (args.flags["json"] === true) io.out(jsonText({ sessions: infos.map(summary) }));
  else if (infos.length === 0) io.out("There is no session yet.\n");
  else
    io.out(
      table([["id", "last spoken", "messages", "name", "begins", "folder"], ...infos.map((info) => row(info, args))]),
    );
  return EXIT.fine;
}

/** `hookline sessions show ID`: prints a session's current branch. Another process may be using the session. */
export async function showSession(args: Arguments, io: Io): Promise<number> {
  const found = find(args, io);
  if (found === undefined) return args.words.length === 0 ? EXIT.usage : EXIT.failed;
  const { path, session } = found;
  if (args.flags["json"] === true)
    io.out(jsonText({ path, header: session.header, entries: branchOf(session.entries) }));
  else {
    const text = conversation(session);
    io.out(io.stdoutIsTerminal ? cleanText(text) : text);
  }
  return EXIT.fine;
}

/** `hookline sessions export ID [FILE]`: writes to a file that must not exist yet, or to stdout. */
export async function exportSession(args: Arguments, io: Io): Promise<number> {
  const found = find(args, io);
  if (found === undefined) return args.words.length === 0 ? EXIT.usage : EXIT.failed;
  const [, target] = args.words;
  const { path, session } = found;
  const lines = target?.endsWith(".jsonl") === true || args.flags["json"] === true;
  const text = lines ? readFileSync(path, "utf8") : readable(session, target ?? "");
  if (target === undefined) {
    io.out(text);
    return EXIT.fine;
  }
  const file = resolve(io.cwd, textFlag(args, "cwd") ?? ".", target);
  if (existsSync(file)) {
    io.err(`${plain(file)} already exists, and is not overwritten. Choose another name.\n`);
    return EXIT.failed;
  }
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  io.out(`${plain(file)}\n`);
  return EXIT.fine;
}

/** Returns a session as HTML if the target's name ends in `.html` or `.htm`, otherwise as Markdown. */
function readable({ header, entries }: LoadedSession, target: string): string {
  if (!/\.html?$/i.test(target)) return conversation({ header, entries } as LoadedSession);
  const branch = branchOf(entries);
  return sessionPage({ title: titleOf(header, branch), timestamp: header.timestamp, cwd: header.cwd, branch });
}

function placeOf(args: Arguments, io: Io): { cwd: string; home: string; sessionDir?: string } {
  const cwd = resolve(io.cwd, textFlag(args, "cwd") ?? ".");
  const sessionDir = textFlag(args, "session-dir");
  return { cwd, home: hooklineHome(io.env), ...(sessionDir !== undefined && { sessionDir: resolve(cwd, sessionDir) }) };
}

interface FoundSession {
  readonly path: string;
  readonly session: LoadedSession;
}

/** Finds the session that the first word names, by the start of its id or by its file; reports errors. */
function find(args: Arguments, io: Io): FoundSession | undefined {
  const [id] = args.words;
  if (id === undefined) {
    io.err("Which session? Give the beginning of its id; `hookline sessions` lists them.\n");
    return undefined;
  }
  const { cwd, home, sessionDir } = placeOf(args, io);
  const folder = sessionDir ?? sessionDirectory(cwd, home);
  const file = resolve(cwd, id);
  const paths = id.endsWith(".jsonl") && existsSync(file) ? [file] : findByPrefix(folder, sessionsRoot(home), id);
  const [path] = paths;
  if (path === undefined)
    io.err(`No session's id starts with "${plain(id)}". \`hookline sessions --all\` lists them.\n`);
  else if (paths.length > 1)
    io.err(`"${plain(id)}" matches the ids of ${paths.length} sessions. Give more of the id.\n`);
  if (path === undefined || paths.length > 1) return undefined;
  const session = loadSession(path, Number.POSITIVE_INFINITY);
  if (session.state === "session") {
    const damage = describeDamage(plain(path), session.damage);
    if (damage !== undefined) io.err(`${damage}\n`);
    return { path, session };
  }
  io.err(`${plain(path)} is not a session. \`hookline sessions\` lists them.\n`);
  return undefined;
}

function summary(info: SessionInfo): object {
  const { id, path, cwd, name, created, modified, messageCount, firstMessage } = info;
  return { id, path, cwd, name, created: iso(created), modified: iso(modified), messageCount, firstMessage };
}

function row(info: SessionInfo, args: Arguments): string[] {
  const { id, modified, messageCount, name = "", firstMessage, cwd } = info;
  const begins = firstMessage.length > 48 ? `${firstMessage.slice(0, 47)}…` : firstMessage;
  return [id, iso(modified), String(messageCount), name, begins, args.flags["all"] === true ? cwd : ""];
}

function iso(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
