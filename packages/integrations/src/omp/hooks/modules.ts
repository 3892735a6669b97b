import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "@hookline/ground";
import { createEventBus } from "../../in-process/actions.ts";
import type { Owner } from "../../in-process/owner.ts";
import type { Exports, ModuleUse, Provided, ProvidedModule } from "../../in-process/provide.ts";
import { aiExports, createFrontmatter, defineTool, importTypebox, isToolCallEventType } from "../../in-process/pure.ts";
import { toolResultGuards } from "./calls.ts";
import { agentDir } from "./capability.ts";
import { colourLevel, createChalk } from "./chalk.ts";
import { lacking } from "./lacking/index.ts";
import { createLogger } from "./logger.ts";
import {
  awaiting,
  CONFIG_DIR_NAME,
  folders,
  formatCount,
  formatDuration,
  formatNumber,
  guesses,
  json,
  pluralize,
  texts,
  truncate,
  variables,
  whichOf,
} from "./package-exports.ts";

/** The name of omp's package, whose exports are also `pi.pi` of its API objects. */
export const ROOT = "@oh-my-pi/pi-coding-agent";
/** The release of omp that hooks and extensions read as the export `VERSION`. */
export const VERSION = "18.3.4";

/** The npm scopes from which modules import omp's packages; the last one is pi's. */
const SCOPES = ["@oh-my-pi", "@mariozechner", "@earendil-works"];
/** Packages of omp that pi has too. */
const SHARED = ["pi-ai", "pi-tui", "pi-agent-core", "pi-natives"] as const;
/** The subpaths of HookAPI's loader, runner and wrapper, in older and newer releases (ruling 18). */
const HOOK_PATHS = ["hooks", "extensibility/hooks"];
const EXTENSION_PATH = "extensibility/extensions";

type Pure = ProvidedModule["pure"];

/** Returns the packages that a module can import: omp's, bound to that module, and typebox. */
export function ompModules(owner: Owner): Provided {
  const under = (name: string, pure: Pure, canonical = `${SCOPES.at(-1)}/${name}`): [string, ProvidedModule][] =>
    SCOPES.map((scope) => [`${scope}/${name}`, { canonical, pure }]);
  const root: Pure = (use) => codingAgent(use, owner);
  const library: Pure = async (use) => ({
    ...guards,
    ...(await import("./library/exports.ts")).hookLibrary(owner),
    ...(await frontmatter(use)),
  });
  return new Map<string, ProvidedModule>([
    ...under("pi-coding-agent", root, ROOT),
    ...HOOK_PATHS.flatMap((path) => under(`pi-coding-agent/${path}`, library, `${ROOT}/${path}`)),
    ...under(`pi-coding-agent/${EXTENSION_PATH}`, extensions, `${ROOT}/${EXTENSION_PATH}`),
    ...SHARED.flatMap((name) => under(name, shared(name))),
    ...under("pi-ai/compat", aiExports),
    ...under("pi-ai/oauth", nothing),
    ...under("pi-utils", (use) => utils(use, owner), "@oh-my-pi/pi-utils"),
    ...under("pi-utils/chalk", () => chalk(owner), "@oh-my-pi/pi-utils/chalk"),
    ...["typebox", "typebox/value", "typebox/compile"].flatMap(ofTypebox),
  ]);
}

/** Returns what hookline has of a package of omp and pi: stubs for exports that pi lacks, and functions of `pi-ai`. */
function shared(name: (typeof SHARED)[number]): Pure {
  return async (use) => ({ ...(await lacking(name)), ...(name === "pi-ai" && (await aiExports(use))) });
}

async function extensions(): Promise<Exports> {
  return { ...(await lacking(`pi-coding-agent/${EXTENSION_PATH}`)), ...guards, createEventBus };
}

const guards: Exports = { ...toolResultGuards, isToolCallEventType, defineTool };

/** Returns the exports of the package that hooks import, except those of the host, such as sessions and components. */
async function codingAgent(use: ModuleUse, owner: Owner): Promise<Exports> {
  const { around, hosted } = use;
  const ofPi = hosted ? undefined : await around.services.modules?.(`${SCOPES.at(-1)}/pi-coding-agent`);
  return {
    ...(await lacking("pi-coding-agent")),
    ...ofPi,
    VERSION,
    CONFIG_DIR_NAME,
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_LINES,
    ...guards,
    createEventBus,
    formatSize,
    truncateHead,
    truncateLine,
    truncateTail,
    getAgentDir: () => agentDir(around.scan.home),
    logger: createLogger(owner),
    ...(await frontmatter(use)),
  };
}

/**
 * Returns the functions for front matter, if the module mentions them. They need the YAML parser, which takes time to
 * load.
 */
async function frontmatter({ mentions }: ModuleUse): Promise<Exports> {
  return mentions("parseFrontmatter") || mentions("stripFrontmatter") ? { ...(await createFrontmatter()) } : {};
}

async function utils(use: ModuleUse, owner: Owner): Promise<Exports> {
  return {
    ...(await lacking("pi-utils")),
    APP_NAME: "omp",
    VERSION,
    $env: process.env,
    $which: whichOf(process.env),
    ...folders(owner),
    ...variables(process.env),
    ...guesses,
    ...json,
    ...texts,
    ...awaiting,
    logger: createLogger(owner),
    formatBytes: formatSize,
    formatCount,
    formatDuration,
    formatNumber,
    pluralize,
    truncate,
    ...(await frontmatter(use)),
  };
}

function chalk({ around }: Owner): Exports {
  const made = createChalk(colourLevel(around.scan.env, process.stdout?.isTTY === true));
  return { default: made, chalk: made };
}

/** Provides typebox under its old and its new name. It is loaded only when a module imports it. */
function ofTypebox(name: string): [string, ProvidedModule][] {
  const pure: Pure = ({ hosted }) => (hosted ? {} : importTypebox(name));
  return [name, `@sinclair/${name}`].map((specifier) => [specifier, { canonical: name, pure }]);
}

function nothing(): Exports {
  return {};
}
