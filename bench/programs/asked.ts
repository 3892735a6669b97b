import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A measured program in its own process, which answers each line of input with a line. */
export interface Asked {
  ask(line: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts the program; its stderr is passed through to ours. */
export function startAsked(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Asked {
  const child: ChildProcess = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], env });
  if (child.stdin === null || child.stdout === null) throw new Error(`${file} was started without pipes`);
  const { stdin } = child;
  const answers: ((line: string) => void)[] = [];
  const refusals: ((error: Error) => void)[] = [];
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      for (const refuse of refusals) refuse(error);
      resolve();
    });
    child.once("exit", (code) => {
      for (const refuse of refusals) refuse(new Error(`${file} ended with ${code}`));
      resolve();
    });
  });
  createInterface(child.stdout).on("line", (line) => {
    refusals.shift();
    answers.shift()?.(line);
  });
  return {
    ask: (line) =>
      new Promise((resolve, reject) => {
        answers.push(resolve);
        refusals.push(reject);
        stdin.write(`${line}\n`);
      }),
    close() {
      stdin.end();
      return ended;
    },
  };
}

/** Returns the numbers in an answer, in order. */
export function numbersIn(line: string): number[] {
  return line.split(" ").map(Number);
}
