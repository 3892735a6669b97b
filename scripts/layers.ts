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

/** A rule that a file breaks. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

/** Every import in a source text, with a type-only one marked. */
function importsOf(text: string): { specifier: string }[] {
  const found: { specifier: string }[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g,
  )) {
    found.push({ specifier: (match[1] ?? match[2] ?? match[3]) as string });
  }
  return found;
}

/** Checks one file of the runtime; `path` is relative to `src`. */
export function violationsOf(path: string, text: string): Violation[] {
  const [layer = ""] = path.split("/");
  const allowed = LAYERS[layer];
  if (allowed === undefined)
    return path.includes("/") ? [{ file: path, problem: `the folder "${layer}" is in no layer` }] : [];
  const violations: Violation[] = [];
  for (const { specifier } of importsOf(text)) {
    if (specifier.startsWith(".")) {
      const target = join(path, "..", specifier).split("/")[0] as string;
      if (target !== layer && !allowed.includes(target))
        violations.push({ file: path, problem: `${layer} must not import ${target} (${specifier})` });
    } else if (PURE.includes(layer) && specifier.startsWith("node:"))
      violations.push({ file: path, problem: `${layer} must not import ${specifier}` });
  }
  if (/(biome-ignore|oxlint-disable|eslint-disable|@ts-ignore|@ts-nocheck)/.test(text))
    violations.push({ file: path, problem: "has a comment that disables a check" });
  return violations;
}

/** Checks the whole runtime, and that the agent uses it by its public names only. */
export function allViolations(): Violation[] {
  const violations: Violation[] = [];
  const runtime = join(root, "packages/runtime/src");
  for (const path of sources(runtime))
    violations.push(...violationsOf(relative(runtime, path), readFileSync(path, "utf8")));
  const agent = join(root, "packages/hookline/src");
  for (const path of sources(agent)) {
    for (const { specifier } of importsOf(readFileSync(path, "utf8"))) {
      if (/runtime\/(src|dist)/.test(specifier))
        violations.push({ file: relative(root, path), problem: `reaches into the runtime: ${specifier}` });
    }
  }
  return violations;
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
