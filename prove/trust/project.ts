import { cpSync, linkSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SETTINGS } from "../../packages/hookline/src/settings/rows.ts";
import type { Place } from "../agent/program.ts";
import type { Dice } from "../stage/dice.ts";
import { FOLDER_HOOK, GUARD, HOOKS, NAMES, PLUGIN } from "./user.ts";

/** Files that a project may have with hooks and other texts that an agent reads, with usual contents. */
const PLACES: readonly ((name: string) => readonly [path: string, text: string])[] = [
  (name) => [`.pi/extensions/${name}.ts`, GUARD],
  (name) => [`.pi/extensions/${name}.js`, GUARD],
  (name) => [`.pi/extensions/${name}/index.ts`, GUARD],
  (name) => [`.hookline/extensions/${name}.ts`, GUARD],
  (name) => [`.omp/hooks/pre/${name}.ts`, GUARD],
  (name) => [`.omp/hooks/post/${name}.ts`, GUARD],
  (name) => [`.omp/extensions/${name}.ts`, GUARD],
  (name) => [`.claude/hooks/pre/${name}.ts`, GUARD],
  (name) => [`.claude/hooks/post/${name}.ts`, GUARD],
  (name) => [`.codex/hooks/pre-${name}.ts`, GUARD],
  () => [".jcli/hooks.yaml", HOOKS],
  () => [".hookline/hooks.yaml", HOOKS],
  (name) => [`.jcli/hooks/${name}/HOOK.yaml`, FOLDER_HOOK],
  (name) => [`.hookline/plugins/${name}`, PLUGIN],
  (name) => [`.hookline/plugins/${name}/${name}`, PLUGIN],
  (name) => [`.omp/rules/${name}.md`, `---\nname: ${name}\ntrigger: x\n---\nDo not.\n`],
  (name) => [`.hookline/rules/${name}.md`, `---\nname: ${name}\ntrigger: x\n---\nDo not.\n`],
  (name) => [`.hookline/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\nText.\n`],
  (name) => [`.hookline/prompts/${name}.md`, "Text.\n"],
];

/** Unusual contents. */
const OTHER_TEXTS: readonly string[] = ["", "throw new Error('broken');\n", "{", "export default 7;\n", "stop: [7]\n"];

/** Files of other programs, with texts that name, turn off or move hooks of those programs or of the user. */
const FOREIGN: Readonly<Record<string, (name: string) => readonly object[]>> = {
  ".pi/settings.json": (name) => [
    { extensions: [`-${name}.ts`, `!${name}.ts`, `!**/${name}.ts`, "!*"] },
    { extensions: [`-~/.pi/agent/extensions/${name}.ts`, `~/.pi/agent/extensions/${name}.ts`] },
    { extensions: ["../../home/own", "~/.omp/agent/hooks/pre"] },
    { packages: ["./pack", "../../home/own/pack", "npm:none@1.0.0", { source: "~/own/pack", extensions: [] }] },
    { packages: [{ source: "../../home/own/pack", extensions: ["!main.ts"] }], extensions: ["./pack/main.ts"] },
    { defaultProjectTrust: "always", enabledModels: [], quietStartup: true, shellPath: "/bin/false" },
  ],
  ".omp/settings.json": (name) => [
    { disabledExtensions: [`hook:pre:${name}:${name}.ts`, `hook:post:${name}:${name}.ts`, `extension-module:${name}`] },
    { disabledExtensions: [`hook:pre:${name}.ts:${name}.ts`, `hook:pre:${name}:${name}`] },
    { extensions: [`~/.omp/agent/extensions/${name}.ts`, "~/own/omp", `~/.omp/agent/hooks/pre/${name}.ts`] },
  ],
  ".omp/config.yml": (name) => [{ disabledExtensions: [`hook:pre:${name}:${name}.ts`, `extension-module:${name}`] }],
  ".claude/settings.json": () => [
    { disableAllHooks: true },
    { hooks: { PreToolUse: [] }, env: { HOME: "/nowhere" } },
    { allowManagedHooksOnly: true, hooks: {} },
  ],
  ".claude/settings.local.json": () => [{ disableAllHooks: true }],
  ".hookline/trust.json": () => [{ version: 1, entries: [] }],
  "hookline.lock": () => [{ version: 1, entries: [] }],
  "package.json": (name) => [
    { name: "p", type: "module", pi: { extensions: [`./${name}.ts`] }, omp: { extensions: [] } },
  ],
  "pack/package.json": () => [{ name: "pack", pi: { extensions: ["./main.ts"] } }],
  ".mcp.json": () => [{ mcpServers: { none: { command: "false" } } }],
};

const NUMBERS: readonly unknown[] = [0, 1, 2, 10, 100, 30_000, 2 ** 31 - 1, 2 ** 31, -1, "1", null];

