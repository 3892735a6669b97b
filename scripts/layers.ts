import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./step.ts";

/** Who may import whom in the runtime: a folder and the folders it may use. Source: design/architecture.md 2. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  error: [],
  decode: ["error"],
  fold: ["error", "decode"],
  lens: ["error", "decode", "fold", "catalog"],
  catalog: ["error", "decode", "fold"],
  shell: ["error", "decode"],
  port: ["error", "decode", "fold", "catalog"],
  hook: ["error", "decode", "fold", "lens", "catalog", "port"],
  run: ["error", "decode", "fold", "lens", "catalog", "port", "hook"],
  dialect: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "shell"],
  transport: ["error", "decode", "port"],
  config: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "shell", "dialect"],
  host: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "dialect", "config", "transport"],
  testing: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "dialect", "config", "host"],
};

/** Folders that must run anywhere: they import no Node module. The size test bundles them. */
export const PURE = ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run"];

/** The floors of the agent, lowest first: a folder may use those of lower floors, and none of its own floor. */
export const FLOORS: readonly (readonly string[])[] = [
  ["file", "io"],
  ["provider", "session", "prompt"],
  ["hook", "skill", "theme", "todo"],
  ["compact", "cache", "mail", "item"],
  ["tool", "consent", "package"],
  ["context", "rule", "protect"],
  ["turn"],
  ["compat", "settings"],
  ["agent"],
  ["start", "tui"],
  ["mode"],
  ["cli"],
];

/** The same for the agent: each folder with those of the floors below it. */
const BELOW: typeof LAYERS = Object.fromEntries(
  FLOORS.flatMap((floor, rank) => floor.map((folder) => [folder, FLOORS.slice(0, rank).flat()])),
);

/** A rule that a file breaks. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

interface Import {
  readonly specifier: string;
  /** Whether it is there at run time, when the file is loaded. */
  readonly isValue: boolean;
}

/** Every import in a source text. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b([^"';]*?)from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g,
  )) {
    const [, names, from, lazy, bare] = match;
    const isValue = lazy === undefined && !/^\s*type\b/.test(names ?? "");
    found.push({ specifier: (from ?? lazy ?? bare) as string, isValue });
  }
  return found;
}

/** Checks one file of the runtime; `path` is relative to `src`. */
export function violationsOf(path: string, text: string): Violation[] {
  const violations = upwards(path, text, LAYERS);
  const [layer = ""] = path.split("/");
  if (!PURE.includes(layer)) return violations;
  const foreign = importsOf(text).filter(({ specifier }) => specifier.startsWith("node:"));
  return [
    ...violations,
    ...foreign.map(({ specifier }) => ({ file: path, problem: `${layer} must not import ${specifier}` })),
  ];
}

/** Checks one file of the agent, which uses the runtime by what it exports; `path` is relative to `src`. */
export function agentViolationsOf(path: string, text: string): Violation[] {
  const inside = importsOf(text).filter(({ specifier }) => /runtime\/(src|dist)/.test(specifier));
  return [
    ...upwards(path, text, BELOW),
    ...inside.map(({ specifier }) => ({ file: path, problem: `reaches into the runtime: ${specifier}` })),
  ];
}

/** What in a file goes against the table of who may import whom, and comments that would hide it. */
function upwards(path: string, text: string, allowed: typeof LAYERS): Violation[] {
  const [layer = ""] = path.split("/");
  const below = allowed[layer];
  if (below === undefined)
    return path.includes("/") ? [{ file: path, problem: `the folder "${layer}" is in no layer` }] : [];
  const violations: Violation[] = [];
  for (const { specifier } of importsOf(text)) {
    if (!specifier.startsWith(".")) continue;
    const target = join(path, "..", specifier).split("/")[0] as string;
    if (target !== layer && !below.includes(target))
      violations.push({ file: path, problem: `${layer} must not import ${target} (${specifier})` });
  }
  if (/(biome-ignore|oxlint-disable|eslint-disable|@ts-ignore|@ts-nocheck)/.test(text))
    violations.push({ file: path, problem: "has a comment that disables a check" });
  return violations;
}

/** Files that need each other to be loaded, each named with the one that leads back to it. */
export function circlesOf(files: ReadonlyMap<string, string>): Violation[] {
  const violations: Violation[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      const circle = [...way.slice(way.indexOf(path)), path].join(" -> ");
      violations.push({ file: path, problem: `needs itself to be loaded: ${circle}` });
    } else if (!done.has(path)) {
      for (const { specifier, isValue } of importsOf(files.get(path) ?? ""))
        if (isValue && specifier.startsWith(".")) visit(join(path, "..", specifier), [...way, path]);
      done.add(path);
    }
  };
  for (const path of files.keys()) visit(path, []);
  return violations;
}

/** Checks the sources of both packages. */
export function allViolations(): Violation[] {
  return [
    ...violationsIn("packages/runtime/src", violationsOf),
    ...violationsIn("packages/hookline/src", agentViolationsOf),
  ];
}

function violationsIn(place: string, check: typeof violationsOf): Violation[] {
  const folder = join(root, place);
  const files = new Map(sources(folder).map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
  const violations = [...[...files].flatMap(([path, text]) => check(path, text)), ...circlesOf(files)];
  return violations.map(({ file, problem }) => ({ file: join(place, file), problem }));
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path));
}

if (import.meta.main) {
  const violations = allViolations();
  for (const { file, problem } of violations) process.stderr.write(`${file}: ${problem}\n`);
  process.stdout.write(violations.length === 0 ? "Layers hold.\n" : `${violations.length} violations.\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
