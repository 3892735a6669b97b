import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const ours = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^node --conditions=hookline-source (scripts\/[\w-]+\.ts)$/.exec(command)?.[1];
  return file === undefined ? [] : [{ name, file }];
});

function run(file: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=hookline-source", file, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

test("on a Node that runs no TypeScript the first commands say what to do", () => {
  for (const name of ["demo", "test"]) expect(scripts[`pre${name}`]).toBe("node scripts/ready.js");
  const old =
    'Object.defineProperty(process.versions, "node", { value: "20.20.2" }); await import("./scripts/ready.js");';
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", old], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toContain("Run `npm ci` first");
  expect(status).toBe(1);
  expect(spawnSync(process.execPath, ["scripts/ready.js"], { cwd: root }).status).toBe(0);
});

describe("the scripts of the repository", () => {
  test.each(ours)("npm run $name -- --help says how it is called", async ({ name, file }) => {
    const { code, out } = await run(file, "--help");
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^npm (run )?${name}\\b`));
  });

  // Options of `npm test` are vitest's.
  test.each(ours.filter(({ name }) => name !== "test"))(
    "npm run $name refuses what it does not know, without a stack",
    async ({ name, file }) => {
      const { code, err } = await run(file, "--no-such-option");
      expect(code).toBe(2);
      expect(err).toMatch(/^Unknown option '--no-such-option'/);
      expect(err).toContain(`npm run ${name}`);
      expect(err).not.toMatch(/^\s+at /m);
    },
  );

  test.each([
    ["prove", "no-such-experiment"],
    ["prove", "--minutes=soon"],
    ["bench", "no-such-case"],
    ["examples", "no-such-example"],
    ["conformance", "--dialect=no-such-dialect"],
    ["against", "--dialect=no-such-dialect", "cat"],
    ["demo", "a-word-too-many"],
  ])("npm run %s -- %s names what is wrong", async (name, ...words) => {
    const { code, err } = await run(`scripts/${name}.ts`, ...words);
    expect(code).toBe(2);
    expect(err).toMatch(/no-such|soon|a-word/);
    expect(err).not.toMatch(/^\s+at /m);
  });
});
