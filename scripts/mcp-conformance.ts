import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { table } from "../packages/ground/src/io/table.ts";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

/**
 * Path of the MCP project's own suite. Its scenarios about signing in are left out, since hookline does not sign in.
 */
const SUITE = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const CLIENT = join(root, "scripts/mcp-client.ts");
const LEFT_OUT = "auth/";

/** One check of the suite. */
interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const { values } = commandLine({
  name: "conformance:mcp",
  says: "Runs the MCP project's conformance suite for clients on the built command line.",
  options: { json: { type: "boolean", says: "the result as JSON" } },
});
await buildAgent();
const listed = execFileSync(process.execPath, [SUITE, "list", "--client"], { encoding: "utf8" });
const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
const left = scenarios.filter((name) => name.startsWith(LEFT_OUT));
const ran = scenarios.filter((name) => !left.includes(name)).map((name) => ({ name, checks: checksOf(name) }));
const isGood = ({ checks }: (typeof ran)[number]): boolean =>
  checks.length > 0 && checks.every(({ status }) => status !== "FAILURE");
const failed = ran.filter((one) => !isGood(one));
if (values.json === true) process.stdout.write(`${JSON.stringify({ ran, leftOut: left }, null, 2)}\n`);
else {
  const rows = ran.map((one) => [one.name, isGood(one) ? "passes" : "FAILS", countsOf(one.checks)]);
  process.stdout.write(table([["scenario", "", "checks"], ...rows]));
  for (const { name, checks } of failed)
    for (const { id, errorMessage = "" } of checks.filter(({ status }) => status === "FAILURE"))
      process.stdout.write(`${name}: ${id}: ${errorMessage}\n`);
  process.stdout.write(`${ran.length - failed.length} of ${ran.length} scenarios pass. `);
  process.stdout.write(
    `${left.length} are left out: they sign in by OAuth, which hookline does not do:\n${left.join(", ")}\n`,
  );
}
process.exitCode = failed.length === 0 && ran.length > 0 ? 0 : 1;

function checksOf(scenario: string): readonly Check[] {
  const folder = mkdtempSync(join(tmpdir(), "hookline-mcp-"));
  try {
    const command = `${process.execPath} ${CLIENT}`;
    const args = ["client", "--command", command, "--scenario", scenario, "--timeout", "60000", "-o", folder];
    const { stderr } = spawnSync(process.execPath, [SUITE, ...args], { encoding: "utf8" });
    const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith("checks.json"),
    );
    if (file === undefined) return [{ id: "the suite", status: "FAILURE", errorMessage: stderr.slice(0, 400) }];
    return JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(checks: readonly Check[]): string {
  const judged = checks.filter(({ status }) => status !== "INFO");
  const counts = Map.groupBy(judged, ({ status }) => status.toLowerCase());
  return [...counts].map(([status, { length }]) => `${length} ${status}`).join(", ");
}
