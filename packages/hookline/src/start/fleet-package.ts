import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as fleet from "@hookline/fleet";
import { HooklineError, isFields, messageOf, readJson, VERSION } from "@hookline/ground";

/** The exports of `@hookline/fleet`. */
export type FleetPackage = typeof fleet;

/** Whether hookline runs from its sources, in a checkout; then the fleet's sources are used as well. */
const isSource = import.meta.url.endsWith(".ts");
const own = resolve(dirname(fileURLToPath(import.meta.url)), isSource ? "../.." : "..");
/** The folder that contains hookline: a `node_modules`, or `packages` in a checkout. */
const beside = dirname(own);
const folder = join(beside, basename(beside) === "node_modules" ? "@hookline/fleet" : "fleet");

/** Whether the fleet's package is installed beside hookline, in any version. */
export function hasFleetPackage(): boolean {
  return existsSync(join(folder, "package.json"));
}

/**
 * Loads the fleet's package from beside hookline, never from the folder that somebody works in. `needs` begins the
 * sentence of an error and says what needs the package, `because` ends that sentence with the reason. Throws
 * `FLEET_PACKAGE` if the package is missing, has another version or cannot be loaded.
 */
export async function fleetPackage(needs: string, because = ""): Promise<FleetPackage> {
  const problem = packageProblem();
  if (problem !== undefined) throw unusable(needs, `${problem}${because}`);
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  try {
    if (isSource) return (await load("src/index.ts")) as FleetPackage;
    const { take } = (await load("dist/kit.js")) as { take(kit: object): void };
    take(await import("@hookline/fleet/kit"));
    return (await load("dist/index.js")) as FleetPackage;
  } catch (thrown) {
    throw unusable(needs, `the one in ${folder} does not load: ${messageOf(thrown)}${because}`);
  }
}

/** Explains that `hookline fleet` needs a package, and how to install it. */
export function fleetOrigin(): string {
  return unusable("`hookline fleet` needs a package of its own", packageProblem() ?? "").message;
}

function packageProblem(): string | undefined {
  if (!hasFleetPackage()) return `it is not in ${beside}`;
  const version = fieldIn(join(folder, "package.json"), "version");
  return version === VERSION ? undefined : `the one in ${folder} has version ${version}, and hookline has ${VERSION}`;
}

/** Returns a text field of a JSON file; undefined if the file cannot be read or has no such text. */
export function fieldIn(path: string, name: string): string | undefined {
  try {
    const reading = readJson(readFileSync(path));
    const value = reading.ok && isFields(reading.value) ? reading.value[name] : undefined;
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function unusable(needs: string, problem: string): HooklineError {
  return new HooklineError("FLEET_PACKAGE", { needs, version: VERSION, problem });
}
