import type { Surroundings } from "@hookline/runtime/dialect";
import type { OwnerTier } from "./places.ts";

const MOST_MS = 10_000;
const LABEL = "variables of CLAUDE_ENV_FILE";

/**
 * Sets the variables that hooks have written to `CLAUDE_ENV_FILE` for all later commands of the agent.
 *
 * The file is sourced once, with the environment of the hooks that wrote it, and only variables that this changes are
 * set. The text of a command that guards judge is never changed. Source: spec/claude.md C15.
 */
export async function takeEnvironment(
  around: Surroundings,
  { path, cwd, tier }: { readonly path: string; readonly cwd: string; readonly tier: OwnerTier },
): Promise<void> {
  const { tools, log } = around.services;
  const text = around.privateFiles.read(path)?.trim() ?? "";
  if (text === "" || tools?.setEnvironment === undefined) return;
  const run = async (shell: string): Promise<ReadonlyMap<string, string> | undefined> => {
    const env = { CLAUDE_ENV_FILE: path };
    const report = await around.transports.process.run({
      command: { shell },
      cwd,
      tier,
      env,
      timeoutMs: MOST_MS,
      label: LABEL,
    });
    return report.status === "exited" && report.exitCode === 0 ? variablesIn(report.stdout) : undefined;
  };
  const [before, after] = await Promise.all([run("env -0"), run('. "$CLAUDE_ENV_FILE" >/dev/null; env -0')]);
  if (before === undefined || after === undefined) {
    log?.("warn", `${path} could not be sourced, so the variables in it are not set`);
    return;
  }
  const changed = [...after].filter(
    ([name, value]) => before.get(name) !== value && !SHELLS_OWN.has(name) && !name.startsWith("HOOKLINE_"),
  );
  tools.setEnvironment(Object.fromEntries(changed));
}

const SHELLS_OWN: ReadonlySet<string> = new Set(["_", "SHLVL", "PWD", "OLDPWD", "CLAUDE_ENV_FILE"]);

/** Parses the output of `env -0`. */
function variablesIn(printed: string): ReadonlyMap<string, string> {
  const pairs = printed.split("\0").filter((line) => line.includes("="));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
