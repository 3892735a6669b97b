import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./step.ts";

/** The only file of the runtime that imports the integrations, which are built into the published package. */
export const DIALECTS = "dialects.ts";

/** Each folder with the folders that it may import. */
type Layers = Readonly<Record<string, readonly string[]>>;

/** Floors, lowest first: a folder may import folders of lower floors, but none of its own floor. */
type Floors = readonly (readonly string[])[];

/** The imports that a package may have. */
interface Plan {
  /** Packages that the package may import, or single entries of one. */
  readonly uses: readonly string[];
  readonly layers: Layers;
}

/** Allowed imports in the runtime: each folder and the folders that it may use. Source: design/architecture.md 2. */
export const LAYERS: Layers = {
  fold: [],
  lens: ["fold", "catalog"],
  catalog: ["fold"],
  command: [],
  port: ["fold", "catalog"],
  hook: ["fold", "lens", "catalog", "port"],
  run: ["fold", "lens", "catalog", "port", "hook"],
  record: ["fold", "lens", "catalog", "port", "hook", "run"],
  "agent-tools": ["lens"],
  guard: ["catalog", "hook"],
  dialect: ["fold", "lens", "catalog", "port", "hook", "run", "command", "agent-tools"],
  transport: ["port"],
  consent: ["port", "command", "dialect"],
  config: ["fold", "lens", "catalog", "port", "hook", "run", "command", "dialect", "consent"],
  session: [
    ...[
      "fold",
      "lens",
      "catalog",
      "port",
      "hook",
      "run",
      "guard",
      "dialect",
      "config",
      "consent",
      "command",
      "agent-tools",
    ],
    ...["transport", "record"],
  ],
  replay: ["fold", "lens", "catalog", "port", "hook", "run", "record", "dialect", "session"],
  otel: ["fold", "lens", "catalog", "port", "hook", "run", "session"],
  ai: ["catalog", "run", "session"],
  testing: [
    ...["fold", "lens", "catalog", "port", "hook", "run", "guard", "dialect", "config", "consent", "session", DIALECTS],
  ],
};

/** Mechanisms that at least two integrations share. They know no agent. */
export const MECHANISMS = ["in-process", "settings-hooks"];

/** Agents that were forked from another one, and use that one's folder for what they left unchanged. */
const FORKS: Layers = { omp: ["pi"], pi: ["omp"] };

/** Folders that must run anywhere, so they import no Node modules. The size test bundles them. */
export const PURE: Layers = {
  ground: ["error", "decode"],
  runtime: ["fold", "lens", "catalog", "port", "hook", "run"],
};

/** The floors of each package. The runtime's folders are listed above, and those of the integrations are equals. */
export const FLOORS = {
  ground: [["error"], ["decode", "store", "time"], ["file"], ["process", "io"]],
  bridge: [["client"], ["host"], ["install", "moment", "daemon"], ["extension", "report"]],
  hookline: [
    ["provider", "session", "prompt"],
    ["hook", "skill", "subagent", "theme", "todo", "mcp"],
    ["compact", "cache", "mail", "item", "telemetry"],
    ["tool", "consent", "package"],
    ["context", "rule", "protect"],
    ["turn"],
    ["settings"],
    ["agent", "inspect", "record"],
    ["tui"],
    ["lent"],
    ["start"],
    ["mode", "bridge"],
    ["cli"],
  ],
  guards: [
    ["word", "settings.ts", "tools.ts", "quiet-git.ts"],
    ["session.ts"],
    ["cover.ts"],
    ["paths", "secrets", "undo"],
    ["commands", "verify"],
  ],
  inspector: [["text"], ["data"], ["state"], ["part"], ["view"]],
  fleet: [
    ["kit.ts"],
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
  ],
} as const satisfies Readonly<Record<string, Floors>>;

/** Returns each folder with the folders of all lower floors. */
function below(floors: Floors): Layers {
  return Object.fromEntries(
    floors.flatMap((floor, rank) => floor.map((folder) => [folder, floors.slice(0, rank).flat()])),
  );
}

/** The packages, lowest first, and what each may import. */
export const PACKAGES: Readonly<Record<string, Plan>> = {
  ground: { uses: [], layers: below(FLOORS.ground) },
  runtime: { uses: ["@hookline/ground"], layers: LAYERS },
  bridge: { uses: ["@hookline/ground", "@hookline/runtime"], layers: below(FLOORS.bridge) },
  integrations: { uses: ["@hookline/ground", "@hookline/runtime", "@hookline/bridge/kit"], layers: {} },
  hookline: {
    uses: ["ground", "runtime", "bridge", "integrations", "fleet", "guards"].map((name) => `@hookline/${name}`),
    layers: below(FLOORS.hookline),
  },
  // The page imports only types of its server's answers from another package.
  inspector: { uses: [], layers: below(FLOORS.inspector) },
  fleet: { uses: ["@hookline/ground", "@hookline/runtime"], layers: below(FLOORS.fleet) },
  guards: { uses: ["@hookline/runtime"], layers: below(FLOORS.guards) },
};