/** Returns a value for a setting, usually of the right type. */
function settingOf(key: string, chance: Dice, name: string): unknown {
  const { type } = SETTINGS[key] as (typeof SETTINGS)[string];
  if (chance.chance(0.05)) return chance.pick([null, {}, [], "x", 7]);
  if (type === "boolean") return chance.chance(0.5);
  if (type === "integer") return chance.pick(NUMBERS);
  if (typeof type !== "string") return chance.pick(type);
  const words = [
    "pi",
    "omp",
    "omp-hooks",
    "jcli",
    "chibi",
    `${name}.ts`,
    `~/.pi/agent/extensions/${name}.ts`,
    "/",
    ".",
  ];
  return type === "string" ? chance.pick(words) : words.filter(() => chance.chance(0.3));
}

/** Generates a random project and writes it; returns what is in it. */
export function drawProject(place: Place, chance: Dice): string {
  const says: string[] = [];
  for (let n = 1 + chance.below(5); n > 0; n--) says.push(chance.pick(PIECES)(place, chance));
  return says.filter((text) => text !== "").join(", ");
}

type Piece = (place: Place, chance: Dice) => string;

const PIECES: readonly Piece[] = [
  (place, chance) => {
    const [path, usual] = chance.pick(PLACES)(named(chance));
    return written(place, path, chance.chance(0.75) ? usual : chance.pick(OTHER_TEXTS));
  },
  (place, chance) => {
    const name = chance.pick(NAMES);
    const keys = Object.keys(SETTINGS).filter(() => chance.chance(0.08));
    if (keys.length === 0) keys.push(chance.pick(Object.keys(SETTINGS)));
    const values = Object.fromEntries(keys.map((key) => [key, settingOf(key, chance, name)]));
    return written(place, ".hookline/settings.json", JSON.stringify(values), true);
  },
  (place, chance) => {
    const path = chance.pick(Object.keys(FOREIGN));
    return written(place, path, JSON.stringify(chance.pick(FOREIGN[path]?.(chance.pick(NAMES)) ?? [])), true);
  },
  linked,
];

/** Returns a name that a user's file may also have, sometimes in another case. */
function named(chance: Dice): string {
  const name = chance.pick(NAMES);
  return chance.chance(0.1) ? name.toUpperCase() : name;
}

/** Writes a file of the project; does nothing if the path is outside the project or exists already. */
function written(place: Place, path: string, text: string, isTold = false): string {
  if (!isFree(place, path)) return "";
  place.write(path, text, text.startsWith("#!") ? 0o755 : 0o644);
  return isTold ? `${path} ${text}` : path;
}

/** Folders in a project and in a home folder for the same kind of hooks. */
const ALIKE: readonly (readonly [project: string, home: string])[] = [
  [".pi/extensions", ".pi/agent/extensions"],
  [".pi", ".pi/agent"],
  [".omp", ".omp/agent"],
  [".omp/hooks", ".omp/agent/hooks"],
  [".omp/hooks/pre", ".omp/agent/hooks/pre"],
  [".omp/extensions", ".omp/agent/extensions"],
  [".claude", ".claude"],
  [".codex", ".codex"],
  [".jcli", ".jdata/agent"],
  [".jcli/hooks", ".jdata/agent/hooks"],
  [".hookline", ".hookline"],
  [".hookline/plugins", ".chibi/plugins"],
  [".hookline/plugins", ".hookline/plugins"],
  [".hookline/extensions", ".hookline/extensions"],
];

/** Makes a file or folder of the project identical with one of the user's: by a link, a hard link or a copy. */
function linked(place: Place, chance: Dice): string {
  const owned = filesOf(place.home).filter((one) => !/^\.hookline\/(cache|run|stats)/.test(one));
  const alike = ALIKE.filter(([path, target]) => owned.includes(target) && isFree(place, path));
  const [file] = chance.pick(PLACES)(named(chance));
  const files = owned.filter((one) => statSync(join(place.home, one)).isFile());
  const [path, target] = chance.pick([
    ...(alike.length === 0 ? [] : [chance.pick(alike)]),
    [file, chance.pick(files)] as const,
    [chance.pick([file, dirname(file)]), chance.pick(owned)] as const,
  ]);
  if (path === "." || !isFree(place, path)) return "";
  const [from, to] = [join(place.home, target), place.path(path)];
  mkdirSync(dirname(to), { recursive: true });
  const way = chance.pick(["link", "relative link", "second name", "copy"]);
  if (way === "copy") cpSync(from, to, { recursive: true });
  else if (way === "second name" && statSync(from).isFile()) linkSync(from, to);
  else symlinkSync(way === "relative link" ? relative(dirname(to), from) : from, to);
  return `${path} as ${way} of ~/${target}`;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

/** Whether a path does not exist yet and its folders are the project's own. */
function isFree(place: Place, path: string): boolean {
  let folder = realpathSync(place.project);
  for (const name of path.split("/")) {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (!stat.isDirectory()) return false;
    folder = join(folder, name);
  }
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined;
}
