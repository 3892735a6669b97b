import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./step.ts";

/** Allowed imports in the runtime: each folder and the folders that it may use. Source: design/architecture.md 2. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  error: [],
  decode: ["error"],
  fold: ["error", "decode"],
  lens: ["error", "decode", "fold", "catalog"],
  catalog: ["error", "decode", "fold"],
  command: ["error", "decode"],
  port: ["error", "decode", "fold", "catalog"],
  hook: ["error", "decode", "fold", "lens", "catalog", "port"],
  run: ["error", "decode", "fold", "lens", "catalog", "port", "hook"],
  record: ["error", "fold", "lens", "catalog", "port", "hook", "run"],
  "agent-tools": ["decode", "lens"],
  dialect: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "command", "agent-tools"],
  transport: ["error", "decode", "port"],
  config: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "command", "dialect"],
  host: [
    "error",
    "decode",
    "fold",
    "lens",
    "catalog",
    "port",
    "hook",
    "run",
    "dialect",
    "config",
    "transport",
    "record",
  ],
  replay: [
    "error",
    "decode",
    "fold",
    "lens",
    "catalog",
    "port",
    "hook",
    "run",
    "record",
    "agent-tools",
    "dialect",
    "host",
  ],
  otel: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "host"],
  testing: ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run", "dialect", "config", "host"],
};

/** Folders that must run anywhere, so they import no Node modules. The size test bundles them. */
export const PURE = ["error", "decode", "fold", "lens", "catalog", "port", "hook", "run"];

/** The floors of the agent, lowest first: a folder may use folders of lower floors, but none of its own floor. */
export const FLOORS: readonly (readonly string[])[] = [
  ["file", "io"],
  ["provider", "session", "prompt"],
  ["hook", "skill", "subagent", "theme", "todo", "mcp"],
  ["compact", "cache", "mail", "item", "telemetry"],
  ["tool", "consent", "package"],
  ["context", "rule", "protect"],
  ["turn"],
  ["compat", "settings"],
  ["agent", "inspect", "record"],
  ["start", "tui"],
  ["mode", "bridge"],
  ["cli"],
];

/** The floors of the inspector's page, in the same way. */
export const PAGE_FLOORS: typeof FLOORS = [["text"], ["data"], ["state"], ["part"], ["view"]];

/** The floors of the fleet's package, in the same way. */
export const FLEET_FLOORS: typeof FLOORS = [
  ["name"],
  ["sign"],
  ["identity", "place", "policy"],
  ["wire"],
  ["link"],
  ["store"],
  ["server", "spool", "work"],
  ["presence"],
  ["lane"],
  ["approval"],
  ["audit"],
  ["command"],
];

/** Each folder with the folders of all floors below it. */
function below(floors: typeof FLOORS): typeof LAYERS {
  return Object.fromEntries(
    floors.flatMap((floor, rank) => floor.map((folder) => [folder, floors.slice(0, rank).flat()])),
  );
}

const BELOW = below(FLOORS);
/** The page may also use one file above its own folders. */
const PAGE_BELOW: typeof LAYERS = Object.fromEntries(
  Object.entries(below(PAGE_FLOORS)).map(([folder, others]) => [folder, [...others, ".."]]),
);

const FLEET_BELOW = below(FLEET_FLOORS);

/** A rule that a file breaks. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

interface Import {
  readonly specifier: string;
  /** Whether it is needed at run time, when the file is loaded. */
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

/**
 * The functions that reach an MCP server's tools, and the only files that may call them, because a call from elsewhere
 * would bypass the guards.
 */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  callTool: ["mcp/client.ts"],
  callMcp: ["tool/mcp.ts", "mcp/hook-call.ts"],
};

/** Checks one file of the agent, which may use only the runtime's exports; `path` is relative to `src`. */
export function agentViolationsOf(path: string, text: string): Violation[] {
  const inside = importsOf(text).filter(({ specifier }) => /runtime\/(src|dist)/.test(specifier));
  return [
    ...upwards(path, text, BELOW),
    ...inside.map(({ specifier }) => ({ file: path, problem: `reaches into the runtime: ${specifier}` })),
    ...Object.entries(CALLERS)
      .filter(([name, allowed]) => text.includes(`.${name}(`) && !allowed.includes(path))
      .map(([name]) => ({ file: path, problem: `calls ${name}, which only the tool path may` })),
  ];
}

/**
 * Checks one file of the page, which may use only the types of the agent's server answers; `path` is relative to `src`.
 */
export function pageViolationsOf(path: string, text: string): Violation[] {
  const outside = importsOf(text).filter(
    ({ specifier }) =>
      /^(node:|@hookline\/)/.test(specifier) ||
      (specifier.startsWith(".") && join(path, "..", specifier).startsWith("..")),
  );
  return [
    ...upwards(path, text, PAGE_BELOW),
    ...outside
      .filter(({ specifier, isValue }) => isValue || !specifier.endsWith("/hookline/src/inspect/api.ts"))
      .map(({ specifier }) => ({ file: path, problem: `must not import ${specifier}` })),
  ];
}

/** Checks one file of the fleet's package, which the agent loads, and which knows nothing of it. */
export function fleetViolationsOf(path: string, text: string): Violation[] {
  const outside = importsOf(text).filter(
    ({ specifier }) =>
      /^hookline$|(runtime|hookline)\/(src|dist)/.test(specifier) ||
      (specifier.startsWith(".") && join(path, "..", specifier).startsWith("..")),
  );
  return [
    ...upwards(path, text, FLEET_BELOW),
    ...outside.map(({ specifier }) => ({ file: path, problem: `must not import ${specifier}` })),
  ];
}

/** Imports in a file that the table does not allow, and comments that would hide them. */
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

/** Files that need each other at load time; each is reported with the file that leads back to it. */
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

/** Checks the sources of the packages. */
export function allViolations(): Violation[] {
  return [
    ...violationsIn("packages/runtime/src", violationsOf),
    ...violationsIn("packages/hookline/src", agentViolationsOf),
    ...violationsIn("packages/inspector/src", pageViolationsOf),
    ...violationsIn("packages/fleet/src", fleetViolationsOf),
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
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));
}

if (import.meta.main) {
  const violations = allViolations();
  for (const { file, problem } of violations) process.stderr.write(`${file}: ${problem}\n`);
  process.stdout.write(violations.length === 0 ? "Layers hold.\n" : `${violations.length} violations.\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
