import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Tier } from "@hookline/ground";
import { kindAt, type Searching, textAt } from "@hookline/ground/system";
import type { packages } from "@hookline/integrations";
import type { ItemKind, Scan } from "@hookline/runtime/engine";
import { shellQuoted } from "@hookline/runtime/engine";
import { readServerFile, type ServerEntry, type ServerFile } from "../mcp/config-file.ts";
import { markdownIn } from "../prompt/markdown-files.ts";
import { skillFiles } from "../skill/skill.ts";
import { readAgents } from "../subagent/find.ts";
import { agentFolders } from "../subagent/folders.ts";

/** An item of a project, such as a skill or an MCP server, and the files that a person approves. */
export interface FoundItem {
  readonly path: string;
  readonly files: readonly string[];
  /** Data that is approved besides the files, such as the address of an MCP server. */
  readonly definition?: unknown;
  /** Why the item cannot be approved. */
  readonly problem?: string;
  /** The tier to which the item belongs. Default: `project`. Only a project's items need approval. */
  readonly tier?: Tier;
  /** The line, from 1, on which the item's definition begins in its file. */
  readonly line?: number;
  readonly pointer?: string;
  /** The dialect of the hooks that the item contains. */
  readonly dialect?: string;
  /** The shell command that the item starts: consent also covers the files that the command names. */
  readonly command?: string;
  /** The folder in which the command is started, if it is not the session's. */
  readonly folder?: string;
}

/** The items of a kind that were found, and the places that were searched. */
export interface FoundItems {
  readonly searched: readonly string[];
  readonly items: readonly FoundItem[];
}

/** A kind of item that a project may have besides hooks. No other code knows how its items are found. */
export interface KindRow {
  readonly kind: ItemKind;
  /** The effect of an approved item, as shown to the person. */
  readonly does: string;
  /** Finds the items of this kind, such as all skills. Reports unreadable files and folders. */
  find(scan: ItemScan, searching: Searching): FoundItems | Promise<FoundItems>;
  /** Returns why an approved item cannot be used; undefined if it can. */
  lack?(definition: unknown, scan: Scan): Promise<string | undefined>;
}

/** The folders and files in which items, such as skills and MCP servers, are looked for. */
export interface ItemScan extends Pick<Scan, "cwd" | "home" | "env" | "files" | "hooklineHome"> {
  /** Files of MCP servers that the command line names, absolute. */
  readonly mcpFiles?: readonly string[];
}

/** The kinds of items (ruling 77). Everything that a row finds needs consent; a new kind is one row. */
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
    does: "the model is told about it and may follow it",
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
    kind: "agent",
    does: "the model may start a sub-agent that follows it",
    async find(scan, { report }) {
      const files = await readAgents(scan, report);
      const items = files
        .filter(({ tier }) => tier === "project")
        .map(({ path, problem }) => ({ path, files: [path], ...(problem !== undefined && { problem }) }));
      return { searched: agentFolders(scan).map(({ path }) => path), items };
    },
  },
  {
    kind: "packages",
    does: "`hookline packages fetch` may fetch them",
    find: async (scan) => {
      const { packages } = await import("@hookline/integrations");
      const lists = packages.packageLists(scan).filter(({ tier, sources }) => tier === "project" && sources.length > 0);
      return { searched: [], items: lists.map(packageListItem) };
    },
    lack: async (definition, scan) => {
      const { packages } = await import("@hookline/integrations");
      const { packages: wanted } = definition as { readonly packages: readonly string[] };
      const lists = packages.packageLists(scan).filter(({ tier }) => tier === "project");
      const lacks = lists.flatMap(({ sources, at }) =>
        sources.flatMap((source) => {
          const found = at(source);
          return wanted.includes(source) && "reason" in found ? [found.reason] : [];
        }),
      );
      return lacks.length === 0 ? undefined : [...new Set(lacks)].join("; ");
    },
  },
  {
    kind: "mcp",
    does: "hookline starts its program or asks its URL; the model gets its tools and you get its prompts",
    find: (place, { report }) => {
      const files = serverFiles(place);
      const entries = files.flatMap((file) => readServerFile(file, report));
      return { searched: files.map(({ path }) => path), items: entries.map(serverItem) };
    },
  },
];

