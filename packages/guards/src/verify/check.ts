import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scriptsOf } from "../word/scripts.ts";

/** The result of one of a project's checks. */
export interface CheckResult {
  readonly passed: boolean;
  /** The end of the check's output; or the reason why the check did not finish in time or could not be started. */
  readonly output: string;
}

const LINES = 60;
const KEPT = 64 * 1024;
/** Time in ms to read on after the end of a check: a program that it left running may hold the pipes open. */
const DRAIN_MS = 500;

/** Runs a check with `sh`, in its own process group, which is killed at the end. */
export function runCheck(command: string, root: string, timeoutMs: number, signal?: AbortSignal): Promise<CheckResult> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      cwd: root,
      detached: true,
      // Makes test runners exit instead of watching files.
      env: { ...process.env, CI: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let late = "";
    const end = (why: string): void => {
      late ||= why;
      endGroup(child.pid);
    };
    const abort = (): void => end("It was stopped.");
    const timer = setTimeout(() => end(`It did not end within ${timeoutMs / 1000} s.`), timeoutMs);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted === true) abort();
    const take = (text: string): void => void (output = (output + text).slice(-KEPT));
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    const settle = (passed: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve({ passed, output: [lastLines(output), late].filter((part) => part !== "").join("\n") });
    };
    child.on("error", (error) => {
      late = `It could not be started: ${error.message}`;
      settle(false);
    });
    child.on("exit", (code) => {
      endGroup(child.pid);
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
      child.on("close", () => {
        clearTimeout(drained);
        settle(code === 0 && late === "");
      });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole process group has already ended.
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-LINES).join("\n");
}

/** Files that show how a project is checked, each with an expression for its text and the checks. */
const KNOWN: readonly (readonly [file: string, has: RegExp, ...checks: string[]])[] = [
  ["Makefile", /^check:/m, "make check"],
  ["Cargo.toml", /^\[package\]|^\[workspace\]/m, "cargo test"],
  ["go.mod", /^module /m, "go vet ./...", "go test ./..."],
  ["pytest.ini", /^/, "pytest -q"],
  ["pyproject.toml", /^\[tool\.pytest/m, "pytest -q"],
];
const SCRIPTS = ["check", "typecheck", "lint", "test"];
/** Matches the test script that `npm init` writes. */
const NO_TEST = /no test specified/;

/** Finds the checks of a project, without running any of its code. */
export function foundChecks(root: string): readonly string[] {
  const text = (name: string): string => {
    try {
      return readFileSync(join(root, name), "utf8");
    } catch {
      return "";
    }
  };
  const scripts = scriptsOf(text("package.json"));
  const own = SCRIPTS.filter((name) => scripts.has(name) && !NO_TEST.test(scripts.get(name) ?? ""));
  const others = KNOWN.filter(([file, has]) => text(file) !== "" && has.test(text(file)));
  return [...own.map((name) => `npm run ${name}`), ...others.flatMap(([, , ...checks]) => checks)];
}
