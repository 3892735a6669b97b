import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Fields, isFields, once } from "@hookline/ground";
import type { Owner } from "../../in-process/owner.ts";
import type { Exports } from "../../in-process/provide.ts";
import { agentDir } from "./capability.ts";

/** omp's error for a wait that was aborted. */
class AbortError extends Error {
  override readonly name = "AbortError";

  constructor(signal: AbortSignal) {
    super(signal.reason instanceof Error ? `Aborted: ${signal.reason.message}` : "Aborted: Cancelled");
  }
}

/** Waits for a promise until the signal aborts. Its later result is then ignored. */
async function untilAborted<T>(
  signal: AbortSignal | null | undefined,
  work: Promise<T> | (() => Promise<T>),
): Promise<T> {
  if (signal?.aborted) throw new AbortError(signal);
  const running = Promise.resolve(typeof work === "function" ? work() : work);
  if (signal == null) return running;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new AbortError(signal));
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([running, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** Waits for a promise for a limited time, then rejects with the given text or error. */
async function withTimeout<T>(work: Promise<T>, ms: number, late: string | Error, signal?: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late instanceof Error ? late : new Error(late)), ms);
  return untilAborted(signal, Promise.race([work, promise])).finally(() => clearTimeout(timer));
}

/** omp's functions for waiting. */
export const awaiting: Exports = { AbortError, once, untilAborted, withTimeout };

/** The name of omp's folder in a project. */
export const CONFIG_DIR_NAME = ".omp";

/** Names in omp's agent folder, such as `sessions`, by the omp function that returns the path. */
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
/** Names in the user's `~/.omp`, such as `logs`, by the omp function that returns the path. */
const OF_HOME = {
  getLogsDir: "logs",
  getPluginsDir: "plugins",
  getReportsDir: "reports",
  getWorktreesDir: "wt",
} as const;
/** Names in a project's `.omp`, such as `mcp.json`, by the omp function that returns the path. */
const OF_PROJECT = {
  getMCPConfigPath: "mcp.json",
  getProjectModulesDir: "modules",
  getProjectPromptsDir: "prompts",
  getSSHConfigPath: "ssh.json",
} as const;

