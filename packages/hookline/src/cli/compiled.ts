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
/** The folder of hookline's home in which the compile caches lie, one for each version of Node. */
const OWN_FOLDER = "compiled";
/** Files of some releases; each start takes from 20 to 150 of them. */
const MAX_FILES = 1000;

type Load = (specifier: string) => Promise<unknown>;

/** What a built script's text is; it gives what it exports. */
type Body = (imports: readonly unknown[], load: Load, url: string) => Readonly<Record<string, unknown>>;

/**
 * Runs a script of the build and gives what it exports. What V8 has made of its functions is kept beside Node's own
 * compile cache, and taken from there the next time: Node's keeps of a file what was compiled before it ran, which is
 * none of the functions inside. `hash` is that of the text, `imports` are the modules
 * that it uses, in its own order, `load` is how it imports more of them later.
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

/** A file that belongs to who runs this; what others put there is none of it. */
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

/** Writes once what was compiled, when the functions that a start needs have run; V8 forgets them after a while. */
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
      // Without it the next start takes as long as this one.
    }
  };
  const settled = setTimeout(write, SETTLED_MS).unref();
  // A module that is loaded meanwhile is not to be blamed for it; this file imports nothing of the library.
  Object.defineProperty(write, Symbol.for("hookline.listener"), { value: true });
  process.once("exit", write);
}

/** Keeps hookline's own folder from growing with each release: over the limit the older half goes. */
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
