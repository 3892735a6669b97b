import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CHILD_ENV } from "../../../../../scripts/child-env.ts";
import type { Ran } from "../../support/cli.ts";
import type { Rigged } from "./rigged.ts";

/** The built command line. */
export const bin = fileURLToPath(new URL("../../../bin/hookline.js", import.meta.url));

/** Runs the built command line in a rig's project, with its home. */
export function runProgram(at: Rigged, args: readonly string[], stdin = ""): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: at.project,
    env: { ...CHILD_ENV, HOME: at.home },
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece));
  child.stdin.on("error", () => {}).end(stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
