import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GUARDS, WRITES } from "./guards.ts";
import type { Newcomer } from "./newcomer.ts";

/** The paths of the packed packages. */
export interface Tarballs {
  readonly runtime: string;
  readonly hookline: string;
}

/** A way to install the packed packages. */
export interface Way {
  readonly what: string;
  /** Returns the shell line that installs; absent if the command does so itself. */
  readonly install?: (tarballs: Tarballs) => string;
  readonly command: (tarballs: Tarballs) => string;
}

/** Every way of installing that the documents name, or that people use anyway. */
export const WAYS: readonly Way[] = [
  {
    what: "npm install -g of both tarballs",
    install: ({ runtime, hookline }) => `npm install -g '${hookline}' '${runtime}'`,
    command: () => "hookline",
  },
  {
    what: "npm install -g of the agent's tarball, without install scripts",
    install: ({ hookline }) => `npm install -g --ignore-scripts '${hookline}'`,
    command: () => "hookline",
  },
  {
    what: "npm install of both tarballs in a folder",
    install: ({ runtime, hookline }) => `npm install '${hookline}' '${runtime}'`,
    command: () => "npx hookline",
  },
  {
    what: "pnpm add of both tarballs in a folder",
    install: ({ runtime, hookline }) => `pnpm add '${hookline}' '${runtime}'`,
    command: () => "pnpm exec hookline",
  },
  { what: "npx of the agent's tarball", command: ({ hookline }) => `npx --yes --package='${hookline}' -- hookline` },
];

/**
 * Installs into an empty home folder and working folder, and makes a guard of every kind refuse a call there. Without
 * the guard, the call must have its effect. Returns what went wrong.
 */
export async function tryWay(way: Way, tarballs: Tarballs, newcomer: Newcomer): Promise<readonly string[]> {
  const home = newcomer.home();
  const folder = newcomer.folder(`way-${WAYS.indexOf(way)}-${home.split("-").at(-1)}`);
  if (way.install !== undefined) {
    const { code, output } = await newcomer.run(way.install(tarballs), folder, home);
    if (code !== 0) return [`it was not installed (${code}):\n${output}`];
  }
  writeFileSync(join(folder, "script.yaml"), WRITES);
  const line = `${way.command(tarballs)} -p --script script.yaml go`;
  const made = join(folder, "made.txt");
  const problems: string[] = [];
  const run = async (kind: string, isRefused: boolean): Promise<void> => {
    const { code, output } = await newcomer.run(line, folder, home);
    const wasMade = existsSync(made);
    rmSync(made, { force: true });
    const isAnswered = code === 0 && output.includes("That was all.");
    if (isAnswered && wasMade !== isRefused) return;
    const seen = !isAnswered ? `ended with ${code}` : wasMade ? "let the call pass" : "had the call refused";
    problems.push(`${kind}: hookline ${seen}:\n${output}`);
  };
  await run("no guard", false);
  for (const { kind, path, text, executable } of GUARDS) {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (executable === true) chmodSync(file, 0o755);
    await run(kind, true);
    rmSync(file);
  }
  return problems;
}
