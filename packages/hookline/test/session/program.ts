import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A running fixture program; what is left of it ends with the test. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything on stdout until now. */
  readonly output: () => string;
  /** The next whole line of stdout. */
  line(): Promise<string>;
  /** Resolves when the program has ended, with its stdout; rejects when it wrote to stderr. */
  readonly ended: Promise<string>;
}

/** Starts a fixture program with arguments. */
export function start(name: string, args: readonly string[], options: { uid?: number; gid?: number } = {}): Program {
  const file = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const child = spawn(
    process.execPath,
    ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning", file, ...args],
    options,
  );
  let output = "";
  let errors = "";
  let read = 0;
  const waiting: (() => void)[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const wake of waiting.splice(0)) wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      if (errors === "") resolve(output);
      else reject(new Error(errors));
    });
  });
  ended.catch(() => {});
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const line = async (): Promise<string> => {
    for (;;) {
      const end = output.indexOf("\n", read);
      if (end !== -1) {
        const text = output.slice(read, end);
        read = end + 1;
        return text;
      }
      await Promise.race([
        new Promise<void>((resolve) => waiting.push(resolve)),
        ended.then(() => Promise.reject(new Error(`${name} ended: ${output}`))),
      ]);
    }
  };
  return { child, output: () => output, line, ended };
}
