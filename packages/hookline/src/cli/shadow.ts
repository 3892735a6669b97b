import { join, relative } from "node:path";
import { guess } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, systemFiles } from "@hookline/ground/system";
import type { Hook } from "@hookline/runtime/engine";
import { expectedBySettings, meantBy, pathIn } from "@hookline/runtime/session";
import { readSettingsFile } from "../settings/file.ts";
import { writeSetting } from "../settings/write.ts";
import type { Arguments } from "../start/args.ts";
import { type OpenedHooks, openHooks } from "./open-hooks.ts";

/** `hookline hooks shadow ID|PATH`: when hooks are next loaded, these are asked but decide nothing. */
export function shadowHooks(args: Arguments, io: Io): Promise<number> {
  return change(args, io, true);
}

/** `hookline hooks enforce ID|PATH`: when hooks are next loaded, these decide again. */
export function enforceHooks(args: Arguments, io: Io): Promise<number> {
  return change(args, io, false);
}

interface Meant {
  readonly name: string;
  /** The absolute path of the file, or the id of the hook. */
  readonly meant: string;
  readonly path: string;
  readonly hooks: readonly Hook[];
}

/** The list `shadow` of one settings file. */
interface Listed {
  readonly folder: string;
  readonly names: readonly string[];
  /** Returns the full path or id that a name in the file means. */
  meaning(name: string): string;
  /** Returns a path or an id as this file writes it: relative in the project's file, unchanged in the person's. */
  written(name: string): string;
}

async function change(args: Arguments, io: Io, shadow: boolean): Promise<number> {
  const verb = shadow ? "shadow" : "enforce";
  const [name, ...more] = args.words;
  if (name === undefined || more.length > 0) {
    io.err(`Which hook? \`hookline hooks ${verb} ID|PATH\`; \`hookline hooks\` lists the files.\n`);
    return EXIT.usage;
  }
  const opened = await openHooks(args, io);
  try {
    const isProject = args.flags["project"] === true;
    const listed = isProject ? ofProject(opened) : ofPerson(opened);
    const meant = find(opened, name);
    const problem = refusal(opened, meant, { shadow, isProject, listed });
    if (problem !== undefined) {
      io.err(`${plain(problem)}\n`);
      return EXIT.failed;
    }
    const next = shadow ? withName(listed, meant) : withoutName(opened, listed, meant);
    const file = join(listed.folder, "settings.json");
    const isSame = next.length === listed.names.length && next.every((one, at) => one === listed.names[at]);
    if (!isSame) writeSetting(listed.folder, "shadow", next.length === 0 ? undefined : next);
    const ids = meant.hooks.length > 0 ? meant.hooks.map(({ id }) => id) : [meant.meant];
    const changed = isSame ? [] : ids.map((id) => ({ id, shadow }));
    if (args.flags["json"] === true) io.out(jsonText({ v: 1, changed, file }));
    else io.out(`${plain(told(meant, { shadow, isSame, file }))}\n`);
    warnClosed(opened, meant, shadow, io);
    return EXIT.fine;
  } finally {
    await opened.close();
  }
}

function find({ place, session }: OpenedHooks, name: string): Meant {
  const from = { cwd: place.cwd, home: place.home };
  const meant = meantBy(name, from);
  const all = session.hooks().map(({ hook }) => hook);
  const found = all.filter(
    ({ id, source }) => id === meant || (pathIn(name) === name && real(source.path) === real(meant)),
  );
  const path = found[0]?.source.path ?? (pathIn(name) === name ? meant : meantBy(pathIn(name), from));
  return { name, meant: pathIn(name) === name ? path : meant, path, hooks: found };
}

function real(path: string): string {
  return systemFiles.real(path) ?? path;
}

/** Returns why the hook cannot be put in shadow or in force, with what to do instead; undefined if it can. */
function refusal(
  opened: OpenedHooks,
  { name, meant, path, hooks }: Meant,
  { shadow, isProject, listed }: { shadow: boolean; isProject: boolean; listed: Listed },
): string | undefined {
  const { place, session } = opened;
  const source = session.report.sources.find((one) => one.kind === undefined && one.path === path);
  const isListed = listed.names.some((one) => listed.meaning(one) === meant);
  if (hooks.length === 0 && (source === undefined || meant !== path) && (shadow || !isListed)) {
    const known = [...session.report.sources.map((one) => one.path), ...session.hooks().map(({ hook }) => hook.id)];
    return `There is no hook "${name}" here. ${guess(name, known)}\`hookline hooks\` lists the files, \`hookline hooks explain EVENT\` the ids.`;
  }
  const sources = session.report.sources.filter((one) => one.path === path);
  if (shadow && sources.some(({ tier }) => tier === "managed"))
    return `${name} is managed by this machine's administrator, and stays in force.`;
  if (isProject && sources.some(({ tier }) => tier !== "project"))
    return `${name} is not this project's own; put it in shadow or in force in your own settings, without --project.`;
  if (!shadow) return heldElsewhere(opened, { name, meant, path, hooks }, isProject);
  const from = { cwd: place.cwd, home: place.home };
  const { user, project } = place.settings;
  const required = expectedBySettings(
    { required: user.get("required") as readonly string[] | undefined, project: { required: project.required } },
    from,
  ).find(
    (one) =>
      real(one.path) === real(path) &&
      (one.event === undefined || meant === path || hooks.some(({ event }) => event === one.event)),
  );
  if (required === undefined) return undefined;
  return `${name} must run: required names "${required.name}", and in shadow it would count as missing. Remove it from required first.`;
}

