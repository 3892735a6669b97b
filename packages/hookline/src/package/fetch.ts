import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ProcessTransport, systemFiles } from "@hookline/runtime";
import { packages } from "@hookline/runtime/dialects";

/** What was fetched, and where it lies. */
export interface FetchedPackage extends packages.PackageRecord {
  readonly root: string;
}

/** What fetching is done with. */
export interface FetchParts {
  readonly hooklineHome: string;
  readonly cwd: string;
  readonly processes: ProcessTransport;
}

const MINUTES_MS = 60_000;

/**
 * Fetches a package with npm or git into hookline's home, in the place of what was there, and writes down its bytes.
 * No script of the package runs; what pi's packages are to it the agent lends. Rejects with what the program said.
 */
export async function fetchPackage(text: string, parts: FetchParts): Promise<FetchedPackage> {
  const source = packages.readPackageSource(text);
  if (source === undefined) throw new Error(`"${text}" names no package; write npm:NAME@VERSION or git:HOST/PATH@REF`);
  const { prefix, root } = packages.packageFolder(parts.hooklineHome, source);
  const partial = `${prefix}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const inside = join(partial, root.slice(prefix.length + 1));
    const version =
      source.kind === "npm"
        ? await fromNpm(`${source.name}@${source.version}`, partial, inside, parts)
        : await fromGit(source, inside, parts);
    const files = packages.packageHashes(systemFiles, inside);
    const record: packages.PackageRecord = { source: text, version, files };
    writeFileSync(join(partial, packages.RECORD_NAME), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
    rmSync(prefix, { recursive: true, force: true });
    mkdirSync(dirname(prefix), { recursive: true, mode: 0o700 });
    renameSync(partial, prefix);
    return { ...record, root };
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Peers are pi's own packages, which the agent lends, so they are not installed. */
const INSTALL = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "--legacy-peer-deps", "--loglevel=error"];

async function fromNpm(spec: string, prefix: string, root: string, parts: FetchParts): Promise<string> {
  await run(["npm", "install", "--prefix", prefix, "--no-save", ...INSTALL, spec], parts);
  return String(manifestOf(root)["version"] ?? "");
}

async function fromGit(
  { url, ref }: Extract<packages.PackageSource, { kind: "git" }>,
  root: string,
  parts: FetchParts,
): Promise<string> {
  await run(["git", "clone", "--quiet", url, root], parts);
  if (ref !== undefined) await run(["git", "-C", root, "checkout", "--quiet", "--detach", ref, "--"], parts);
  const commit = await run(["git", "-C", root, "rev-parse", "HEAD"], parts);
  if (Object.keys((manifestOf(root)["dependencies"] as object | undefined) ?? {}).length > 0)
    await run(["npm", "install", "--prefix", root, "--no-save", "--no-package-lock", ...INSTALL], parts);
  return commit.trim();
}

function manifestOf(root: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

async function run([file = "", ...args]: readonly string[], { processes, cwd }: FetchParts): Promise<string> {
  const report = await processes.run({
    command: { file, args },
    cwd,
    tier: "user",
    // Nobody can be asked for a password here.
    env: { GIT_TERMINAL_PROMPT: "0" },
    timeoutMs: 10 * MINUTES_MS,
    label: file,
  });
  if (report.startError !== undefined) throw new Error(`${file} could not be started: ${report.startError.message}`);
  if (report.status === "timed-out") throw new Error(`${file} took longer than 10 minutes`);
  if (report.exitCode !== 0)
    throw new Error(report.stderr.trim().slice(0, 2000) || `${file} ended with ${report.exitCode}`);
  return report.stdout;
}
