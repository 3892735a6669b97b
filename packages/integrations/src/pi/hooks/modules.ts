import { join } from "node:path";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "@hookline/ground";
import type { Scan } from "@hookline/runtime/dialect";
import { type HomeFolder, homeFolders } from "@hookline/runtime/engine";
import { createEventBus } from "../../in-process/actions.ts";
import type { Exports, ModuleUse, Provided, ProvidedModule } from "../../in-process/provide.ts";
import {
  aiExports,
  createFrontmatter,
  defineTool,
  importTypebox,
  isToolCallEventType,
  Key,
} from "../../in-process/pure.ts";
import { toolResultGuards } from "./calls.ts";

/** The name of pi's folder in a project. */
export const CONFIG_DIR_NAME = ".pi";
/** The release of pi that extensions read as the export `VERSION`. */
export const VERSION = "0.87.1";

/** Returns the user's pi folder: `$PI_CODING_AGENT_DIR` if that is absolute, otherwise `~/.pi/agent`. */
export function agentDir(scan: Pick<Scan, "cwd" | "env" | "files" | "home">): string {
  return agentDirs(scan)[0]?.path ?? join(scan.home, CONFIG_DIR_NAME, "agent");
}

/** Returns the user's pi folder and, if `$PI_CODING_AGENT_DIR` is relative, the project's folder that it names. */
export function agentDirs(scan: Pick<Scan, "cwd" | "env" | "files" | "home">): HomeFolder[] {
  return homeFolders(scan, "PI_CODING_AGENT_DIR", join(scan.home, CONFIG_DIR_NAME, "agent"));
}

/** The npm scopes of pi's packages, now and formerly. The host is first asked for a package in the first one. */
const SCOPES = ["@earendil-works", "@mariozechner"];

/** Functions for cutting texts, which both `pi-coding-agent` and `pi-agent-core` export. */
const truncation: Exports = {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
};

/** The packages that pi's extensions can import, with their exports that need no host. */
export const piModules: Provided = new Map<string, ProvidedModule>([
  ...ofPi("pi-coding-agent", codingAgent),
  ...["pi-ai", "pi-ai/compat"].flatMap((name) => ofPi(name, aiExports)),
  ...["pi-ai/oauth", "pi-ai/models", "pi-ai/providers/all"].flatMap((name) => ofPi(name, nothing)),
  ...ofPi("pi-tui", () => ({ Key })),
  ...ofPi("pi-agent-core", () => truncation),
  ...["typebox", "typebox/value", "typebox/compile"].flatMap(ofTypebox),
]);

function ofPi(name: string, pure: ProvidedModule["pure"]): [string, ProvidedModule][] {
  const canonical = `${SCOPES[0]}/${name}`;
  return SCOPES.map((scope) => [`${scope}/${name}`, { canonical, pure }]);
}

/** Provides typebox under its old and its new name, as pi does. It is loaded only when a module imports it. */
function ofTypebox(name: string): [string, ProvidedModule][] {
  const pure = ({ hosted }: ModuleUse): Exports | Promise<Exports> => (hosted ? {} : importTypebox(name));
  return [name, `@sinclair/${name}`].map((specifier) => [specifier, { canonical: name, pure }]);
}

async function codingAgent({ around, mentions }: ModuleUse): Promise<Exports> {
  const yaml = mentions("parseFrontmatter") || mentions("stripFrontmatter");
  return {
    CONFIG_DIR_NAME,
    VERSION,
    ...truncation,
    isToolCallEventType,
    ...toolResultGuards,
    defineTool,
    createEventBus,
    getAgentDir: () => agentDir(around.scan),
    ...(yaml && (await createFrontmatter())),
  };
}

function nothing(): Exports {
  return {};
}
