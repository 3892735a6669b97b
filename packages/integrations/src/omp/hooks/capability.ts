import { dirname, extname, join } from "node:path";
import type { DirEntry, Tier } from "@hookline/ground";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import type { CandidateState } from "@hookline/runtime/engine";
import { noFolder } from "../../settings-hooks/definition-file.ts";
import type { Disabled } from "./settings.ts";

/** A file in one of the hook folders, and its state. */
export interface HookItem {
  readonly path: string;
  readonly tier: Tier;
  readonly state: CandidateState;
  /** The path of the user's copy that runs instead, if its bytes are the same as this file's. */
  readonly twin?: string;
  /** The reason why the file does not run. */
  readonly reason?: string;
  readonly remedy?: string;
}

/** The hooks found in the folders of omp, Claude and Codex. */
export interface FoundHooks {
  readonly items: readonly HookItem[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The type (`pre` or `post`) and tool in a file's folder and name. They do not restrict what the module hooks. */
interface Label {
  readonly type: "pre" | "post";
  readonly tool: string;
}

/** One hook folder of a provider: of omp, Claude or Codex. */
interface Folder {
  readonly path: string;
  readonly tier: Tier;
  /** Returns the type and tool in a file's name; `undefined` if the file is not a hook. */
  label(name: string): Label | undefined;
  readonly skipsLinks?: true;
}

/** Returns omp's folder in the user's home. */
export function agentDir(home: string): string {
  return join(home, ".omp", "agent");
}

/**
 * Finds the hooks of omp, Claude and Codex, in this order, each folder sorted bytewise. Among the user's files with the
 * same type, tool and name, only the first runs; the same holds for a project's files. A project's file runs even if
 * the user has one with the same type, tool and name, unless both have the same bytes: then only the user's runs
 * (ruling 56). Files that are not modules are reported with a remedy.
 *
 * Source: seed 002; spec/omp.md 3.1; rulings 3 and 24.
 */
export function discoverHooks(scan: Scan, disabled: Disabled): FoundHooks {
  // If the session runs in the home folder, the project's folders are the user's, and only the user's entries are kept.
  const folders = providers(scan)
    .flat()
    .filter(({ path }, i, all) => all.findIndex((other) => other.path === path) === i);
  const listed = folders.flatMap((folder) => [...entries(scan.files, folder)].map((entry) => ({ ...entry, folder })));
  const claims = claimsOf(listed);
  const names = new Map<string, string>();
  const items: HookItem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const entry of listed) {
    const { path, name, label, fault } = entry;
    const { tier } = entry.folder;
    if (fault !== undefined) {
      items.push({ path, tier, ...fault });
      continue;
    }
    const key = keyOf(entry);
    const shadow = shadowOf(scan.files, entry, claims);
    if (shadow !== undefined) {
      const { path: other, isTwin } = shadow;
      const twin = isTwin ? { twin: other } : {};
      items.push({ path, tier, state: "shadowed", reason: `${other} has the key ${key} already`, ...twin });
      if (!isTwin) {
        const source = { path, tier, dialect: "omp" };
        diagnostics.push(diagnose("SHADOWED", { path, other, key }, { source }));
      }
      continue;
    }
    const off = disabled.by(`hook:${key}`, tier);
    if (off !== undefined) items.push({ path, tier, state: "disabled", reason: `${off} lists hook:${key}` });
    else items.push({ path, tier, state: "runs" });
    const twin = names.get(`${tier} ${label.type}/${name}`);
    if (twin === undefined) names.set(`${tier} ${label.type}/${name}`, path);
    else diagnostics.push(twins(path, twin, tier));
  }
  const searched = folders.map(({ path }) => path);
  const strays = [join(scan.cwd, ".omp", "hooks"), join(agentDir(scan.home), "hooks")].flatMap((path, i) =>
    misplaced(scan.files, path, i === 0 ? "project" : "user"),
  );
  items.push(...strays);
  for (const path of new Set(searched.flatMap((folder) => [folder, dirname(folder)])))
    diagnostics.push(...noFolder(scan.files, path));
  return { items, searched, diagnostics: [...diagnostics, ...items.flatMap(told)] };
}

/** A file and the hook folder it is in. */
type Listed = Entry & { readonly folder: Folder };

function keyOf({ label, name }: Entry): string {
  return `${label.type}:${label.tool}:${name}`;
}

/** Maps each tier, type, tool and name to the path of the first file with them. */
function claimsOf(listed: readonly Listed[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  for (const entry of listed) {
    const claim = `${entry.folder.tier} ${keyOf(entry)}`;
    if (entry.fault === undefined && !claims.has(claim)) claims.set(claim, entry.path);
  }
  return claims;
}

/** Returns the file that runs instead of `entry`: one of the same name, or the user's identical copy (`isTwin`). */
function shadowOf(
  files: Files,
  entry: Listed,
  claims: ReadonlyMap<string, string>,
): { readonly path: string; readonly isTwin: boolean } | undefined {
  const { tier } = entry.folder;
  const key = keyOf(entry);
  const first = claims.get(`${tier} ${key}`);
  if (first !== undefined && first !== entry.path) return { path: first, isTwin: false };
  const own = tier === "project" ? claims.get(`user ${key}`) : undefined;
  return own !== undefined && isSame(files, own, entry.path) ? { path: own, isTwin: true } : undefined;
}

function isSame(files: Files, one: string, other: string): boolean {
  const [a, b] = [files.read(one), files.read(other)];
  return a !== undefined && b !== undefined && a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Returns the providers' folders, by priority: omp 100, Claude 80 (the user's folder first), Codex 70. */
function providers({ cwd, home }: Scan): readonly (readonly Folder[])[] {
  const pair = (base: string, tier: Tier, tool: (name: string) => string, skipsLinks?: true): Folder[] =>
    (["pre", "post"] as const).map((type) => ({
      path: join(base, type),
      tier,
      label: (name) => ({ type, tool: tool(name) }),
      ...(skipsLinks && { skipsLinks }),
    }));
  const codex = (base: string, tier: Tier): Folder => ({
    path: join(base, ".codex", "hooks"),
    tier,
    label: codexLabel,
  });
  return [
    pair(join(cwd, ".omp", "hooks"), "project", stemOf, true),
    pair(join(agentDir(home), "hooks"), "user", stemOf, true),
    pair(join(home, ".claude", "hooks"), "user", claudeTool),
    pair(join(cwd, ".claude", "hooks"), "project", claudeTool),
    [codex(home, "user"), codex(cwd, "project")],
  ];
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

function claudeTool(name: string): string {
  return name.replace(/\.(sh|bash|zsh|fish)$/, "");
}

/**
 * Reads the type and the tool in the name of a file in Codex's folder, where `pre-` and `post-` hooks are side by side.
 * Other files there are Codex's own.
 */
function codexLabel(name: string): Label | undefined {
  const [, type, tool] = (isModule(name) && /^(pre|post)-(.+)$/s.exec(stemOf(name))) || [];
  return tool === undefined ? undefined : { type: type as Label["type"], tool };
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly label: Label;
  readonly fault?: Pick<HookItem, "state" | "reason" | "remedy">;
}

function* entries(files: Files, folder: Folder): Generator<Entry> {
  for (const entry of files.list(folder.path) ?? []) {
    const { name } = entry;
    const label = folder.label(name);
    if (name.startsWith(".") || label === undefined) continue;
    const path = join(folder.path, name);
    const fault = faultOf(files, path, entry, folder);
    yield { path, name, label, ...(fault !== undefined && { fault }) };
  }
}

function faultOf(files: Files, path: string, { kind, name }: DirEntry, { skipsLinks }: Folder): Entry["fault"] {
  if (kind === "link" && skipsLinks) {
    return { state: "unsupported", reason: "it is a link, which omp skips here", remedy: "Copy the file there." };
  }
  if (files.stat(path)?.kind !== "file") {
    const remedy = "Put the module itself there, and what it imports anywhere else.";
    return { state: "unreachable", reason: files.fault?.(path) ?? "it is not a file", remedy };
  }
  if (isModule(name)) return undefined;
  return {
    state: "unsupported",
    reason: "omp's hooks are .ts or .js modules, and this is another kind of file",
    remedy: `Run it by an entry of .jcli/hooks.yaml, as { command: "${path}" } under pre_tool_execution or post_tool_execution, or write it as a module.`,
  };
}

/** Whether a file is a module. Declaration files contain no code. */
function isModule(name: string): boolean {
  return [".ts", ".js"].includes(extname(name)) && !name.endsWith(".d.ts");
}

/** Reports files beside the folders `pre` and `post`, where omp does not look. */
function misplaced(files: Files, directory: string, tier: Tier): HookItem[] {
  return (files.list(directory) ?? [])
    .filter(({ kind, name }) => kind === "file" && !name.startsWith("."))
    .map(({ name }) => ({
      path: join(directory, name),
      tier,
      state: "unreachable" as const,
      reason: `only the folders pre and post of ${directory} are searched`,
      remedy: `Move it to ${join(directory, "pre", name)}.`,
    }));
}

function told({ path, tier, state, reason, remedy }: HookItem): Diagnostic[] {
  if (reason === undefined || remedy === undefined) return [];
  const source = { path, tier, dialect: "omp" };
  const details = { path, line: 1, problem: reason, remedy };
  return [diagnose(state === "unreachable" ? "UNREACHABLE" : "UNSUPPORTED", details, { source })];
}

/**
 * Reports two files of the same name that both run because their keys differ: the key of a file in Claude's folders
 * includes the file's extension, that in omp's does not.
 */
function twins(path: string, other: string, tier: Tier): Diagnostic {
  const problem = `both it and ${other} run: they have the same name, but omp compares them with the ending`;
  const remedy = "Remove one of the two if they are copies.";
  return diagnose("LINT", { path, line: 1, problem, remedy }, { source: { path, tier, dialect: "omp" } });
}
