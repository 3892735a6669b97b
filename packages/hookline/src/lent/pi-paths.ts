import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns pi's own home folder, where extensions keep their files: `$PI_CODING_AGENT_DIR`, otherwise `~/.pi/agent`. */
export function piAgentDir(env: NodeJS.ProcessEnv = process.env): string {
  const home = env["HOME"] || homedir();
  const set = env["PI_CODING_AGENT_DIR"];
  if (!set) return join(home, ".pi/agent");
  const full = set === "~" || set.startsWith("~/") ? join(home, set.slice(1)) : set;
  return isAbsolute(full) ? full : resolve(home, full);
}

/** Returns hookline's package folder, which contains the `package.json` with the program's name and version. */
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

/** Returns the folder in which pi would have its documentation; it need not exist. */
export function getDocsPath(): string {
  return join(getPackageDir(), "docs");
}

/** Returns the folder in which pi would have its examples; it need not exist. */
export function getExamplesPath(): string {
  return join(getPackageDir(), "examples");
}

/** Names in a project's `.pi` folder that pi only loads if the project is trusted. */
const NEEDS_TRUST = ["extensions", "skills", "prompts", "themes", "settings.json", "SYSTEM.md", "APPEND_SYSTEM.md"];

/** Whether a project, or a folder above it, has files that pi only loads if the project is trusted. */
export function hasTrustRequiringProjectResources(cwd: string): boolean {
  if (NEEDS_TRUST.some((name) => existsSync(join(cwd, ".pi", name)))) return true;
  const ofUser = join(process.env["HOME"] || homedir(), ".agents/skills");
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const skills = join(folder, ".agents/skills");
    if (skills !== ofUser && existsSync(skills)) return true;
    if (dirname(folder) === folder) return false;
  }
}
