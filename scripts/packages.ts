import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAgent, buildFleet, buildGuards, buildRuntime } from "./build.ts";
import { buildConformance } from "./build-conformance.ts";
import { commandLine } from "./command-line.ts";
import { makeDeclarations } from "./declarations.ts";
import { footprintOf, judged } from "./footprint.ts";
import { GUARDS } from "./guards.ts";
import { Newcomer } from "./newcomer.ts";
import { root } from "./step.ts";
import { useClient } from "./use-client.ts";
import { useConformance } from "./use-conformance.ts";
import { useFleet } from "./use-fleet.ts";
import { useOver } from "./use-over.ts";
import { type Tarballs, tryWay, WAYS } from "./ways.ts";

/** The packages with types, each with its unpublished entries that only packages of this repository import. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  runtime: ["engine", "session", "past"],
  guards: ["parts", "settings"],
};

/** The largest allowed size of each package, packed and installed, in kilobytes. */
const BUDGETS = {
  runtime: { packed: 685, unpacked: 2370 },
  guards: { packed: 170, unpacked: 560 },
  // The client of MCP servers and the telemetry exporter are half a megabyte each. Both are loaded when first used,
  // like the guards, the bridge into nine other agents and the inspector's page.
  hookline: { packed: 2450, unpacked: 11_000 },
  fleet: { packed: 160, unpacked: 620 },
  conformance: { packed: 400, unpacked: 4000 },
} as const;

/** The most types that a compiler may load for the smallest embedding. */
const TYPES = 45_000;

/** Strict compiler options of a careful user. The names of type packages follow `--types`. */
const STRICTLY = [
  ...["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2024"],
  ...["--module", "nodenext", "--types"],
];

/** Packs the packages, checks their contents, installs them in an empty folder as a user would, and uses them there. */
commandLine({ name: "check:packages", says: "Checks the packed packages as a user installs them." });
let passed = 0;
let failed = 0;
await Promise.all([buildRuntime(), buildGuards(), buildFleet(), buildAgent(), buildConformance()]);
check("the declarations are made", (await makeDeclarations()) === 0);
const place = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-pack-")));
try {
  const tarballs = {
    runtime: pack("runtime"),
    guards: pack("guards"),
    hookline: pack("hookline"),
    fleet: pack("fleet"),
    conformance: pack("conformance"),
  };
  measure(tarballs.hookline);
  for (const [what, holds] of useConformance(place, tarballs)) check(what, holds);
  for (const [what, holds] of useClient(place, tarballs.hookline, versionOf("hookline"))) check(what, holds);
  for (const [what, holds] of await useFleet(place, tarballs, versionOf("hookline"))) check(what, holds);
  for (const [what, holds] of useOver(place, tarballs.hookline, versionOf("hookline"))) check(what, holds);
  install([tarballs.runtime, tarballs.guards, tarballs.hookline]);
  useCommandLine();
  useLibrary();
  useGuards();
  useIntegration();
  checkTypes();
  await askGuards({ runtime: join(place, tarballs.runtime), hookline: join(place, tarballs.hookline) });
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Packs one package; returns the file name. */
function pack(name: keyof typeof BUDGETS): string {
  const folder = join(root, "packages", name);
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", place], folder)) as {
    readonly filename: string;
    readonly size: number;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (packed === undefined) throw new Error(`npm did not pack ${name}`);
  const { size, unpackedSize, files, filename } = packed;
  const budget = BUDGETS[name];
  const sizes = `${kilo(size)} KB packed (budget ${budget.packed}), ${kilo(unpackedSize)} KB unpacked (${budget.unpacked})`;
  check(`${name}: ${sizes}`, kilo(size) <= budget.packed && kilo(unpackedSize) <= budget.unpacked);
  const paths = files.map(({ path }) => path);
  for (const wanted of ["README.md", "LICENSE"]) check(`${name} has its ${wanted}`, paths.includes(wanted));
  const strange = paths.filter((path) => /(^|\/)(src|test|node_modules)\/|\.tsbuildinfo$|\.map$/.test(path));
  check(
    `${name} has nothing but what is needed${strange.length > 0 ? `: ${strange.join(", ")}` : ""}`,
    strange.length === 0,
  );
  check(`${name}: publint`, tool("publint", ["--strict", folder]));
  // CommonJS programs use import() for ES modules; older resolution is not supported.
  const within = WITHIN[name];
  if (within !== undefined)
    check(
      `${name}: types as they are resolved`,
      tool("attw", ["--pack", folder, "--profile", "esm-only", "--exclude-entrypoints", ...within]),
    );
  return filename;
}

/** Measures what `npm install -g hookline` installs; no package may need an install script. */
function measure(hookline: string): void {
  const prefix = join(place, "global");
  run(
    "npm",
    ["install", "-g", "--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund", `./${hookline}`],
    place,
  );
  const { says, holds } = judged(footprintOf(prefix));
  check(`npm install -g hookline installs ${says}`, holds);
}

function install(tarballs: readonly string[]): void {
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  // No package may need an install script.
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tarballs.map((name) => `./${name}`)], place);
  check("notices of bundled packages", statSync(installed("hookline/dist/THIRD-PARTY-NOTICES.txt")).size > 10_000);
}

