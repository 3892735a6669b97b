import { join } from "node:path";
import {
  kindAt,
  namesIn,
  QUIETLY,
  type Searching,
  systemFiles,
  tellFile,
  tooManyFolders,
} from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import { homeFolders, hooklineFolders, type Scan } from "@hookline/runtime/engine";

/** The program whose tool names and fields a definition uses. */
export type AgentFormat = "claude" | "omp";

/** A folder with definitions of sub-agents. */
export interface AgentFolder {
  readonly path: string;
  readonly tier: "user" | "project";
  readonly format: AgentFormat;
}

/** The largest number of folders that one search visits: a link may lead to a whole disk. */
const MOST_FOLDERS = 1000;

/**
 * Returns the folders to search: the person's first, so that a project cannot replace one of their agents (decision
 * 56). A folder that an environment variable names with a relative path belongs to the project (ruling 58).
 */
export function agentFolders(scan: Pick<Scan, "cwd" | "home" | "env" | "hooklineHome">): AgentFolder[] {
  const { cwd, home } = scan;
  const searched = { ...scan, files: systemFiles };
  const homes = [...hooklineFolders(searched), ...homeFolders(searched, "CLAUDE_CONFIG_DIR", join(home, ".claude"))];
  const folders: AgentFolder[] = [
    ...homes.map(({ path, tier }) => ({ path: join(path, "agents"), tier, format: "claude" as const })),
    { path: join(home, ".omp/agent/agents"), tier: "user", format: "omp" },
    { path: join(cwd, ".hookline/agents"), tier: "project", format: "claude" },
    { path: join(cwd, ".claude/agents"), tier: "project", format: "claude" },
    { path: join(cwd, ".omp/agents"), tier: "project", format: "omp" },
  ];
  const seen = new Set<string>();
  return [...folders.filter(({ tier }) => tier === "user"), ...folders.filter(({ tier }) => tier === "project")].filter(
    // If the home folder is also the project, its folders count as the person's.
    ({ path }) => !seen.has(path) && seen.add(path),
  );
}

/** Returns the Markdown files of a folder. Claude Code also reads its subfolders, oh-my-pi does not. */
export function agentFiles({ path: top, format, tier }: AgentFolder, report: Searching["report"]): string[] {
  const problems: Diagnostic[] = [];
  const searching: Searching = { tier, report: (problem) => void problems.push(problem) };
  const found: string[] = [];
  const open = [top];
  const been = new Set<string>();
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    const kind = kindAt(folder, searching);
    if (kind === "file") tellFile(folder, searching);
    if (kind !== "folder") continue;
    const real = systemFiles.real(folder) ?? folder;
    if (been.has(real)) continue;
    if (been.size >= MOST_FOLDERS) {
      // Nothing else is reported: a link may have led to folders elsewhere on the disk, with problems of their own.
      report(tooManyFolders(top, MOST_FOLDERS, tier));
      return [];
    }
    been.add(real);
    for (const name of namesIn(folder, searching)) {
      if (name.startsWith(".") || name === "node_modules") continue;
      const path = join(folder, name);
      const inner = kindAt(path, name.endsWith(".md") ? searching : QUIETLY);
      if (inner === "folder" && format === "claude") open.push(path);
      if (inner === "file" && name.endsWith(".md")) found.push(path);
    }
  }
  for (const problem of problems) report(problem);
  return found;
}
