import type { Outcome } from "../run/outcome.ts";

/** What shells and interpreters print for a missing program or script. */
const GONE =
  /\b(?:not found|no such file or directory|cannot find module|module not found|can't open file|cannot open|ENOENT)\b/i;

/**
 * Returns the outcome, but throws if a hook failed because its program does not exist. Otherwise a guard that refuses
 * when it fails would pass a test that has tested nothing.
 */
export function withCommands<T extends Pick<Outcome, "hooks">>(outcome: T, cwd: string): T {
  for (const { status, place, problem = "", stderr = "" } of outcome.hooks) {
    if (status !== "failed" || !(/exit code 12[67]\b/.test(problem) || GONE.test(`${problem}\n${stderr}`))) continue;
    const said = stderr.split("\n").find((line) => GONE.test(line)) ?? problem;
    throw new Error(
      `${place} could not run its command: ${said.trim()}. Commands run in ${cwd}; give their folder as \`project\`, or as \`scene.cwd\`.`,
    );
  }
  return outcome;
}