/** omp's functions for paths. They create none of the folders. */
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

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** Formats a time span in at most two units: `250ms`, `1.5s`, `2m5s`, `3h`, `2d4h`. */
export function formatDuration(ms: number): string {
  if (!(ms > 0) || ms === Number.POSITIVE_INFINITY) return "0ms";
  if (ms < 1000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const at = UNITS.findIndex(([size]) => ms >= size);
  const [large, largeName] = UNITS[at] as readonly [number, string];
  const [small, smallName] = UNITS[at + 1] as readonly [number, string];
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

/** Formats a count: `999`, `1.5K`, `25K`, `2M`. */
export function formatNumber(count: number): string {
  const scale = [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ] as const;
  const [size, name] = scale.find(([limit]) => count >= limit) ?? [1, ""];
  const value = count / size;
  const digits = name !== "" && value < 10 ? 1 : 0;
  return `${name === "" ? value : Number(value.toFixed(digits))}${name}`;
}

/** Formats a count with its noun, in the plural unless the count is one: `1 file`, `2 matches`, `3 entries`. */
export function formatCount(noun: string, count: number): string {
  return `${count} ${pluralize(noun, count)}`;
}

/** Returns an English noun in the singular or plural, according to a count. */
export function pluralize(noun: string, count: number): string {
  if (count === 1) return noun;
  if (/(s|x|z|ch|sh)$/i.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/i.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Cuts a text to a length, with a mark at the end if it was cut. */
export function truncate(text: string, length: number, mark = "…"): string {
  return text.length <= length ? text : text.slice(0, Math.max(0, length - mark.length)) + mark;
}

/** Makes a function that finds a program as a shell does: it returns the first executable on the `PATH`, or null. */
export function whichOf(env: Readonly<Record<string, string | undefined>>) {
  return (command: string, { PATH = env["PATH"] ?? "" }: { readonly PATH?: string } = {}): string | null => {
    const folders = isAbsolute(command) ? [""] : PATH.split(delimiter).filter((folder) => folder !== "");
    return folders.map((folder) => (folder === "" ? command : join(folder, command))).find(isProgram) ?? null;
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

function hasCode(error: unknown, code?: string): boolean {
  if (!(error instanceof Error)) return false;
  const own = (error as { readonly code?: unknown }).code;
  return typeof own === "string" && (code === undefined || own === code);
}

/** File system error codes, by the name of omp's function that tests for each. */
const FILE_ERRORS = {
  isEacces: "EACCES",
  isEexist: "EEXIST",
  isEisdir: "EISDIR",
  isEnoent: "ENOENT",
  isEnotdir: "ENOTDIR",
  isEnotempty: "ENOTEMPTY",
} as const;

/** omp's functions that check and convert values of unknown type. */
export const guesses: Exports = {
  isRecord: isFields,
  asRecord: (value: unknown) => (isFields(value) ? value : null),
  stringProperty: (value: Fields, key: string) => (typeof value[key] === "string" ? value[key] : undefined),
  toError: (value: unknown) => (value instanceof Error ? value : new Error(String(value))),
  isFsError: (error: unknown) => hasCode(error),
  hasFsCode: hasCode,
  ...Object.fromEntries(
    Object.entries(FILE_ERRORS).map(([name, code]) => [name, (error: unknown) => hasCode(error, code)]),
  ),
};

/** omp's functions for JSON. */
export const json: Exports = {
  tryParseJson: (text: string) => readOr(text, null),
  stringifyJson: (value: unknown, space?: string | number) => JSON.stringify(value, undefined, space),
  stableStringifyJson: (value: unknown) => JSON.stringify(value, (_key, part: unknown) => inOrder(part)),
  parseJsonlLenient: (text: string) => text.split("\n").flatMap((line) => readOr(line, undefined) ?? []),
  structuredCloneJSON: (value: unknown) => structuredClone(value),
};

function readOr<T>(text: string, otherwise: T): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise;
  }
}

function inOrder(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const YES = new Set(["1", "true", "yes", "on", "y"]);

function parseFlag(value: string | undefined, usual = false): boolean {
  return value === undefined || value === "" ? usual : YES.has(value.toLowerCase());
}

/** omp's functions that read environment variables. */
export function variables(env: Env): Exports {
  return {
    parseFlag,
    $flag: (name: string, usual?: boolean) => parseFlag(env[name], usual),
    $pickenv: (...names: string[]) =>
      names.map((name) => env[name]).find((value) => value !== undefined && value !== ""),
    $envExact: (name: string, from: Env = env) => from[name],
    $envpos: (name: string, usual: number) => {
      const value = Number(env[name]);
      return value > 0 ? value : usual;
    },
    isValidEnvName: (name: string) => /^[A-Za-z_]\w*$/.test(name),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** omp's functions that format, escape and clean texts. */
export const texts: Exports = {
  escapeXmlText: (text: string) => text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign),
  escapeXmlAttribute: (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign),
  formatPercent: (ratio: number) => `${(ratio * 100).toFixed(1)}%`,
  formatAge,
  sanitizeText: (text: string) => stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f]|\p{Cs}/gu, ""),
  isUrlLikePath: (path: string) => /^[a-z][a-z\d+.-]*:\/\//i.test(path),
  pathIsWithin: (root: string, path: string) => {
    const way = relative(resolve(root), resolve(path));
    return way !== ".." && !way.startsWith(`..${sep}`);
  },
};

const AGES: readonly (readonly [seconds: number, name: string])[] = [
  [30 * 86_400, "mo"],
  [7 * 86_400, "w"],
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
];

function formatAge(seconds?: number | null): string {
  if (!seconds) return "";
  const unit = AGES.find(([size]) => seconds >= size);
  return unit === undefined ? "just now" : `${Math.floor(seconds / unit[0])}${unit[1]} ago`;
}
