import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const SETTLED_MS = 2_000;
/** The folder in hookline's home for compile caches, one for each version of Node. */
const OWN_FOLDER = "compiled";
/** Enough for several releases; each start uses 20 to 150 of them. */
const MAX_FILES = 1000;

type Load = (specifier: string) => Promise<unknown>;

/** The function in a built script's text; it returns the exports. */
type Body = (imports: readonly unknown[], load: Load, url: string) => Readonly<Record<string, unknown>>;

/**
 * Runs a script of the build and returns its exports. V8's code for its functions is cached next to Node's own compile
 * cache and used the next time. Node's cache holds only what was compiled before a file ran, which excludes all inner
 * functions. `hash` is that of the text, `imports` are the imported modules in the script's own order, and `load`
 * imports more of them later.
 */
export function runCompiled(
  url: string,
  hash: string,
  imports: readonly unknown[],
  load: Load,
): Readonly<Record<string, unknown>> {
  const filename = fileURLToPath(url);
  const folder = getCompileCacheDir();
  const kept = folder === undefined ? undefined : join(folder, `hookline-${hash}`);
  const cachedData = kept === undefined ? undefined : readOwn(kept);
  const script = new Script(readFileSync(filename, "latin1"), {
    filename,
    ...(cachedData !== undefined && { cachedData }),
  });
  const exported = (script.runInThisContext() as Body)(imports, load, url);
  if (kept !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) keep(script, kept);
  return exported;
}

/** Reads a file only if the current user owns it; files that others put there are ignored. */
function readOwn(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const { uid } = fstatSync(file);
    return process.getuid === undefined || uid === process.getuid() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes the compiled code once, after the functions that a start needs have run; V8 discards them after a while. */
function keep(script: Script, path: string): void {
  const write = (): void => {
    clearTimeout(settled);
    process.removeListener("exit", write);
    const whole = `${path}.${process.pid}`;
    try {
      writeFileSync(whole, script.createCachedData(), { mode: 0o600, flag: "wx" });
      renameSync(whole, path);
      tidy(dirname(dirname(path)));
    } catch {
      // Without it, the next start takes as long as this one.
    }
  };
  const settled = setTimeout(write, SETTLED_MS).unref();
  // Marks the listener as the host's own, so that a module that loads meanwhile is not blamed for it. This file imports
  // nothing from the library.
  Object.defineProperty(write, Symbol.for("hookline.listener"), { value: true });
  process.once("exit", write);
}

/** Keeps hookline's own folder from growing with each release: above the limit, deletes the older half. */
function tidy(folder: string): void {
  if (basename(folder) !== OWN_FOLDER) return;
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  if (paths.length <= MAX_FILES) return;
  const aged = paths.map((path) => ({ path, age: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  aged.sort((a, b) => a.age - b.age);
  for (const { path } of aged.slice(0, aged.length / 2)) rmSync(path, { force: true });
}
