import { join } from "node:path";
import type { Owner } from "../inprocess/owner.ts";
import type { Exports } from "../inprocess/provide.ts";
import { agentDir } from "./capability.ts";

/** The folder of a project in which omp looks. */
export const CONFIG_DIR_NAME = ".omp";

/** Folders of a person's own, by omp's name for the function that gives each. */
const OF_AGENT = {
  getAgentDbPath: "agent.db",
  getBlobsDir: "blobs",
  getCommandsDir: "commands",
  getCustomThemesDir: "themes",
  getHistoryDbPath: "history.db",
  getAgentModulesDir: "modules",
  getMemoriesDir: "memories",
  getModelDbPath: "models.db",
  getPromptsDir: "prompts",
  getSessionsDir: "sessions",
  getToolsDir: "tools",
} as const;
/** The same beside the agent's folder. */
const OF_HOME = {
  getLogsDir: "logs",
  getPluginsDir: "plugins",
  getReportsDir: "reports",
  getWorktreesDir: "wt",
} as const;
/** The same of the project. */
const OF_PROJECT = {
  getMCPConfigPath: "mcp.json",
  getProjectModulesDir: "modules",
  getProjectPromptsDir: "prompts",
  getSSHConfigPath: "ssh.json",
} as const;

/** Where omp keeps what. Nothing of it is made; the paths are those that omp gives. */
export function folders({ around }: Owner): Exports {
  const { home } = around.scan;
  const project = (): string => around.scene.cwd;
  const each = (names: Readonly<Record<string, string>>, top: () => string): Exports =>
    Object.fromEntries(Object.entries(names).map(([name, part]) => [name, () => join(top(), part)]));
  return {
    CONFIG_DIR_NAME,
    getConfigDirName: () => CONFIG_DIR_NAME,
    getConfigAgentDirName: () => `${CONFIG_DIR_NAME}/agent`,
    getConfigRootDir: () => join(home, CONFIG_DIR_NAME),
    getAgentDir: () => agentDir(home),
    getProjectDir: project,
    getProjectAgentDir: (cwd = project()) => join(cwd, CONFIG_DIR_NAME),
    ...each(OF_AGENT, () => agentDir(home)),
    ...each(OF_HOME, () => join(home, CONFIG_DIR_NAME)),
    ...each(OF_PROJECT, () => join(project(), CONFIG_DIR_NAME)),
  };
}
