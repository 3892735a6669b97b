import { relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Exports } from "../inprocess/provide.ts";

type Fields = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasCode(error: unknown, code?: string): boolean {
  if (!(error instanceof Error)) return false;
  const own = (error as { readonly code?: unknown }).code;
  return typeof own === "string" && (code === undefined || own === code);
}

/** Errors of the file system, by omp's name for the question. */
const FILE_ERRORS = {
  isEacces: "EACCES",
  isEexist: "EEXIST",
  isEisdir: "EISDIR",
  isEnoent: "ENOENT",
  isEnotdir: "ENOTDIR",
  isEnotempty: "ENOTEMPTY",
} as const;

/** What omp asks about values of any kind. */
export const guesses: Exports = {
  isRecord,
  asRecord: (value: unknown) => (isRecord(value) ? value : null),
  stringProperty: (value: Fields, key: string) => (typeof value[key] === "string" ? value[key] : undefined),
  toError: (value: unknown) => (value instanceof Error ? value : new Error(String(value))),
  isFsError: (error: unknown) => hasCode(error),
  hasFsCode: hasCode,
  ...Object.fromEntries(
    Object.entries(FILE_ERRORS).map(([name, code]) => [name, (error: unknown) => hasCode(error, code)]),
  ),
};

/** omp's JSON: what cannot be read is null, and keys can be put in order. */
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
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const YES = new Set(["1", "true", "yes", "on", "y"]);

function parseFlag(value: string | undefined, usual = false): boolean {
  return value === undefined || value === "" ? usual : YES.has(value.toLowerCase());
}

/** omp's questions to the environment. */
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

/** Texts as people and programs read them. */
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
