import { basename, dirname, join } from "node:path";
import type { packages } from "@hookline/runtime/dialects";
import type { ItemKind, Scan } from "@hookline/runtime/internal";
import { kindAt, type Searching } from "../file/look.ts";
import { readText } from "../file/text.ts";
import { markdownIn } from "../prompt/markdown-files.ts";
import { skillFiles } from "../skill/skill.ts";
import { filesBelow } from "./files-below.ts";

/** One item of a project: where it is defined, and the files that a person agrees to. */
export interface FoundItem {
  readonly path: string;
  readonly files: readonly string[];
  /** What it says beyond its files; absent where that is all. */
  readonly definition?: unknown;
  /** Why nobody can agree to it. */
  readonly problem?: string;
}

/** What was found of a kind, and where it was looked for. */
export interface FoundItems {
  readonly searched: readonly string[];
  readonly items: readonly FoundItem[];
}

/** A kind of item that a project may bring along beside hooks. Nothing else in the code knows how one is found. */
export interface KindRow {
  readonly kind: ItemKind;
  /** What it does once it is approved, for a person who is asked about it. */
  readonly does: string;
  /** What cannot be read on the way is reported. */
  find(scan: Pick<Scan, "cwd" | "home" | "env" | "files">, searching: Searching): FoundItems | Promise<FoundItems>;
}

/** The kinds of items (decision 77). What a row finds waits for consent; a new kind is one row. */
export const KINDS: readonly KindRow[] = [
  {
    kind: "rule",
    does: "it can stop a reply and give the model its text",
    find: ({ cwd }, { report }) =>
      textsIn([join(cwd, ".hookline/rules"), join(cwd, ".omp/rules")], (folder) => markdownAt(folder, report)),
  },
  {
    kind: "prompt",
    does: "its text is sent when you type its name",
    find: ({ cwd }, { report }) =>
      textsIn([join(cwd, ".hookline/prompts"), join(cwd, ".pi/prompts")], (folder) => markdownAt(folder, report)),
  },
  {
    kind: "skill",
    does: "the model is told of it and may follow it",
    find: ({ cwd, home }, searching) => {
      const search = { ...searching, been: new Set<string>() };
      const [own, pi] = [join(cwd, ".hookline/skills"), join(cwd, ".pi/skills")];
      const shared = [...above(cwd, home).map((folder) => join(folder, ".agents/skills")), join(cwd, ".claude/skills")];
      const loose = textsIn([own, pi], (folder) => skillFiles(folder, true, search).filter(isSkill).map(skillAt));
      const strict = textsIn(shared, (folder) => skillFiles(folder, false, search).map(skillAt));
      return { searched: [...loose.searched, ...strict.searched], items: [...loose.items, ...strict.items] };
    },
  },
  {
    kind: "packages",
    does: "`hookline packages fetch` may fetch them",
    find: async (scan) => {
      const { packages } = await import("@hookline/runtime/dialects");
      const lists = packages.packageLists(scan).filter(({ tier }) => tier === "project");
      return { searched: [], items: lists.map(packageListItem) };
    },
  },
];

/** A list of packages: what would be fetched, whatever else its file says. */
export function packageListItem({ path, sources }: packages.PackageList): FoundItem {
  return { path, files: [], definition: { packages: sources } };
}

function textsIn(folders: readonly string[], find: (folder: string) => readonly FoundItem[]): FoundItems {
  return { searched: folders, items: folders.flatMap(find) };
}

function markdownAt(folder: string, report: Searching["report"]): FoundItem[] {
  return markdownIn({ path: folder, tier: "project" }, report).map((path) => ({ path, files: [path] }));
}

/** Beside the folders of skills, notes may lie; what has no description is no skill. */
function isSkill(path: string): boolean {
  return basename(path) === "SKILL.md" || readText(path).startsWith("---");
}

/** A skill is its file; with a folder of its own, everything in that, since the model is sent there. */
function skillAt(path: string): FoundItem {
  if (basename(path) !== "SKILL.md") return { path, files: [path] };
  const { files, problem } = filesBelow(dirname(path));
  return { path, files: [path, ...files.filter((file) => file !== path)], ...(problem !== undefined && { problem }) };
}

/** The working directory and the folders above it, up to the one of its repository; never the home folder. */
function above(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (kindAt(join(folder, ".git")) !== "nothing" || dirname(folder) === folder) break;
  }
  return folders;
}
