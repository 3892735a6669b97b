import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Guard, type GuardOptions, guard } from "@hookline/runtime/guard";
import { coverageOf, labelOf } from "../cover.ts";
import { ignoreMatcher } from "../paths/protected.ts";
import { type GuardSession, settingsIn } from "../session.ts";
import type { SettingsOf } from "../settings.ts";
import { TOOLS } from "../tools.ts";
import { type CommandVerdict, judge, judgeFile, judgePaths, type WorkingPlace } from "./judge.ts";
import { filesBelow, whatIs } from "./places.ts";

type Call = GuardOptions<"tool.before", string>;
type Event = Parameters<Call["run"]>[0];
type Where = WorkingPlace & Required<Pick<WorkingPlace, "project" | "cwd">>;

/** The folders and settings by which calls are judged, and the session that other guards share. */
interface Here {
  readonly place: Where;
  readonly session: GuardSession;
}

/** How long a judgement may take, in ms, before the call is refused. */
const LIMIT_MS = 20_000;

/** Tools that name a file to show or change, or a folder to search. */
const FILE_TOOLS = Object.keys(TOOLS).filter((tool) => TOOLS[tool] !== "none");

/**
 * Makes the guards that stop a shell command which would lose what exists nowhere else, including the guards of
 * `paths`. They listen to `tool.before`. A loss that a checkpoint of `undo` can restore passes with a remark; other
 * losses get the verdict of `level`, or a denial if a home folder, a disk or a repository's whole history would be
 * lost. `undo` must have the same `session` object; the order of registration does not matter. A call that cannot be
 * judged within 20 s is refused. `settings` override those of `session`. Throws an `Error` that names the setting for a
 * wrong value.
 */
export function commands(settings: Partial<SettingsOf<"commands">> = {}, session: GuardSession = {}): readonly Guard[] {
  const place = placeOf(session, settingsIn("commands", settings, session), settingsIn("paths", {}, session));
  const here = { place, session };
  const shell = shellGuard("commands", here, judge, [
    { args: { command: "rm -rf /" }, expect: "deny" },
    { args: { command: "cd / && sudo rm -rf --no-preserve-root ." }, expect: "deny" },
    { args: { command: "kubectl delete namespace shop" }, expect: "ask" },
    { args: { command: "kubectl delete namespace shop --dry-run=client" }, expect: "none" },
    { args: { command: "git commit -m 'never rm -rf /'" }, expect: "none" },
  ]);
  return [shell, fileGuard(here)];
}

/**
 * Makes the guards that stop tools and commands which would change a protected file, or read one that `noRead` names.
 * They listen to `tool.before`, for the tools `bash`, `write`, `edit`, `read` and `grep` and the notebook tools.
 * `settings` override those of `session`. Throws an `Error` that names the setting for a wrong value.
 */
export function paths(settings: Partial<SettingsOf<"paths">> = {}, session: GuardSession = {}): readonly Guard[] {
  const place = placeOf(session, settingsIn("commands", {}, session), settingsIn("paths", settings, session));
  const here = { place, session };
  const shell = shellGuard("paths in commands", here, judgePaths, [
    ...closedTo(place).map((path) => ({ args: { command: `echo x >> ${path}` }, expect: "deny" }) as const),
    { args: { command: "grep alias ~/.bashrc" }, expect: "none" },
  ]);
  return [shell, fileGuard(here)];
}

/** Returns the folders and settings by which calls are judged. Folders default to those of this process. */
export function placeOf(
  { cwd = process.cwd(), project = cwd, home = homedir() }: GuardSession,
  settings: SettingsOf<"commands">,
  paths: SettingsOf<"paths">,
): Where {
  return { project, cwd, home, settings, paths };
}

function shellGuard(name: string, here: Here, of: typeof judge, cases: NonNullable<Call["cases"]>): Guard {
  const { place } = here;
  return guard({
    name,
    on: "tool.before",
    tools: ["bash"],
    timeoutMs: LIMIT_MS,
    async run(event, call) {
      const { command } = event.args as { readonly command: string };
      const where = { ...place, cwd: folderOf(event.args, place), ...covered(here, event) };
      return answerOf(await of(command, where), call);
    },
    cases,
  });
}

