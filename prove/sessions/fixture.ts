import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CHILD_ENV } from "../../scripts/child-env.ts";

/** A running program of the session tests. */
export interface Fixture {
  readonly child: ChildProcess;
  /** Resolves with the whole stdout so far once it contains a complete line, or when the program has ended. */
  readonly said: Promise<string>;
  /** Resolves with the whole stdout when the program has ended. */
  readonly ended: Promise<string>;
}

/** Starts a program of the session tests; its environment is the PATH and `env`. */
export function startFixture(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Fixture {
  const file = fileURLToPath(new URL(`../../packages/hookline/test/session/fixtures/${name}.ts`, import.meta.url));
  const flags = ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, file, ...args], {
    env: { ...CHILD_ENV, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  let hear: (text: string) => void = () => {};
  const said = new Promise<string>((resolve) => (hear = resolve));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.includes("\n")) hear(output);
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      hear(output);
      resolve(output);
    });
  });
  return { child, said, ended };
}
