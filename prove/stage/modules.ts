import { execFile } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHILD_ENV } from "../../scripts/child-env.ts";
import { folder } from "./ground.ts";

/** Extensions of pi in a home folder. */
export interface Modules extends Disposable {
  readonly home: string;
  pathOf(name: string): string;
}

/** Writes each text as an extension `NAME.ts`; names with a slash are other files of the home folder. */
export function placeModules(texts: Readonly<Record<string, string>>): Modules {
  const own = folder();
  const home = realpathSync(own.path);
  const pathOf = (name: string): string =>
    join(home, name.includes("/") ? name : join(".pi/agent/extensions", `${name}.ts`));
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), text);
  }
  return { home, pathOf, [Symbol.dispose]: () => own[Symbol.dispose]() };
}

/** The end of a host, and its last line of output, if it lived to print it. */
export interface Ended<T> {
  readonly code: number | string | undefined;
  readonly printed: T | undefined;
  readonly stderr: string;
}

/** Runs a program from the sources next to this folder; it is killed after a minute. */
export function runHost<T>(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended<T>> {
  const flags = ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning"];
  const options = { timeout: 60_000, env: { ...CHILD_ENV, ...env }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, path, ...args], options, (error, stdout, stderr) => {
      const last = stdout.trim().split("\n").at(-1) ?? "";
      const printed = /^[[{]/.test(last) ? (JSON.parse(last) as T) : undefined;
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? undefined), printed, stderr });
    });
  });
}
