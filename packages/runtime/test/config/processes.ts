import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

/** Runs a piece of a module in a process of its own; `config/` and `consent/` are folders of the sources. Gives its exit code. */
export function runProgram(body: string): Promise<number | null> {
  const text = body.replaceAll(/"(?=(?:config|consent)\/)/g, `"${source}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code));
  });
}
