import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A home of chibi that is gone after the test. */
export function scratchHome(): string {
  const home = mkdtempSync(join(tmpdir(), "hookline-mail-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The lines of a file that are not empty; none where there is no file. */
export function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

/** A running program; what is left of it ends with the test. */
export interface Program {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Settles with stdout; rejects where the program failed. */
  readonly ended: Promise<string>;
  /** Settles when it has written something for the first time. */
  readonly spoke: Promise<void>;
}

/** Starts a fixture of this folder: a `.ts` file in Node, a `.py` file in Python. */
export function start(name: string, args: readonly string[]): Program {
  const file = fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
  const [program, ...before] = name.endsWith(".py")
    ? ["python3", file]
    : [process.execPath, "--conditions=hookline-source", "--disable-warning=ExperimentalWarning", file];
  const child = spawn(program as string, [...before, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let out = "";
  let err = "";
  const spoke = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${name} ended with ${code ?? "a signal"}: ${err}`)),
    );
  });
  ended.catch(() => {});
  return { child, ended, spoke };
}