/** Returns whether a checkpoint of the call covers a loss, if another guard of the session offers checkpoints. */
function covered({ session }: Here, event: Pick<Event, "toolCallId" | "tool" | "args">): Pick<WorkingPlace, "covers"> {
  const coverage = coverageOf(session);
  if (coverage === undefined) return {};
  const call = { toolCallId: event.toolCallId, label: labelOf(event.tool, event.args) };
  return { covers: async ({ of = [] }) => of.length > 0 && (await coverage(call, of)) === undefined };
}

function fileGuard(here: Here): Guard {
  const { place } = here;
  return guard({
    name: "paths",
    on: "tool.before",
    tools: FILE_TOOLS,
    timeoutMs: LIMIT_MS,
    run: async (event, call) => answerOf(await fileVerdict(event, here), call),
    cases: [
      ...closedTo(place).map((path) => ({ tool: "write", args: { path, content: "" }, expect: "deny" }) as const),
      { tool: "write", args: { path: "src/example.ts", content: "x" }, expect: "none" },
      { tool: "read", args: { path: "README.md" }, expect: "none" },
    ],
  });
}

/** Returns protected files that the person's `paths.allow` leaves protected. Test cases expect a denial for them. */
function closedTo({ paths }: Where): readonly string[] {
  const isOpen = ignoreMatcher(paths?.allow ?? []);
  return ["~/.bashrc", "~/.ssh/authorized_keys", ".git/hooks/pre-commit"].filter((path) => !isOpen(path));
}

async function fileVerdict(event: Event, here: Here): Promise<CommandVerdict | undefined> {
  const { place } = here;
  const { tool, aliases = [], args } = event;
  const name = [tool, ...aliases].find((one) => FILE_TOOLS.includes(one)) ?? tool;
  const kind = TOOLS[name] ?? "none";
  const does = kind === "none" ? "write" : kind;
  const path = args["path"] ?? args["notebook_path"] ?? (does === "search" ? "." : undefined);
  if (typeof path !== "string") throw new Error(`a call of ${tool} names no file`);
  if (does !== "search") {
    // A patch that deletes a file appears as a write of empty content.
    const isDeleted = does === "write" && args["content"] === "" && sizeOf(resolve(place.cwd, path)) > 0;
    return judgeFile(path, isDeleted ? "delete" : does, { ...place, ...covered(here, event) });
  }
  const searched = searchedBy(path, place);
  if (searched === undefined) return UNSEEN;
  for (const one of searched) {
    const verdict = await judgeFile(one, "read", place);
    if (verdict.verdict !== "allow") return verdict;
  }
  return undefined;
}

const UNSEEN: CommandVerdict = {
  ...{ verdict: "ask", evidence: [], lost: [], effects: [] },
  reason:
    "Not searched. The folder has too many files to say whether guards.paths.noRead names one. Search a smaller one.",
};

/** Returns the files whose lines a search may show, if a setting forbids reading some; `undefined` for too many. */
function searchedBy(path: string, { cwd, paths }: Where): readonly string[] | undefined {
  if (paths?.noRead === undefined || paths.noRead.length === 0) return [];
  const folder = resolve(cwd, path);
  const kind = whatIs(folder);
  if (kind !== "folder") return [path];
  const files = filesBelow(folder);
  return files && [path, ...files.map((file) => resolve(folder, file))];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the folder in which a shell runs; some agents pass it with the call. */
function folderOf(args: object, { cwd, home = homedir() }: Where): string {
  const given = Object.entries(args).find(
    ([key, value]) => FOLDERS.has(key) && typeof value === "string" && value !== "",
  );
  return resolve(cwd, String(given?.[1] ?? "").replace(/^~(?=\/|$)/, home));
}

const FOLDERS: ReadonlySet<string> = new Set(["cwd", "workdir", "directory", "dir_path"]);

function answerOf(found: CommandVerdict | undefined, call: Parameters<Call["run"]>[1]) {
  if (found === undefined || found.verdict === "allow") return undefined;
  const { verdict, reason } = found;
  if (verdict !== "note") return verdict === "deny" ? { deny: reason } : { ask: reason };
  call.notice(reason);
  return { remark: reason };
}
