import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../../../scripts/commands.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const further = Object.entries(COMMANDS).map(([name, { run }]) => [`dev -- ${name}`, run.join(" ")] as const);
const ours = [...Object.entries(scripts), ...further].flatMap(([name, command]) => {
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
  const ready = (agent: string) =>
    spawnSync(process.execPath, ["scripts/ready.js"], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, npm_config_user_agent: `npm/10.8.2 node/v${agent} linux x64 workspaces/false` },
    });
  expect(ready("22.19.0")).toMatchObject({ status: 0, stderr: "" });
  expect(ready("20.20.2")).toMatchObject({
    status: 0,
    stderr: `hookline needs Node 22.19 or newer, and yours is 20.20.2. This goes on with Node ${process.versions.node}, which \`npm ci\` brought along.\n`,
  });
});

describe("the scripts of the repository", () => {
  test.each(ours)("npm run $name -- --help says how it is called", async ({ name, file }) => {
    const { code, out } = await run(file, "--help");
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^npm (run )?${name}\\b`));
  });

  // Options of `npm test` are vitest's, and `npm run dev` takes none.
  test.each(ours.filter(({ name }) => name !== "test" && name !== "dev"))(
    "npm run $name refuses what it does not know, without a stack",
    async ({ name, file }) => {
      const { code, err } = await run(file, "--no-such-option");
      expect(code).toBe(2);
      expect(err).toMatch(/^Unknown option '--no-such-option'/);
      expect(err).toContain(`npm run ${name}`);
      expect(err).not.toMatch(/^\s+at /m);
    },
  );

  test("npm run dev lists its commands with a line each, and runs them with their arguments", async () => {
    const { code, out } = await run("scripts/dev.ts");
    expect(code).toBe(0);
    for (const [name, { says }] of Object.entries(COMMANDS))
      expect(out).toMatch(new RegExp(`^  ${name} +${says}$`, "m"));
    const refused = await run("scripts/dev.ts", "examples", "no-such-example");
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('"no-such-example" is not known here.');
  });

  test.each([
    ["diferential", 'Did you mean "differential"?'],
    ["prove", "Run `npm run prove`."],
    ["xyzzy", "Give one of gen, format, "],
  ])("npm run dev -- %s says what to run", async (name, says) => {
    const { code, err } = await run("scripts/dev.ts", name);
    expect(code).toBe(2);
    expect(err).toContain(`There is no command "${name}". ${says}`);
  });

  test.each([
    ["prove", "no-such-experiment"],
    ["prove", "--minutes=soon"],
    ["bench", "no-such-case"],
    ["examples", "no-such-example"],
    ["conformance", "--dialect=no-such-dialect"],
    ["against", "--dialect=no-such-dialect", "cat"],
    ["demo", "a-word-too-many"],
  ])("%s %s names what is wrong", async (name, ...words) => {
    const { code, err } = await run(`scripts/${name}.ts`, ...words);
    expect(code).toBe(2);
    expect(err).toMatch(/no-such|soon|a-word/);
    expect(err).not.toMatch(/^\s+at /m);
  });
});
