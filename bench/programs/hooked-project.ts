import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installedBin } from "./installed.ts";

/** The measured commands by name, each with its arguments. */
export const COMMANDS = {
  hooks: ["hooks"],
  trust: ["trust", "list"],
  approve: ["trust", "approve", "--yes"],
  explain: ["hooks", "explain", "tool.before"],
  // A call that runs the programs of j-cli and asks the plugins, and starts no Node for each hook of Claude Code.
  fire: ["hooks", "fire", "tool.before", "--tool", "read"],
  doctor: ["doctor"],
  frozen: ["--frozen", "--script", "script.json", "-p", "hello"],
} as const;

/** A project with approved and locked hooks, and the command line as users have it. */
export interface HookedProject {
  /** Runs a command to its end; returns the nanoseconds. */
  run(args: readonly string[]): number;
  remove(): void;
}

/** Writes a project with this many hooks, a fifth in each dialect, approves them and writes the lock. */
export async function hookedProject(hooks: number): Promise<HookedProject> {
  const bin = await installedBin();
  const top = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const [home, project] = [join(top, "home"), join(top, "project")];
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text, { mode });
  };
  const settings: object[] = [];
  const yaml: string[] = [];
  const module = `export default (pi: any) => { pi.on("tool_call", async () => undefined); };\n`;
  for (let i = 0; i < hooks; i += 5) {
    write(`scripts/g${i}.mjs`, `// Guard ${i}\nprocess.exit(0);\n`);
    const command = `node "$CLAUDE_PROJECT_DIR"/scripts/g${i}.mjs`;
    settings.push({ matcher: "Bash", hooks: [{ type: "command", command }] });
    write(`scripts/g${i}.sh`, `# Guard ${i}\ncat >/dev/null\necho '{}'\n`);
    yaml.push(`  - command: sh scripts/g${i}.sh\n`);
    write(`.pi/extensions/e${i}.ts`, `${module}// ${i}\n`);
    write(`.omp/hooks/pre/h${i}.ts`, `${module}// ${i}\n`);
    const schema = JSON.stringify({ name: `p${i}`, description: "watches", hooks: ["post_tool"] });
    write(`.hookline/plugins/p${i}`, `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\necho '{}'\n`, 0o755);
  }
  write(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: settings } }, undefined, 1));
  write(".jcli/hooks.yaml", `pre_tool_execution:\n${yaml.join("")}`);
  write("script.json", JSON.stringify({ replies: [{ text: "hello", repeat: true }] }));
  mkdirSync(join(project, ".git"));
  mkdirSync(home);
  const run = (args: readonly string[]): number => {
    // Otherwise there is nothing to approve.
    if (args.includes("approve")) rmSync(join(home, ".hookline/trust.json"), { force: true });
    const started = process.hrtime.bigint();
    const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
      cwd: project,
      env: { HOME: home, PATH: process.env["PATH"] },
      encoding: "utf8",
      // The text that is shown for approval is longer than Node keeps by default.
      stdio: ["ignore", "ignore", "pipe"],
    });
    // `doctor` ends with 1 where no model is set up.
    if (status !== 0 && args[0] !== "doctor")
      throw new Error(`hookline ${args.join(" ")} ended with ${status}: ${stderr}`);
    return Number(process.hrtime.bigint() - started);
  };
  run(["trust", "approve", "--yes", "--lock"]);
  return { run, remove: () => rmSync(top, { recursive: true, force: true }) };
}
