import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Finds a program as a shell would: the path of the first one on the PATH that may be run, or null. */
export function whichOf(env: Readonly<Record<string, string | undefined>>) {
  return (command: string, { PATH = env["PATH"] ?? "" }: { readonly PATH?: string } = {}): string | null => {
    const folders = isAbsolute(command) ? [""] : PATH.split(delimiter).filter((folder) => folder !== "");
    return folders.map((folder) => (folder === "" ? command : join(folder, command))).find(isProgram) ?? null;
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
