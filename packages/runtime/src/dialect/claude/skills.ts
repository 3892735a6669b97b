import { basename, dirname, join, resolve } from "node:path";
import { readDefinitionFile } from "../definition-file.ts";
import type { Scan } from "../dialect.ts";
import type { Owner, PluginPlace } from "./definition.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { configFolders, type OwnerLevel } from "./places.ts";
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

/** A file whose hooks cannot be read. */
export interface LostSkill {
  readonly path: string;
  readonly tier: "user" | "project";
  readonly line: number;
  readonly problem: string;
}

type Kind = "skill" | "command" | "agent";

/** A folder in which files of one kind lie. */
interface Place {
  readonly kind: Kind;
  readonly path: string;
  readonly tier: "user" | "project";
  readonly level: OwnerLevel;
  readonly plugin?: PluginPlace;
  readonly off?: string;
}

const NEVER: Readonly<Record<Exclude<Kind, "skill">, string>> = {
  command: "this file's commands cannot be called up here, so its hooks never run; make it a skill",
  agent: "there are no sub-agents yet, so hooks of an agent never run",
};

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
    for (const path of filesOf(place, scan)) {
      const real = scan.files.real(path) ?? path;
      if (seen.has(real)) continue;
      seen.add(real);
      const bytes = readDefinitionFile(scan.files, path);
      // A file that cannot be read is told of by whoever reads skills.
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
          : kind === "skill"
            ? undefined
            : NEVER[kind];
      found.push({
        owner: {
          path,
          tier,
          level,
          folder,
          ...(plugin !== undefined && { plugin }),
          ...(kind === "skill" && { skill: { name: read.name ?? basename(folder), path, folder } }),
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

function placesIn(scan: Scan, plugins: readonly PluginRoot[]): Place[] {
  const roots: (Omit<Place, "kind"> & { readonly named?: readonly string[] })[] = [
    ...configFolders(scan).map(({ path, tier }) => ({
      path,
      tier,
      level: tier === "user" ? ("user" as const) : ("project" as const),
    })),
    { path: join(scan.cwd, ".claude"), tier: "project", level: "project" },
    ...plugins.map(({ root, ...rest }) => ({ path: root, ...rest, named: namedSkills(root, scan) })),
  ];
  return roots.flatMap(({ named = [], ...root }): Place[] => [
    { ...root, kind: "skill", path: join(root.path, "skills") },
    ...named.map((path): Place => ({ ...root, kind: "skill", path })),
    { ...root, kind: "command", path: join(root.path, "commands") },
    { ...root, kind: "agent", path: join(root.path, "agents") },
  ]);
}

/** Folders of skills that a plugin's manifest names beside the usual one, and the plugin itself where it is a skill. */
function namedSkills(root: string, { files }: Scan): string[] {
  const own = isThere(files, join(root, "SKILL.md")) ? [root] : [];
  const read = isThere(files, join(root, MANIFEST)) ? readObject(files, join(root, MANIFEST)) : undefined;
  const given = read !== undefined && "value" in read ? read.value["skills"] : undefined;
  const paths = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === "string");
  return [...own, ...paths.map((path) => resolve(root, path))];
}

const DEEPEST = 5;

function filesOf({ kind, path }: Place, { files }: Scan): string[] {
  const below = (folder: string, depth: number): string[] => {
    if (kind === "skill" && files.stat(join(folder, "SKILL.md"))?.kind === "file") return [join(folder, "SKILL.md")];
    return (files.list(folder) ?? []).flatMap(({ name }) => {
      const inner = join(folder, name);
      if (name.startsWith(".") || name === "node_modules") return [];
      const what = files.stat(inner)?.kind;
      if (what === "directory") return depth < DEEPEST ? below(inner, depth + 1) : [];
      return what === "file" && kind !== "skill" && name.endsWith(".md") ? [inner] : [];
    });
  };
  return below(path, 0);
}
