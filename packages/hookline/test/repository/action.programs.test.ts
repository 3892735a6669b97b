import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { bin, Workplace } from "../support/cli.ts";

const path = fileURLToPath(new URL("../../../../.github/actions/hooks/action.yml", import.meta.url));
const text = readFileSync(path, "utf8");

interface Step {
  readonly name: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const action = parse(text) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
};

const guard = (pattern: string): string => `import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "no-push",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (/${pattern}/.test(args.command) ? { deny: "no push" } : undefined),
  cases: [{ args: { command: "git push --force" }, expect: "deny" }],
});
`;

let place: Workplace;
const files = (): string[] => readdirSync(join(place.project, "records"));

beforeEach(async () => {
  place = new Workplace();
  mkdirSync(join(place.top, "bin"));
  writeFileSync(join(place.top, "bin/hookline"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(join(place.top, "bin/hookline"), 0o755);
  place.write(".hookline/guards/no-push.ts", guard("git push"));
  const calls = ["git push origin main", "echo hello"].map((command) => ({
    toolCalls: [{ name: "bash", arguments: { command } }],
  }));
  place.write("script.json", JSON.stringify({ replies: [...calls, { text: "done" }] }));
  expect((await place.run(["trust", "approve", "--lock", "--yes"])).code).toBe(0);
});

afterEach(() => place.remove());

const record = (level = "decisions") =>
  place.run(["--frozen", `--record=${level}`, "--record-dir", "records", "--script", "script.json", "-p", "go"]);

/** Runs the action's steps as GitHub does: a step whose condition fails is left out, and a failure fails the job. */
function job(inputs: Readonly<Record<string, string>>) {
  const given: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default])),
    ...inputs,
  };
  const summary = join(place.top, "summary.md");
  let failed: string | undefined;
  let output = "";
  for (const { name, if: condition, run, env = {} } of action.runs.steps) {
    if (run === undefined) continue;
    if (failed !== undefined && condition?.includes("always()") !== true) continue;
    if (condition?.includes("recordings != ''") && given["recordings"] === "") continue;
    const filled = Object.entries(env).map(([key, value]) => [
      key,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => given[input] ?? ""),
    ]);
    const done = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: place.project,
      encoding: "utf8",
      env: {
        PATH: `${join(place.top, "bin")}${delimiter}${process.env["PATH"]}`,
        HOME: place.home,
        GITHUB_STEP_SUMMARY: summary,
        ...Object.fromEntries(filled),
      },
    });
    output += done.stdout + done.stderr;
    if (done.status !== 0) failed ??= name;
  }
  return { failed, output, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
}

const reports = (name: string): string => readFileSync(join(place.project, "hookline-reports", name), "utf8");

describe("the action's steps", () => {
  test("pass for a change that decides as before", async () => {
    await record();
    expect(job({ recordings: "records" })).toMatchObject({ failed: undefined });
    expect(reports("hooks.xml")).toContain('failures="0"');
    expect(JSON.parse(reports("replay.json"))).toMatchObject({ newlyAllowed: 0, failed: [] });
  });

  test("fail for a change that loosens a guard, and show in the summary which call would run now", async () => {
    await record();
    place.write(".hookline/guards/no-push.ts", guard("git push --force"));
    await place.run(["trust", "approve", "--lock", "--yes"]);
    const { failed, summary } = job({ recordings: "records" });
    expect(failed).toBe("Past calls are decided as they were");
    expect(summary).toMatch(/1 newlyAllowed/);
    expect(summary).toContain("git push origin main");
    expect(JSON.parse(reports("replay.json"))).toMatchObject({ newlyAllowed: 1, failed: ["newly-allowed"] });
    expect(reports("hooks.xml")).toContain('failures="0"');
  });

  test("fail at the lock for a changed guard that nobody has locked", async () => {
    place.write(".hookline/guards/no-push.ts", guard("never"));
    const { failed, output } = job({});
    expect(failed).toBe("Exactly the hooks of hookline.lock run");
    expect(output).toContain("no-push.ts");
  });

  test("fail for a guard that does not pass its cases, with JUnit", async () => {
    place.write(".hookline/guards/no-push.ts", guard("never"));
    await place.run(["trust", "approve", "--lock", "--yes"]);
    expect(job({}).failed).toBe("The guards pass their cases");
    expect(reports("hooks.xml")).toMatch(/<failure/);
  });

  test("refuse a recording of another level, one with a secret, and a session", async () => {
    await record("all");
    expect(job({ recordings: `records/${files()[0]}` }).output).toContain("its level is all, not decisions");
    const key = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"}`;
    const push = { toolCalls: [{ name: "bash", arguments: { command: `echo ${key}` } }] };
    place.write("script.json", JSON.stringify({ replies: [push, { text: "done" }] }));
    const before = files();
    await record();
    const secret = files().find((name) => !before.includes(name));
    const { failed, output, summary } = job({ recordings: `records/${secret}` });
    expect([failed, summary]).toEqual(["Past calls are decided as they were", ""]);
    expect(output).toMatch(/shows a secret \(/);
    expect(output).not.toContain(key);
    place.write(
      "session.jsonl",
      '{"type":"session","version":3,"id":"1","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/work"}\n',
    );
    expect(job({ recordings: "session.jsonl" }).output).toContain("not a recording");
  });
});

test("the action puts no input into a script, runs other actions by commit only, and asks for no rights", () => {
  for (const { run = "", uses } of action.runs.steps) {
    expect(run).not.toContain("${{");
    if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  }
  expect(text).not.toMatch(/github\.token|secrets\.|GH_TOKEN|pull_request_target/);
});
