import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

interface ShellConfig {
  readonly shell: string;
  readonly args: string[];
}

/** Returns the shell that runs commands, with its arguments: the given one, otherwise bash, otherwise `sh`. */
export function getShellConfig(shellPath?: string): ShellConfig {
  if (shellPath) {
    if (!existsSync(shellPath))
      throw new Error(`There is no shell at ${shellPath}; correct "shellPath" in the settings.`);
    return { shell: shellPath, args: ["-c"] };
  }
  const found = ["/bin/bash", onPath("bash"), onPath("bash.exe")].find(
    (path) => path !== undefined && existsSync(path),
  );
  return { shell: found ?? "sh", args: ["-c"] };
}

/** Returns PowerShell; throws if it is not installed. */
export function getPowerShellConfig(): ShellConfig {
  const found = ["pwsh", "pwsh.exe", "powershell.exe"].map(onPath).find((path) => path !== undefined);
  if (found === undefined) throw new Error("PowerShell is not on the PATH; install it, or use getShellConfig.");
  return { shell: found, args: ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"] };
}

function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