/** Uses the installed command line. */
function useCommandLine(): void {
  const home = join(place, "home");
  mkdirSync(join(home, ".pi/agent/extensions"), { recursive: true });
  writeFileSync(
    join(home, ".pi/agent/extensions/guard.ts"),
    'export default (pi: any) => pi.on("tool_call", (event: { toolName: string }) => ({ block: event.toolName === "write", reason: "read only" }));\n',
  );
  writeFileSync(
    join(place, "script.yaml"),
    "replies:\n  - toolCalls: [{ name: write, arguments: { path: made.txt, content: x } }]\n  - text: it was refused\n",
  );
  const hookline = (...args: string[]): string =>
    run(process.execPath, [installed("hookline/bin/hookline.js"), ...args], place, { HOME: home });
  check("the command line says its version", /^\d+\.\d+\.\d+$/.test(hookline("--version").trim()));
  check("a prompt is answered", hookline("-p", "--script", "script.yaml", "go").trim() === "it was refused");
  check("a hook of TypeScript refused the tool", !existsSync(join(place, "made.txt")));
  const { summary } = JSON.parse(hookline("hooks", "--json")) as { readonly summary: { readonly runs: number } };
  check("the hook is in the report", summary.runs === 1);
  hookline("hooks", "init", "jcli");
  check("an example hook is written", existsSync(join(place, ".jcli/hooks.yaml")));
}

/** Imports each public name of the library, and runs the sample in its README. */
function useLibrary(): void {
  writeFileSync(join(place, "readme.mjs"), sampleOf("packages/runtime/README.md"));
  check("the README's program", run(process.execPath, ["readme.mjs"], place).trim() === "deny no shell here");
  writeFileSync(join(place, "reading.mjs"), sampleOf("docs/explanation/commands.md"));
  check("the reader of commands", run(process.execPath, ["reading.mjs"], place).includes("certain rm build"));
  writeFileSync(join(place, "guard.yaml"), 'pre_send_message:\n  - command: echo \'{"user_input":"changed"}\'\n');
  writeFileSync(
    join(place, "testing.mjs"),
    'import { readFileSync } from "node:fs";\nimport { testHooks } from "@hookline/runtime/testing";\nconst hooks = await testHooks({ files: ["guard.yaml"] });\nconst { answer } = await hooks.emit("prompt.before", { text: "hello" });\nconsole.log(answer.text);\nif (process.platform === "linux") console.log(readFileSync("/proc/self/maps", "utf8").includes("koffi.node"));\nawait hooks.close();\n',
  );
  const [text, isNative = "true"] = run(process.execPath, ["testing.mjs"], place).trim().split("\n");
  check("the test harness", text === "changed");
  check("the system's library starts the programs", isNative === "true");
}

/** Returns the first code sample of a page. */
function sampleOf(page: string): string {
  const [, sample = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, page), "utf8")) ?? [];
  return sample;
}

/**
 * Runs the sample of the guards' README in a project: the same command must be refused only if it would lose something.
 */
