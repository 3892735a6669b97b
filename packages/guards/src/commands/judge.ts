import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { type CommandReader, globOf, loadReader } from "@hookline/runtime/command";
import { ignoreMatcher, type Protection, protectionOf } from "../paths/protected.ts";
import { readSettings, type SettingsOf } from "../settings.ts";
import { valuesOf } from "../word/values.ts";
import { Paths } from "./args.ts";
import type { CatalogueRow } from "./catalogue.ts";
import type { Effect, NamedPath } from "./effect.ts";
import { effectsOf } from "./effects.ts";
import type { Grounds, Loss } from "./loss.ts";
import { Losses } from "./losses.ts";
import { expanded, realOf, whatIs } from "./places.ts";
import { quietGit, Repositories } from "./repository.ts";

/** The folder in which a command would run, and what is known about it. */
export interface WorkingPlace {
  /** The project's top folder, an absolute path with links resolved. */
  readonly project: string;
  /** The working folder of the command; the project's folder by default. */
  readonly cwd?: string;
  readonly home?: string;
  /** Folders for temporary files. */
  readonly temp?: readonly string[];
  readonly settings?: Partial<SettingsOf<"commands">>;
  readonly paths?: Partial<SettingsOf<"paths">>;
  /** Whether a checkpoint made before the command can restore a loss in the project; none can by default. */
  readonly covers?: (loss: Loss) => boolean | Promise<boolean>;
  /** How long one call of git may take, in ms; 2,000 by default. */
  readonly gitTimeoutMs?: number;
}

/** The verdict of a guard on a command. */
export interface CommandVerdict {
  readonly verdict: "allow" | "note" | "ask" | "deny";
  /** For a person: what would be lost, the evidence, an allowed alternative, and how to allow it. Empty for `allow`. */
  readonly reason: string;
  /** Files, commits and words that show the loss. */
  readonly evidence: readonly string[];
  readonly lost: readonly Loss[];
  readonly effects: readonly Effect[];
}

interface Settings extends SettingsOf<"commands"> {
  readonly paths: SettingsOf<"paths">;
}

function settingsOf({ settings, paths }: WorkingPlace): Settings {
  return { ...COMMANDS, ...settings, paths: { ...PATHS, ...paths } };
}

const COMMANDS = readSettings("commands").settings;
const PATHS = readSettings("paths").settings;

/** Reads a catalogue row from a person's setting: `COMMAND: WHAT IT LOSES`. */
function rowOfSetting(text: string): CatalogueRow {
  const at = text.indexOf(": ");
  return { command: text.slice(0, at), loses: text.slice(at + 2) };
}

const NOTHING: CommandVerdict = { verdict: "allow", reason: "", evidence: [], lost: [], effects: [] };
const LONGEST_FILE = 200_000;

let loading: Promise<CommandReader> | undefined;

/**
 * Judges a command by what it would lose in a place. Asks git only about what the command names. Never throws: what it
 * cannot judge gets `ask`.
 */
export function judge(text: string, place: WorkingPlace): Promise<CommandVerdict> {
  return judgeText(text, place, true);
}

/** Judges only whether a command changes protected files, or reads files that a setting forbids to read. */
export function judgePaths(text: string, place: WorkingPlace): Promise<CommandVerdict> {
  return judgeText(text, place, false);
}

async function judgeText(text: string, place: WorkingPlace, isWhole: boolean): Promise<CommandVerdict> {
  try {
    loading ??= loadReader();
    return await judged(text, place, await loading, isWhole);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ...NOTHING,
      verdict: "ask",
      reason: `Not run. The command could not be judged: ${why}. A person can run it.`,
      evidence: [why],
    };
  }
}

