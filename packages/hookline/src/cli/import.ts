import { dirname, join, relative, resolve } from "node:path";
import { entryPlaces, messageOf, place as placeName } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, rewriteFile } from "@hookline/ground/system";
import { type HookHost, imports } from "@hookline/integrations/imports";
import { hooklineAbove } from "../consent/started-by.ts";
import { landingOf } from "../protect/landing.ts";
import { type Arguments, readArguments, textFlag } from "../start/args.ts";
import { type Place, placeOf } from "../start/place.ts";
import { sentences } from "../start/report-text.ts";
import { type ForeignFile, type ForeignHook, foreignFiles, homePath } from "./import/found.ts";
import { type Addition, type ImportTarget, targetOf } from "./import/target.ts";
import { type Translation, translate } from "./import/translate.ts";
import { openHooks } from "./open-hooks.ts";

/** A hook of another program, and how it translates to Claude Code's settings. */
type Judged = ForeignHook & { readonly becomes: Translation };

/** A hook file of another program, with the translation of each hook. */
interface JudgedFile extends Omit<ForeignFile, "hooks"> {
  readonly hooks: readonly Judged[];
}

/**
 * `hookline hooks import`: lists hooks of other programs, which of them already run, and what the others would be as
 * hooks in Claude Code's settings. With `--write`, adds those to settings files.
 */
export async function importHooks(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const to = textFlag(args, "to");
  const isWriting = args.flags["write"] === true;
  const above = isWriting ? hooklineAbove(place.hooklineHome, io.env) : undefined;
  if (above !== undefined) {
    io.err(`Only a person may set up hooks, and this was started by ${plain(above)}. Run it in your own terminal.\n`);
    return EXIT.failed;
  }
  if (to !== undefined && isPersonal(resolve(place.cwd, to), place, io)) {
    io.err(`--to must name a file of this project: ${NOT_FROM_HERE}.\n`);
    return EXIT.usage;
  }
  const found = foreignFiles(place.cwd, place.home, io.env);
  const isRead = found.some(({ host, hooks }) => host.speaks === "own" && hooks.length > 0);
  const files = found.map(judged(place, isRead ? await idleHooks(args, io) : new Map()));
  const own = personalSettings(place, io);
  const targets: ImportTarget[] = [];
  const problems: string[] = [];
  for (const [path, additions] of additionsOf(files, {
    cwd: place.cwd,
    own,
    to,
    adapted: args.flags["adapted"] === true,
  })) {
    try {
      if (path !== own && isPersonal(path, place, io)) throw new Error(NOT_FROM_HERE);
      const target = targetOf(path, additions);
      if (target.added.length > 0) targets.push(target);
      if (isWriting && target.added.length > 0) rewriteFile(target);
    } catch (thrown) {
      problems.push(`${path} was left as it is: ${messageOf(thrown)}`);
    }
  }
  const name = shortened(place);
  if (args.flags["json"] === true) io.out(jsonText(asData(files, targets, problems, isWriting)));
  else {
    io.out(
      files.length === 0 ? "Found no hooks of other programs.\n" : files.map((file) => fileText(file, name)).join("\n"),
    );
    for (const target of targets) io.out(targetText(target, isWriting, name));
    if (files.length > 0) io.out(nextText(files, targets, isWriting));
    for (const problem of problems) io.err(`${plain(problem)}\n`);
  }
  return problems.length > 0 ? EXIT.failed : EXIT.fine;
}

function personalSettings({ home }: Place, { env }: Io): string {
  const host = imports.find(({ speaks }) => speaks === "own") as HookHost;
  return homePath(".claude/settings.json", host, home, env);
}

const NOT_FROM_HERE = "in your own settings, a project's hooks would run in every folder and without your approval";

/** Whether a file belongs to the person's own settings, whose hooks need no approval. */
function isPersonal(path: string, place: Place, io: Io): boolean {
  const landing = landingOf(path);
  return [dirname(personalSettings(place, io)), place.hooklineHome].some((folder) =>
    landing.startsWith(`${landingOf(folder)}/`),
  );
}

/** Returns why hooks do not run here, with the reason that `hookline hooks` gives, by `FILE:LINE` or JSON pointer. */
async function idleHooks(args: Arguments, io: Io): Promise<ReadonlyMap<string, string>> {
  const { session, close } = await openHooks({ ...readArguments([]), flags: args.flags }, io);
  const { sources } = session.report;
  await close();
  return new Map(
    sources.flatMap(({ state, reason = state, remedy = "", ...at }) =>
      state === "runs" || state === "untrusted" ? [] : [[placeName(at), sentences(reason, remedy)] as const],
    ),
  );
}