function useGuards(): void {
  writeFileSync(join(place, "guarded.mts"), sampleOf("packages/guards/README.md"));
  const project = join(place, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/app.ts"), "// Work of a morning.\n");
  const git = (...args: string[]): string =>
    run("git", ["-c", "user.name=user", "-c", "user.email=user@example.com", ...args], project);
  const sample = (): string =>
    run(process.execPath, [join(place, "guarded.mts")], project, { HOME: join(place, "home") });
  git("init", "--quiet");
  const [refused, passed] = [sample(), git("add", ".") + git("commit", "--quiet", "-m", "work") + sample()];
  check(
    "the guards' README: what exists nowhere else is not deleted",
    /^refused: .*`rm -rf src` would delete src\/app\.ts/.test(refused),
  );
  check("and the same command passes once it is committed", passed === "passed: rm -rf src would run here\n");
}

/**
 * Compiles the example of an integration strictly, and runs it: a new agent has hooks, and is a host for the bridge.
 */
function useIntegration(): void {
  const folder = join(place, "own-integration");
  cpSync(join(root, "examples/own-integration"), folder, { recursive: true });
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const options = [...STRICTLY, "node", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions"];
  check(
    "an integration from outside passes the strict compiler",
    tool("tsc", [...options, ...files.map((name) => join(folder, name))]),
  );
  const said = run(process.execPath, ["check.ts"], folder);
  check(
    "and its hooks and everybody else's refuse in it",
    said.split("\n").filter((line) => line.startsWith("refused")).length === 2,
  );
}

/**
 * Checks the types of a three-line embedding with all declarations that it loads. A compiler's time depends on the
 * number of types; TypeScript's own library has 32,000.
 */
function checkTypes(): void {
  const lines = [
    'import { createRuntime } from "@hookline/runtime";',
    'const session = await createRuntime().open({ scene: { sessionId: "1", cwd: "." } });',
    'export const outcome = await session.emit("prompt.before", { text: "hello" });',
  ];
  writeFileSync(join(place, "embed.ts"), `${lines.join("\n")}\n`);
  const { status, stdout } = spawnSync(
    join(root, "node_modules/.bin/tsc"),
    [...STRICTLY, "", "--listFiles", "--extendedDiagnostics", "embed.ts"],
    { cwd: place, encoding: "utf8" },
  );
  const types = Number(/^Types:\s*(\d+)/m.exec(stdout)?.[1]);
  check(`an embedding of three lines has the right types: ${types} (budget ${TYPES})`, status === 0 && types <= TYPES);
  const others = stdout
    .split("\n")
    .filter((path) => /node_modules\/(?!@hookline\/runtime\/|.*\/lib\.[\w.]+\.d\.ts$)/.test(path));
  check(
    `and brings no other package's declarations along${others.map((path) => `\n  ${path}`).join("")}`,
    others.length === 0,
  );
  const guarded = [...STRICTLY, "node", "--exactOptionalPropertyTypes"];
  check("the guards' sample passes the strict compiler", tool("tsc", [...guarded, join(place, "guarded.mts")]));
}

/**
 * For each kind of guard and each way of installing the packages: checks that the guard refuses a call, and that the
 * call runs without the guard.
 */
async function askGuards(tarballs: Tarballs): Promise<void> {
  const person = new Newcomer(process.execPath);
  try {
    for (const way of WAYS) {
      const problems = await tryWay(way, tarballs, person);
      check(`${way.what}: ${GUARDS.length} guards refuse, and without one the call runs`, problems.length === 0);
      for (const problem of problems) process.stderr.write(`${problem}\n`);
    }
  } finally {
    person.leave();
  }
}

function versionOf(name: string): string {
  return (JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as { version: string })
    .version;
}

function installed(path: string): string {
  return join(place, "node_modules", path);
}

function kilo(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

/** Runs one of our checkers; prints its output if it fails. */
function tool(name: string, args: readonly string[]): boolean {
  const result = spawnSync(join(root, "node_modules/.bin", name), [...args], { cwd: root, encoding: "utf8" });
  if (result.status !== 0) process.stderr.write(result.stdout + result.stderr);
  return result.status === 0;
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): string {
  // The packages' programs write caches into the home folder, so they get a separate one. npm and git need the
  // person's.
  const home = program === process.execPath ? { HOME: join(place, "home") } : {};
  const result = spawnSync(program, [...args], { cwd, encoding: "utf8", env: { ...process.env, ...home, ...env } });
  if (result.status !== 0) check(`${program} ${args.join(" ")}: ${result.stderr}`, false);
  return result.stdout;
}

function check(what: string, holds: boolean): void {
  process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${what}\n`);
  if (holds) passed += 1;
  else failed += 1;
}
