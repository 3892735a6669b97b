import { basename, dirname, join, resolve } from "node:path";
import type { Scan } from "@hookline/runtime/dialect";
import { hooklineFolders } from "@hookline/runtime/engine";
import { readDefinitionFile } from "../../settings-hooks/definition-file.ts";
import type { Owner, PluginPlace } from "./definition.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { configFolders, type OwnerLevel, type OwnerTier } from "./places.ts";
import { isThere, MANIFEST, readObject } from "./plugin-folder.ts";
import type { PluginRoot } from "./plugins.ts";
import type { SettingsFile } from "./settings-file.ts";

/** A Markdown file with hooks in its fields. */
export interface FoundSkill {
  readonly owner: Owner;
  readonly file: SettingsFile;
  /** Why none of its hooks ever runs. */
  readonly never?: string;
  /** Why none of them runs for now. */
  readonly off?: string;
}

/** A file whose hooks cannot be read; without a line a folder that cannot be searched. */
export interface LostSkill {
  readonly path: string;
  readonly tier: OwnerTier;
  readonly line?: number;
  readonly problem: string;
}

type Kind = "skill" | "command" | "agent";

/** A folder with files of one kind. */
interface ComponentFolder {
  readonly kind: Kind;
  readonly path: string;
  readonly tier: OwnerTier;
  readonly level: OwnerLevel;
  readonly plugin?: PluginPlace;
  readonly off?: string;
}

const NEVER = "this file's commands cannot be called up here, so its hooks never run; make it a skill";

/** Finds the hooks that skills, commands and agents have in their fields. Source: spec/claude.md 1. */
export async function findSkills(
  scan: Scan,
  plugins: readonly PluginRoot[],
): Promise<{
  readonly found: readonly FoundSkill[];
  readonly lost: readonly LostSkill[];
  readonly searched: readonly string[];
}> {
  const found: FoundSkill[] = [];
  const lost: LostSkill[] = [];
  const seen = new Set<string>();
  const places = placesIn(scan, plugins);
  for (const place of places) {
    const paths = filesOf(place, scan);
    if ("problem" in paths) {
      lost.push({ path: place.path, tier: place.tier, ...paths });
      continue;
    }
    for (const path of paths) {
      const real = scan.files.real(path) ?? path;
      if (seen.has(real)) continue;
      seen.add(real);
      const bytes = readDefinitionFile(scan.files, path);
      // The code that reads skills reports unreadable files.
      const read = "problem" in bytes ? undefined : await readFrontmatter(bytes.bytes);
      if (read === undefined) continue;
      const { tier, level, kind, plugin, off } = place;
      if ("problem" in read) {
        lost.push({ path, tier, ...read });
        continue;
      }
      const folder = dirname(path);
      const never =
        kind === "agent" && plugin !== undefined
          ? "an agent of a plugin may not have hooks"
          : kind === "command"
            ? NEVER
            : undefined;
      found.push({
        owner: {
          path,
          tier,
          level,
          folder,
          ...(plugin !== undefined && { plugin }),
          ...(kind === "skill" && { skill: { name: read.name ?? basename(folder), path, folder } }),
          ...(kind === "agent" && { agent: { name: read.name ?? basename(path, ".md"), path } }),
        },
        file: read.file,
        ...(never !== undefined && { never }),
        ...(off !== undefined && { off }),
      });
    }
  }
  // Hooks of a person's skills run unasked, so only a person may write there; a project's need consent.
  const searched = places.flatMap(({ path, tier }) => (tier === "user" ? [path] : []));
  return { found, lost, searched };
}

function placesIn(scan: Scan, plugins: readonly PluginRoot[]): ComponentFolder[] {
  const roots: (Omit<ComponentFolder, "kind"> & { readonly named?: readonly string[] })[] = [
    ...configFolders(scan).map(({ path, tier }) => ({
      path,
      tier,
      level: tier === "user" ? ("user" as const) : ("project" as const),
    })),
    { path: join(scan.cwd, ".claude"), tier: "project", level: "project" },
    ...plugins.map(({ root, ...rest }) => ({ path: root, ...rest, named: namedSkills(root, scan) })),
  ];
  const own = [...hooklineFolders(scan), { path: join(scan.cwd, ".hookline"), tier: "project" as const }].map(
    ({ path, tier }): ComponentFolder => ({ kind: "agent", path: join(path, "agents"), tier, level: tier }),
  );
  return roots
    .flatMap(({ named = [], ...root }): ComponentFolder[] => [
      { ...root, kind: "skill", path: join(root.path, "skills") },
      ...named.map((path): ComponentFolder => ({ ...root, kind: "skill", path })),
      { ...root, kind: "command", path: join(root.path, "commands") },
      { ...root, kind: "agent", path: join(root.path, "agents") },
    ])
    .concat(own);
}

/** Folders of skills that a plugin's manifest names beside the usual one, and the plugin itself where it is a skill. */
function namedSkills(root: string, { files }: Scan): string[] {
  const own = isThere(files, join(root, "SKILL.md")) ? [root] : [];
  const read = isThere(files, join(root, MANIFEST)) ? readObject(files, join(root, MANIFEST)) : undefined;
  const given = read !== undefined && "value" in read ? read.value["skills"] : undefined;
  const paths = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === "string");
  return [...own, ...paths.map((path) => resolve(root, path))];
}

/** The maximum number of folders in one place; a link to a whole disk leads to more. */
const MOST_FOLDERS = 1000;

/** The files of a place, up to the maximum number of folders; a folder that is reached twice counts once. */
function filesOf({ kind, path: top }: ComponentFolder, { files }: Scan): string[] | { readonly problem: string } {
  const found: string[] = [];
  const been = new Set<string>();
  const open = [top];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const real = files.real(folder);
    if (real === undefined || been.has(real)) continue;
    if (been.size === MOST_FOLDERS)
      return { problem: `it leads to more than ${MOST_FOLDERS} folders, and is not read` };
    been.add(real);
    const own = join(folder, "SKILL.md");
    if (kind === "skill" && files.stat(own)?.kind === "file") {
      found.push(own);
      continue;
    }
    const inner: string[] = [];
    for (const { name } of files.list(folder) ?? []) {
      const path = join(folder, name);
      if (name.startsWith(".") || name === "node_modules") continue;
      const what = files.stat(path)?.kind;
      if (what === "directory") inner.push(path);
      else if (what === "file" && kind !== "skill" && name.endsWith(".md")) found.push(path);
    }
    open.push(...inner.reverse());
  }
  return found;
}
