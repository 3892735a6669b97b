import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** pi's own home folder, where its extensions keep their files: `$PI_CODING_AGENT_DIR`, otherwise `~/.pi/agent`. */
export function piAgentDir(env: NodeJS.ProcessEnv = process.env): string {
  const home = env["HOME"] || homedir();
  const set = env["PI_CODING_AGENT_DIR"];
  if (!set) return join(home, ".pi/agent");
  const full = set === "~" || set.startsWith("~/") ? join(home, set.slice(1)) : set;
  return isAbsolute(full) ? full : resolve(home, full);
}

/** The folder of the running package: hookline's, whose manifest has the program's name and version. */
export function getPackageDir(): string {
  const set = process.env["PI_PACKAGE_DIR"];
  if (set) return set;
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return here;
  }
}

/** The path of the package's README. */
export function getReadmePath(): string {
  return join(getPackageDir(), "README.md");
}

/** Where the package's documentation would be. */
export function getDocsPath(): string {
  return join(getPackageDir(), "docs");
}

/** Where the package's examples would be. */
export function getExamplesPath(): string {
  return join(getPackageDir(), "examples");
}

/** The parts of a project that need trust in pi, by their path below `.pi`. */
const NEEDS_TRUST = ["extensions", "skills", "prompts", "themes", "settings.json", "SYSTEM.md", "APPEND_SYSTEM.md"];

/** Whether a project, or a folder above it, has anything that pi loads only if it is trusted. */
export function hasTrustRequiringProjectResources(cwd: string): boolean {
  if (NEEDS_TRUST.some((name) => existsSync(join(cwd, ".pi", name)))) return true;
  const ofUser = join(process.env["HOME"] || homedir(), ".agents/skills");
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const skills = join(folder, ".agents/skills");
    if (skills !== ofUser && existsSync(skills)) return true;
    if (dirname(folder) === folder) return false;
  }
}