/**
 * Packages that the tests of a package use in addition to those that its sources may. The library is published with its
 * dialects.
 */
const TESTED_WITH: Layers = {
  runtime: ["integrations"],
  inspector: ["ground", "fleet", "hookline"],
  hookline: ["guards"],
};

/** A rule that a file breaks. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

interface Import {
  readonly specifier: string;
  /** Whether the import exists at run time and is not only for types. */
  readonly isValue: boolean;
  /** Whether the import is an `import()`, which runs later. */
  readonly isLazy: boolean;
}

/** Returns every import in a source text. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b([^"';]*?)from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g,
  )) {
    const [, names, from, lazy, bare] = match;
    const isValue = lazy === undefined && !/^\s*type\b/.test(names ?? "");
    found.push({ specifier: (from ?? lazy ?? bare) as string, isValue, isLazy: lazy !== undefined });
  }
  return found;
}

/**
 * The functions that reach an MCP server's tools, and the only files that may call them, because a call from elsewhere
 * would bypass the guards.
 */
const CALLERS: Layers = {
  callTool: ["mcp/client.ts"],
  callMcp: ["tool/mcp.ts", "mcp/hook-call.ts"],
};

/** Entries of the library that are not published, for the packages of this repository. */
const WITHIN = /^@hookline\/runtime\/(engine|session|past)$/;

/** The kit that the agent hands to the fleet; no other file of the agent may import it. */
const KIT = "@hookline/fleet/kit";
const FLEET_LOADER = "start/fleet-package.ts";

/** The file with the types of the inspector server's answers, which the page imports. */
const ANSWERS = "../../hookline/src/inspect/api.ts";

/** Checks one file of a package; `path` is relative to the package's `src`. */
export function violationsOf(name: string, path: string, text: string): Violation[] {
  const { uses, layers } = PACKAGES[name] as Plan;
  const [folder = ""] = path.split("/");
  const imports = importsOf(text);
  const problems = [
    ...imports.flatMap((one) => (isAllowed(name, path, one, uses) ? [] : [`must not import ${one.specifier}`])),
    ...(PURE[name]?.includes(folder) === true
      ? imports.flatMap(({ specifier }) =>
          specifier.startsWith("node:") ? [`${folder} must not import ${specifier}`] : [],
        )
      : []),
    ...(name === "hookline" ? callers(path, text) : []),
  ];
  return [
    ...upwards(path, text, name === "integrations" ? beside(path) : layers, name === "inspector"),
    ...problems.map((problem) => ({ file: path, problem })),
  ];
}

/** Checks a file of a package's tests, which must run without the packages above it; `path` is relative to the package. */
export function testViolationsOf(name: string, path: string, text: string): Violation[] {
  const allowed = [
    name,
    ...(PACKAGES[name] as Plan).uses.map((one) => one.split("/")[1]),
    ...(TESTED_WITH[name] ?? []),
  ];
  return importsOf(text).flatMap(({ specifier }) => {
    const [, of] = specifier.startsWith(".")
      ? (/^\.\.\/([^/]+)\/(?:src|test|package\.json)/.exec(join(path, "..", specifier)) ?? [])
      : (/^@hookline\/([^/]+)/.exec(specifier) ?? []);
    return of === undefined || allowed.includes(of) ? [] : [{ file: path, problem: `must not import ${specifier}` }];
  });
}

/** Whether an import stays in its package, or uses the public entry of an allowed package. */
function isAllowed(
  name: string,
  path: string,
  { specifier, isValue, isLazy }: Import,
  uses: readonly string[],
): boolean {
  if (name === "runtime" && path === DIALECTS && specifier === "@hookline/integrations") return true;
  // The agent loads the fleet's package at run time and passes its parts to it: nothing of the fleet is built in.
  if (name === "hookline" && specifier.startsWith("@hookline/fleet"))
    return specifier === KIT ? path === FLEET_LOADER : !isValue && !isLazy;
  if (name === "fleet" && specifier.startsWith("@hookline/"))
    return path === "kit.ts" && specifier !== "@hookline/runtime/engine" && isOf(specifier, uses);
  if (name === "guards" && WITHIN.test(specifier)) return false;
  if (specifier.startsWith(".")) {
    const target = join(path, "..", specifier);
    return !target.startsWith("..") || (name === "inspector" && !isValue && target === ANSWERS);
  }
  if (name === "inspector" && specifier.startsWith("node:")) return false;
  if (specifier !== "hookline" && !specifier.startsWith("@hookline/")) return true;
  return isOf(specifier, uses);
}