async function judged(
  text: string,
  place: WorkingPlace,
  reader: CommandReader,
  isWhole: boolean,
): Promise<CommandVerdict> {
  const settings = settingsOf(place);
  const isAllowedWhole = isWhole && settings.allow.some((pattern) => allowed(pattern).test(text.trim()));
  const home = place.home ?? homedir();
  const project = realOf(place.project, true);
  const effects = effectsOf(text, {
    reader,
    cwd: realOf(place.cwd ?? project, true),
    home,
    added: settings.add.map(rowOfSetting),
    read: readSmall,
  });
  const isReading = settings.paths.noRead.length > 0;
  if (effects.length === 0 && !isReading) return NOTHING;
  const isAllowed = ignoreMatcher(settings.paths.allow);
  const losses = lossesIn(place, project, home, settings, isAllowed);
  const lost: (Loss & { readonly by: string })[] = [];
  const isProtected = ignoreMatcher(settings.paths.protect);
  for (const effect of effects) {
    for (const target of guardedTargets(effect)) {
      const loss = protectedLoss(target, effect, losses, isProtected, isAllowed);
      if (loss !== undefined) lost.push({ ...loss, by: effect.by });
    }
    for (const loss of isWhole ? await losses.of(effect) : []) lost.push({ ...loss, by: effect.by });
  }
  if (isReading) lost.push(...readLosses(text, reader, losses, settings, place, home));
  // A pattern cannot allow a loss of the level `refuse`.
  const counted = isAllowedWhole ? lost.filter(({ level }) => level === "refuse") : lost;
  return verdictOf(counted, effects, settings.level, place.covers);
}

function lossesIn(
  place: WorkingPlace,
  project: string,
  home: string,
  settings: Settings,
  isAllowed: (name: string) => boolean,
): Losses {
  const grounds: Grounds = {
    project,
    home: realOf(home, true),
    temp: (place.temp ?? ["/tmp", "/var/tmp", "/private/tmp"]).map((folder) => realOf(folder, true)),
    outside: settings.outside.map((folder) => realOf(new Paths(project, home).at(folder).path, true)),
    rebuildable: settings.rebuildable.map((one) => globOf(one)),
    protectedBranches: settings.protectedBranches.map((one) => globOf(one)),
    isAllowed,
  };
  return new Losses(grounds, new Repositories(quietGit(place.gitTimeoutMs ?? 2_000)));
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > LONGEST_FILE ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Reads a pattern of allowed commands, in which `*` matches any text. */
function allowed(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join("[^;&|<>$`\\n]*")}$`,
  );
}

/** Returns the files that an effect changes, which may be protected. */
function guardedTargets(effect: Effect): readonly { readonly target: NamedPath; readonly isDeleted: boolean }[] {
  switch (effect.kind) {
    case "delete":
    case "overwrite":
    case "write":
    case "mode":
      return effect.targets
        .filter(({ isKnown }) => isKnown)
        .map((target) => ({ target, isDeleted: effect.kind === "delete" }));
    default:
      return [];
  }
}

function protectedLoss(
  { target, isDeleted }: { readonly target: NamedPath; readonly isDeleted: boolean },
  effect: Effect,
  losses: Losses,
  own: (name: string) => boolean,
  isAllowed: (name: string) => boolean,
): Loss | undefined {
  const paths = target.isPattern ? (expanded(target.path) ?? [target.path]) : [target.path];
  for (const path of paths) {
    const real = realOf(path, !isDeleted);
    for (const one of new Set([real, path])) {
      const name = losses.named(one);
      if (isAllowed(name) || losses.isTemporary(real)) continue;
      const found = protectionOf(name, isDeleted, own);
      if (found !== undefined) return asLoss(found, name);
    }
    const isOut =
      effect.kind === "write" &&
      !losses.isInside(real) &&
      !losses.isTemporary(real) &&
      !losses.isCache(real) &&
      !isAllowed(losses.named(real));
    if (isOut && whatIs(real) !== "folder")
      return {
        level: "ask",
        would: `write ${losses.named(real)}, which is outside the project`,
        evidence: [real],
        instead: "Keep to the project's files, or to a temporary folder.",
        where: "elsewhere",
        allowedBy: "paths.allow",
      };
  }
  return undefined;
}

function asLoss({ level, why, instead }: Protection, name: string): Loss {
  return {
    level: level === "deny" ? "refuse" : "ask",
    would: `change ${name}, which ${why}`,
    evidence: [name],
    instead,
    where: "elsewhere",
    allowedBy: "paths.allow",
  };
}

/** Makes the loss for a file that a setting forbids to show. */
function hidden(name: string, by: string): Loss & { readonly by: string } {
  return {
    level: "refuse",
    would: `read ${name}, which a setting forbids`,
    evidence: [name],
    instead: "Ask a person what is in it.",
    where: "elsewhere",
    allowedBy: "paths.noRead",
    by,
  };
}

/** Returns the losses for files that a shell text would read although a setting forbids it. */
function readLosses(
  text: string,
  reader: CommandReader,
  losses: Losses,
  settings: Settings,
  place: WorkingPlace,
  home: string,
): readonly (Loss & { readonly by: string })[] {
  const isHidden = ignoreMatcher(settings.paths.noRead);
  const { commands, redirected } = reader.read(text);
  const words = [
    ...commands.flatMap(({ words, folder }) => words.slice(1).map((word) => ({ ...word, folder }))),
    ...redirected.filter(({ isWritten }) => !isWritten),
  ];
  for (const word of words)
    for (const { text: path, isPattern } of valuesOf(word) ?? []) {
      if (path === "" || path.startsWith("-")) continue;
      const folder =
        word.folder === undefined ? undefined : new Paths(place.cwd ?? place.project, home).at(word.folder || ".").path;
      const target = new Paths(folder, home).at(path, isPattern);
      if (!target.isKnown) continue;
      const all = isPattern ? (expanded(target.path) ?? []) : [target.path];
      const found = all.map((one) => losses.named(realOf(one, true))).find(isHidden);
      if (found !== undefined) return [hidden(found, path)];
    }
  return [];
}

async function verdictOf(
  lost: readonly (Loss & { readonly by: string })[],
  effects: readonly Effect[],
  level: Settings["level"],
  covers: WorkingPlace["covers"] = () => false,
): Promise<CommandVerdict> {
  const open: (typeof lost)[number][] = [];
  for (const loss of lost)
    if (loss.level === "refuse" || loss.where !== "project" || !(await covers(loss))) open.push(loss);
  const worst = open.find(({ level }) => level === "refuse") ?? open[0] ?? lost[0];
  if (worst === undefined) return { ...NOTHING, effects };
  const evidence = [...new Set(lost.flatMap((one) => one.evidence))].slice(0, 20);
  if (open.length === 0)
    return {
      verdict: "note",
      reason: `\`${worst.by}\` ${said(worst)}. \`hookline undo\` brings it back.`,
      evidence,
      lost,
      effects,
    };
  if (worst.level !== "refuse" && level === "note")
    return { verdict: "note", reason: `\`${worst.by}\` ${said(worst)}.`, evidence, lost, effects };
  const isDenied = worst.level === "refuse" || level === "refuse";
  const others = worst.evidence.filter((one) => !worst.would.includes(one)).slice(0, 5);
  const shown = others.length === 0 ? "" : ` Seen: ${others.join(", ")}.`;
  const { allowedBy = "commands.allow" } = worst;
  const way = isDenied ? "run it in a terminal" : "allow it once in the panel";
  const allows = `${allowedBy.endsWith("allow") ? "add it to" : "take it out of"} guards.${allowedBy}`;
  const isFinal = worst.level === "refuse" && allowedBy === "commands.allow";
  const person = `A person can ${way}${isFinal ? "" : `, or ${allows}`}.`;
  return {
    verdict: isDenied ? "deny" : "ask",
    reason: `Not run. \`${worst.by}\` ${said(worst)}.${shown} ${worst.instead} ${person}`,
    evidence,
    lost,
    effects,
  };
}

