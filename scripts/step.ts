import { spawn } from "node:child_process";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's top folder. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs a program of the repository's dependencies (or this Node, for `node`) in the top folder; returns its exit code.
 */
export function step(
  program: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string; readonly quiet?: boolean } = {},
): Promise<number> {
  const file =
    program === "node" || isAbsolute(program)
      ? program.replace(/^node$/, process.execPath)
      : join(root, "node_modules", ".bin", program);
  return new Promise((resolve) => {
    const child = spawn(file, [...args], {
      cwd: options.cwd ?? root,
      stdio: ["ignore", options.quiet === true ? "ignore" : "inherit", "inherit"],
      env: { ...process.env, ...options.env },
      shell: process.platform === "win32" && program !== "node",
    });
    child.on("error", (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