function isOf(specifier: string, packages: readonly string[]): boolean {
  return packages.some((one) => specifier === one || specifier.startsWith(`${one}/`));
}

/**
 * Returns what an agent's folder may import: the shared mechanisms, and no other agent except the one that it was
 * forked from.
 */
function beside(path: string): Layers {
  const [folder = ""] = path.split("/");
  if (!path.includes("/")) return {};
  return {
    [folder]: MECHANISMS.includes(folder) ? MECHANISMS : [...MECHANISMS, ...(FORKS[folder] ?? []), "deleting.ts"],
  };
}

function callers(path: string, text: string): string[] {
  return Object.entries(CALLERS)
    .filter(([name, allowed]) => text.includes(`.${name}(`) && !allowed.includes(path))
    .map(([name]) => `calls ${name}, which only the tool path may`);
}

/** Reports imports in a file that the table does not allow, and comments that would hide them. */
function upwards(path: string, text: string, allowed: Layers, mayUseTop = false): Violation[] {
  const [layer = ""] = path.split("/");
  const below = path.includes("/") ? allowed[layer] : undefined;
  if (below === undefined)
    return path.includes("/") ? [{ file: path, problem: `the folder "${layer}" is in no layer` }] : [];
  const violations: Violation[] = [];
  for (const { specifier } of importsOf(text)) {
    if (!specifier.startsWith(".")) continue;
    const target = join(path, "..", specifier).split("/")[0] as string;
    if (target !== layer && !below.includes(target) && !(mayUseTop && target === ".."))
      violations.push({ file: path, problem: `${layer} must not import ${target} (${specifier})` });
  }
  if (/(biome-ignore|oxlint-disable|eslint-disable|@ts-ignore|@ts-nocheck)/.test(text))
    violations.push({ file: path, problem: "has a comment that disables a check" });
  return violations;
}

/** Folders in which files may not import each other in a circle even by types or lazy imports. */
const STRAIGHT: Layers = { hookline: ["agent"] };

/**
 * Reports circles of imports that run when a module loads and, in the `straight` folders, circles of any imports. Each
 * is reported with the file that closes the circle.
 */
export function circlesOf(files: ReadonlyMap<string, string>, straight: readonly string[] = []): Violation[] {
  const violations: Violation[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      const circle = [...way.slice(way.indexOf(path)), path].join(" -> ");
      violations.push({ file: path, problem: `needs itself to be loaded: ${circle}` });
    } else if (!done.has(path)) {
      const isStraight = straight.includes(path.split("/")[0] as string);
      for (const { specifier, isValue } of importsOf(files.get(path) ?? ""))
        if ((isValue || isStraight) && specifier.startsWith(".")) visit(join(path, "..", specifier), [...way, path]);
      done.add(path);
    }
  };
  for (const path of files.keys()) visit(path, []);
  return violations;
}

/** Checks the sources and tests of the packages. */
export function allViolations(): Violation[] {
  return Object.keys(PACKAGES).flatMap((name) => {
    const own = join("packages", name);
    const files = filesIn(join(own, "src"));
    const tests = [...filesIn(join(own, "test"))];
    return [
      ...placed(join(own, "src"), [
        ...[...files].flatMap(([path, text]) => violationsOf(name, path, text)),
        ...circlesOf(files, STRAIGHT[name]),
      ]),
      ...placed(
        own,
        tests.flatMap(([path, text]) => testViolationsOf(name, join("test", path), text)),
      ),
    ];
  });
}

function placed(folder: string, violations: readonly Violation[]): Violation[] {
  return violations.map(({ file, problem }) => ({ file: join(folder, file), problem }));
}

/** Returns the texts of the TypeScript files below a folder of the repository, by their paths in it. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const full = join(root, folder);
  if (!existsSync(full)) return new Map();
  const paths = readdirSync(full, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(full, path), "utf8")]));
}

if (import.meta.main) {
  const violations = allViolations();
  for (const { file, problem } of violations) process.stderr.write(`${file}: ${problem}\n`);
  process.stdout.write(violations.length === 0 ? "Layers hold.\n" : `${violations.length} violations.\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