function judged({ home, dialects }: Place, idle: ReadonlyMap<string, string>): (file: ForeignFile) => JudgedFile {
  return (file) => {
    const rows = dialects.find(({ id }) => id === file.host.id)?.lanes.flatMap((lane) => lane.rows);
    const hasMoment = ({ event }: ForeignHook): boolean =>
      rows === undefined || rows.some(({ name }) => name === event);
    // Cursor runs a person's hooks with the working folder `~/.cursor`, and a project's hooks in the project.
    const folder = file.host.id === "cursor" && file.scope === "home" ? join(home, ".cursor") : undefined;
    const becomes = (hook: ForeignHook): Translation => {
      if (file.isOff) return { state: "off" };
      const { path } = file;
      const { line, pointer } = hook;
      // `hookline hooks` names a hook by its line, or by its JSON pointer if the line has more: both are tried.
      const names = file.host.speaks === "own" ? [placeName({ path, pointer }), placeName({ path, line })] : [];
      const reason = names.map((name) => idle.get(name)).find((one) => one !== undefined);
      if (reason !== undefined) return { state: "idle", reason };
      return hasMoment(hook) ? translate(hook, file.host, folder) : NEVER;
    };
    return { ...file, hooks: file.hooks.map((hook) => ({ ...hook, becomes: becomes(hook) })) };
  };
}

const NEVER: Translation = { state: "anew", reason: "hookline has no such event, so the hook would never run" };

/** Returns which hooks to add to which settings file: a project's to the project's, a person's to the person's. */
function additionsOf(
  files: readonly JudgedFile[],
  {
    cwd,
    own,
    to,
    adapted,
  }: { readonly cwd: string; readonly own: string; readonly to: string | undefined; readonly adapted: boolean },
): Map<string, Addition[]> {
  const found = new Map<string, Addition[]>();
  for (const { scope, hooks } of files) {
    const local = to === undefined ? join(cwd, ".claude/settings.local.json") : resolve(cwd, to);
    const path = scope === "home" ? own : local;
    for (const { becomes } of hooks) {
      if (becomes.state !== "translated" && !(adapted && becomes.state === "adapt")) continue;
      found.set(path, [...(found.get(path) ?? []), { event: becomes.event, group: becomes.group }]);
    }
  }
  return found;
}

const STATES = {
  runs: "runs as it is",
  idle: "is read, and does not run",
  off: "is switched off in its file",
  translated: "can be translated",
  adapt: "can be translated once its program is adapted",
  anew: "must be rewritten",
} as const;

function fileText({ host, path, hooks, problems }: JudgedFile, name: (path: string) => string): string {
  const at = entryPlaces(
    hooks.map(({ pointer }) => pointer),
    (pointer) => hooks.find((hook) => hook.pointer === pointer)?.line ?? 1,
  );
  const lines = hooks.flatMap(({ event, line, pointer, becomes }) => [
    `  ${STATES[becomes.state]}: ${event} (${at(pointer).pointer ?? `line ${line}`})${"event" in becomes && becomes.event !== event ? ` as ${becomes.event}` : ""}`,
    ...("reason" in becomes ? [`    ${becomes.reason}`] : []),
    ...("remarks" in becomes ? becomes.remarks.map((remark) => `    ${remark}`) : []),
  ]);
  const all = [`${host.label}: ${name(path)}`, ...problems.map((problem) => `  cannot be read: ${problem}`), ...lines];
  return `${all.map(plainLine).join("\n")}\n`;
}

function targetText({ path, added }: ImportTarget, isWritten: boolean, name: (path: string) => string): string {
  const events: Record<string, unknown[]> = {};
  for (const { event, group } of added) (events[event] ??= []).push(group);
  const text = JSON.stringify({ hooks: events }, undefined, 2).split("\n").map(plainLine).join("\n");
  return `\n${isWritten ? "added to" : "would be added to"} ${plain(name(path))}:\n${text}\n`;
}

function nextText(files: readonly JudgedFile[], targets: readonly ImportTarget[], isWritten: boolean): string {
  const steps: string[] = [];
  const waits = files.some(({ hooks }) => hooks.some(({ becomes }) => becomes.state === "adapt"));
  if (targets.length > 0)
    steps.push(isWritten ? "hookline trust approve" : "hookline hooks import --write", "hookline hooks");
  if (waits) steps.push("hookline hooks import --write --adapted   (once the programs of those guards are adapted)");
  const own = targets.every(({ path }) => /\/\.claude\/settings(?:\.local)?\.json$/.test(path));
  const other = own
    ? "Claude Code will run these hooks, too."
    : "hookline reads a file with another name only if you name it: --extension claude:FILE";
  return steps.length === 0 ? "" : `\n${other}\nNext:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}

function asData(
  files: readonly JudgedFile[],
  targets: readonly ImportTarget[],
  problems: readonly string[],
  isWritten: boolean,
): object {
  return {
    files: files.map(({ host, path, scope, hooks, problems: faults }) => ({
      host: host.id,
      path,
      scope,
      problems: faults,
      hooks: hooks.map(({ event, line, pointer, becomes }) => ({
        event,
        line,
        pointer,
        ...becomes,
        ...("event" in becomes && { event, as: becomes.event }),
      })),
    })),
    targets: targets.map(({ path, added }) => ({ path, added, written: isWritten })),
    problems,
  };
}

/** Makes a line of foreign text safe for a terminal, and keeps its indentation. */
function plainLine(line: string): string {
  return (/^ */.exec(line)?.[0] ?? "") + plain(line.trimStart());
}

/** Returns a function that shortens paths: relative to the project, or starting with `~`. */
function shortened({ cwd, home }: Place): (path: string) => string {
  return (path) => {
    const inside = relative(cwd, path);
    if (!inside.startsWith("..")) return inside;
    return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  };
}