/** Returns the files that define MCP servers. */
export function serverFiles({ cwd, hooklineHome, mcpFiles = [] }: Pick<ItemScan, "cwd" | "hooklineHome" | "mcpFiles">) {
  return [
    ...mcpFiles.map((path): ServerFile => ({ path, tier: "user", isNamed: true })),
    { path: join(hooklineHome, "mcp.json"), tier: "user" },
    { path: join(cwd, ".mcp.json"), tier: "project" },
  ] satisfies ServerFile[];
}

/** Returns a server as an item that a person can approve: its command or address, and its variables. */
function serverItem({ path, tier, line, pointer, definition, problem }: ServerEntry): FoundItem {
  const { command, args = [] } = definition ?? {};
  return {
    path,
    tier,
    line,
    ...(pointer !== undefined && { pointer }),
    files: [],
    ...(definition !== undefined && { definition }),
    ...(command !== undefined && { command: [command, ...args].map(quoted).join(" ") }),
    ...(definition?.cwd !== undefined && { folder: resolve(dirname(path), definition.cwd) }),
    ...(problem !== undefined && { problem }),
  };
}

/** Quotes a word of a command for a shell. */
function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : shellQuoted(word);
}

/** Makes an item for approval from a list of packages. It contains only what would be fetched. */
export function packageListItem({ path, sources, of }: packages.PackageList): FoundItem {
  return { path, files: [], definition: { packages: sources }, dialect: of };
}

function textsIn(folders: readonly string[], find: (folder: string) => readonly FoundItem[]): FoundItems {
  return { searched: folders, items: folders.flatMap(find) };
}

function markdownAt(folder: string, report: Searching["report"]): FoundItem[] {
  return markdownIn({ path: folder, tier: "project" }, report).map((path) => ({ path, files: [path] }));
}

/** Whether a file may be a skill: it is named `SKILL.md`, begins with front matter (`---`), or cannot be read. */
function isSkill(path: string): boolean {
  if (basename(path) === "SKILL.md") return true;
  try {
    return textAt(path).startsWith("---");
  } catch {
    return true;
  }
}

/** Returns a skill as an item for approval: its file, or the whole folder of a `SKILL.md`, which the model may read. */
function skillAt(path: string): FoundItem {
  if (basename(path) !== "SKILL.md") return { path, files: [path] };
  const { files, problem } = filesBelow(dirname(path));
  return { path, files: [path, ...files.filter((file) => file !== path)], ...(problem !== undefined && { problem }) };
}

/** Returns the working directory and the folders above it, up to the root of its repository; never the home folder. */
function above(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (kindAt(join(folder, ".git")) !== "nothing" || dirname(folder) === folder) break;
  }
  return folders;
}

/** `MOST_FILES` and `MOST_BYTES` limit a skill's folder, which a person approves as a whole (ruling 57). */
const MOST_FILES = 2000;
const MOST_BYTES = 16 * 2 ** 20;
/** Folders of version control and package managers; they contain no instructions. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** Lists all files below a folder in byte order, following links; with a problem if they cannot all be approved. */
function filesBelow(folder: string): { readonly files: readonly string[]; readonly problem?: string } {
  const files: string[] = [];
  const open = [folder];
  const seen = new Set<string>();
  let bytes = 0;
  try {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const real = realpathSync.native(at);
      if (seen.has(real)) continue;
      seen.add(real);
      for (const name of readdirSync(at)) {
        const path = join(at, name);
        const stat = statSync(path, { throwIfNoEntry: false });
        if (stat?.isDirectory() === true && !LEFT_OUT.has(name)) open.push(path);
        if (stat?.isFile() !== true) continue;
        files.push(path);
        bytes += stat.size;
        if (files.length > MOST_FILES || bytes > MOST_BYTES)
          return { files: [], problem: `its folder ${folder} contains more than ${MOST_FILES} files or 16 MiB` };
      }
    }
  } catch (thrown) {
    return { files: [], problem: `its folder ${folder} cannot be read: ${(thrown as Error).message}` };
  }
  return { files: files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) };
}
