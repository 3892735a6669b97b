import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The result of some tests. */
export interface SuiteResult {
  readonly ran: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
  /** Whether the run failed, including failures outside every test, such as an uncaught error. */
  readonly red: boolean;
  /** The reason why the tests could not be run. */
  readonly broken: string | undefined;
}

/** Time limit of a test, in ms, after which it fails. */
const TEST_MS = 30_000;
/** Time limits in ms: for the tests of one bug, and for those of all bugs together. */
const SUITE_MS = 240_000;
export const ALL_MS = 900_000;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs, in a copy, the tests in these files whose names match the pattern. */
export async function runSuite(
  folder: string,
  paths: readonly string[],
  names: string,
  limitMs: number = SUITE_MS,
): Promise<SuiteResult> {
  const output = join(folder, "result.json");
  rmSync(output, { force: true });
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const options = ["--reporter=json", `--outputFile=${output}`, `--testTimeout=${TEST_MS}`, `--hookTimeout=${TEST_MS}`];
  const code = await exitOf(folder, [vitest, "run", ...paths, "-t", names, ...options], limitMs);
  if (code === undefined) return { ran: 0, failed: [], red: false, broken: "the tests did not come to an end" };
  try {
    const { testResults } = JSON.parse(readFileSync(output, "utf8")) as Report;
    const tests = testResults
      .flatMap((file) => file.assertionResults)
      .filter(({ status }) => status !== "skipped" && status !== "pending");
    const unread = testResults.find(({ assertionResults }) => assertionResults.length === 0);
    const broken = unread !== undefined ? `${unread.name} could not be read: ${unread.message ?? ""}` : undefined;
    const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
    return { ran: tests.length, failed, red: code !== 0, broken };
  } catch {
    return { ran: 0, failed: [], red: false, broken: "the tests gave no result" };
  }
}

function exitOf(folder: string, args: readonly string[], limitMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", detached: true });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      resolve(undefined);
    }, limitMs);
    child.once("error", () => resolve(undefined));
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}
