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

/** A skill, command or agent file with hooks in its front matter. */
export interface FoundSkill {
  readonly owner: Owner;
  readonly file: SettingsFile;
  /** The reason why the file's hooks never run. */
  readonly never?: string;
  /** The reason why the file's hooks do not run at present. */
  readonly off?: string;
}

/** A file whose hooks cannot be read. Without a line, it is a folder that cannot be searched. */
export interface LostSkill {
  readonly path: string;
  readonly tier: OwnerTier;
  readonly line?: number;
  readonly problem: string;
}

type Kind = "skill" | "command" | "agent";

/** A folder of skills, commands or agents. */
interface ComponentFolder {
  readonly kind: Kind;
  readonly path: string;
  readonly tier: OwnerTier;
  readonly level: OwnerLevel;
  readonly plugin?: PluginPlace;
  readonly off?: string;
}

const NEVER = "this file's commands cannot be called up here, so its hooks never run; make it a skill";

/** Finds hooks in the front matter of skills, commands and agents. Source: spec/claude.md 1. */
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
      // Unreadable files are reported elsewhere, by the code that loads skills.
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
  // Folders of the user's skills are protected from the agent's writes, since these hooks run without consent. A
  // project's hooks need consent instead.
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

/** Returns the skill folders that a plugin's manifest names, and the plugin's own folder if it is itself a skill. */
function namedSkills(root: string, { files }: Scan): string[] {
  const own = isThere(files, join(root, "SKILL.md")) ? [root] : [];
  const read = isThere(files, join(root, MANIFEST)) ? readObject(files, join(root, MANIFEST)) : undefined;
  const given = read !== undefined && "value" in read ? read.value["skills"] : undefined;
  const paths = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === "string");
  return [...own, ...paths.map((path) => resolve(root, path))];
}

/** The limit on folders searched in one place, in case a link leads to a whole disk. */
const MOST_FOLDERS = 1000;

/** Returns the files of one kind below a folder, within the limit. A folder that is reached twice is read once. */
function filesOf({ kind, path: top }: ComponentFolder, { files }: Scan): string[] | { readonly problem: string } {
  const found: string[] = [];
  const been = new Set<string>();
  const open = [top];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const real = files.real(folder);
    if (real === undefined || been.has(real)) continue;
    if (been.size === MOST_FOLDERS)
      return { problem: `it contains more than ${MOST_FOLDERS} folders, so it is not searched` };
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