function said({ does, would }: Loss): string {
  return does ?? `would ${would}`;
}

/** Judges a file tool's change by the file that it names. */
export async function judgeFile(
  path: string,
  how: "write" | "delete" | "read",
  place: WorkingPlace,
): Promise<CommandVerdict> {
  const settings = settingsOf(place);
  const home = place.home ?? homedir();
  const project = realOf(place.project, true);
  const target = new Paths(realOf(place.cwd ?? project, true), home).at(path);
  const isAllowed = ignoreMatcher(settings.paths.allow);
  const losses = lossesIn(place, project, home, settings, isAllowed);
  const by = `${how} ${path}`;
  if (how === "read") {
    const name = losses.named(realOf(target.path, true));
    const isHidden = ignoreMatcher(settings.paths.noRead)(name);
    return verdictOf(isHidden ? [hidden(name, by)] : [], [], settings.level);
  }
  const effect: Effect =
    how === "delete"
      ? { kind: "delete", targets: [target], isRecursive: true, by }
      : { kind: "write", targets: [target], by };
  const loss = protectedLoss(
    { target, isDeleted: how === "delete" },
    effect,
    losses,
    ignoreMatcher(settings.paths.protect),
    isAllowed,
  );
  const deleted = how === "delete" ? await losses.of(effect) : [];
  const lost = [...(loss === undefined ? [] : [loss]), ...deleted].map((one) => ({ ...one, by }));
  return verdictOf(lost, [effect], settings.level, place.covers);
}