/** Returns which other settings still keep the hook in shadow; undefined if none does. */
function heldElsewhere({ place }: OpenedHooks, { name, meant, path }: Meant, isProject: boolean): string | undefined {
  const from = { cwd: place.cwd, home: place.home };
  const { settings } = place;
  const names = (list: unknown): boolean =>
    ((list ?? []) as readonly string[]).some((one) => [meant, path].includes(meantBy(one, from)));
  if (names(settings.managed.get("shadow")))
    return `This machine's administrator has put ${name} in shadow; only they can put it in force.`;
  if (isProject && names(settings.user.get("shadow")))
    return `Your own settings put ${name} in shadow; leave out --project.`;
  if (!isProject && names(settings.project.shadow))
    return `This project's settings put ${name} in shadow; add --project.`;
  return undefined;
}

function ofPerson({ place: { hooklineHome: folder, cwd, home } }: OpenedHooks): Listed {
  const meaning = (name: string): string => meantBy(name, { cwd, home });
  return { folder, names: namesIn(folder), meaning, written: (name) => name };
}

/** Reads the project's list, whose names are relative, so that they mean the same for everybody who has the project. */
function ofProject({ place: { cwd } }: OpenedHooks): Listed {
  const folder = join(cwd, ".hookline");
  const meaning = (name: string): string => meantBy(name, { cwd, home: cwd });
  const written = (name: string): string => name.replace(pathIn(name), relative(cwd, pathIn(name)));
  return { folder, names: namesIn(folder), meaning, written };
}

function namesIn(folder: string): readonly string[] {
  return (readSettingsFile(join(folder, "settings.json")).values.get("shadow") as readonly string[] | undefined) ?? [];
}

function withName({ names, meaning, written }: Listed, { meant, path }: Meant): readonly string[] {
  if (names.some((one) => meaning(one) === meant || meaning(one) === path)) return names;
  return [...names, written(meant)];
}

/**
 * Returns the list without the given hook. If the list names the hook's whole file, it is replaced by the other hooks
 * of the file.
 */
function withoutName({ session }: OpenedHooks, listed: Listed, { meant, path, hooks }: Meant): readonly string[] {
  const { names, meaning, written } = listed;
  const isFile = meant === path;
  const ids = new Set(hooks.map(({ id }) => id));
  const left = names.filter((one) => meaning(one) !== meant && !(isFile && ids.has(meaning(one))));
  if (isFile || !names.some((one) => meaning(one) === path)) return left;
  const others = session.hooks().filter(({ hook }) => hook.source.path === path && !ids.has(hook.id));
  return [...left.filter((one) => meaning(one) !== path), ...others.map(({ hook }) => written(hook.id))];
}

function told(
  { name, hooks }: Meant,
  { shadow, isSame, file }: { shadow: boolean; isSame: boolean; file: string },
): string {
  const count = hooks.length === 1 ? "1 hook" : `${hooks.length} hooks`;
  if (isSame) return `${name} is ${shadow ? "in shadow" : "in force"} already; ${file} was not changed.`;
  if (!shadow) return `${name} (${count}) decides again from the next start or /reload. Written to ${file}.`;
  return [
    `${name} (${count}) is in shadow from the next start or /reload. Written to ${file}.`,
    "It still runs, but it is asked only after each decision; its answers are counted and change nothing.",
    "It is asked last, so it sees each event with the changes of all other hooks.",
    "`hookline hooks stats` shows what it would have done.",
  ].join("\n");
}

/** Warns about a file in `failClosed`: in shadow it does not count as running, so every tool call is refused. */
function warnClosed({ place }: OpenedHooks, { path }: Meant, shadow: boolean, io: Io): void {
  const { user, project } = place.settings;
  const from = { cwd: place.cwd, home: place.home };
  const failClosed = user.get("failClosed") as readonly string[] | undefined;
  const closed = expectedBySettings({ failClosed, project: { failClosed: project.failClosed } }, from);
  const one = closed.find((expected) => real(expected.path) === real(path));
  if (shadow && one !== undefined)
    io.err(
      `failClosed names "${one.name}": while it is in shadow, every tool call is refused. Remove it from failClosed.\n`,
    );
}
