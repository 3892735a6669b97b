import { spawnSync } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { peerFolder } from "../bench/peer.ts";
import { buildAgent, buildRuntime } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";
import { exercise } from "./third-party/exercise.ts";
import { type Listed, type Package, readList } from "./third-party/list.ts";
import { type Means, type Outcome, outcomeOf } from "./third-party/outcome.ts";
import { page } from "./third-party/page.ts";
import { hookline, realPi } from "./third-party/program.ts";
import { run } from "./third-party/run.ts";

const PAGE = "docs/reference/third-party.md";
const PI = { name: "@earendil-works/pi-coding-agent", version: "0.87.1" };
/** Folder for packages that are fetched by name, used as a home folder of hookline. */
const FETCHED = join(root, ".cache/third-party");
/** The number of exercises that run at once; each mostly waits. */
const AT_ONCE = 3;

/** An entry of the list to exercise. */
interface Wanted {
  readonly one: Package;
  readonly listed: Listed;
}

const { values } = commandLine({
  name: "third-party",
  says: "Runs published third-party packages, fetched by name and version.",
  options: {
    write: { type: "boolean", says: `writes ${PAGE}` },
    json: { type: "boolean", says: "the result as JSON" },
    pi: { type: "boolean", says: "also compare with the real pi; implied by --write" },
    clones: { type: "string", value: "FOLDER", says: "a folder with clones of the listed repositories, as OWNER+NAME" },
    claude: {
      type: "string",
      value: "FOLDER",
      says: "run hooks of Claude Code instead, from a folder with clones of their repositories",
    },
    only: { type: "string", value: "TEXT", says: "only those whose name or path contains this" },
    "cut-off": {
      type: "boolean",
      says: "do not fetch; the script passes this to itself when it runs without a network",
    },
  },
});
const list = readList();
const wanted = list.packages
  .filter(({ clone }) => clone !== true || values.clones !== undefined)
  .flatMap((one) =>
    (one.extensions ?? [one])
      .filter(({ path = one.name }) => values.only === undefined || `${one.name} ${path}`.includes(values.only))
      .map((listed): Wanted => ({ one, listed })),
  );
if (values["cut-off"] === true)
  await (values.claude === undefined ? exerciseAll() : exerciseClaudeHooks(values.claude));
else if (values.claude !== undefined) await cutOff();
else {
  await Promise.all([buildRuntime(), buildAgent()]);
  fetchAll();
  await cutOff();
}

function fetchAll(): void {
  peerFolder(PI.name, PI.version);
  for (const one of new Set(wanted.map((each) => each.one))) {
    if (one.clone === true) takeClone(one);
    else if (one.extensions !== undefined) peerFolder(one.name, one.version);
    else if (!existsSync(folderOf(one))) {
      const command = [join(root, "packages/hookline/bin/hookline.js"), "packages", "fetch", sourceOf(one)];
      const env = { ...process.env, HOOKLINE_HOME: FETCHED };
      const { status, stderr } = spawnSync(process.execPath, command, { env, cwd: tmpdir(), encoding: "utf8" });
      if (status !== 0) throw new Error(`${sourceOf(one)} could not be fetched: ${stderr}`);
    }
  }
  for (const { one, listed } of wanted.filter((each) => each.listed.installs === true && each.one.clone !== true)) {
    const copy = dirname(join(copyOf(one), listed.path ?? ""));
    if (existsSync(join(copy, "node_modules"))) continue;
    // Copies the extension out of its package, as a person would do.
    cpSync(dirname(join(peerFolder(one.name, one.version), listed.path ?? "")), copy, { recursive: true });
    install(copy);
  }
}

/** Copies a clone at its commit, and installs its dependencies. */
function takeClone(one: Package): void {
  const copy = copyOf(one);
  if (existsSync(copy)) return;
  const clone = join(values.clones ?? "", one.name.split("/").slice(1).join("+"));
  const found = spawnSync("git", ["-C", clone, "rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim();
  if (found !== one.version)
    throw new Error(
      `${clone} is ${found === "" ? "no clone" : `at ${found}`}; clone ${one.name} there at ${one.version}.`,
    );
  cpSync(clone, copy, { recursive: true });
  if (one.installs === true) install(copy);
}

/** Installs the dependencies of a folder. */
function install(copy: string): void {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--legacy-peer-deps", "--loglevel=error"];
  const { status, stderr } = spawnSync("npm", ["install", ...flags], { cwd: copy, encoding: "utf8" });
  if (status !== 0) throw new Error(`what ${copy} needs could not be installed: ${stderr}`);
}

/** Starts itself again without a network except loopback, if the system supports that, for third-party code. */
async function cutOff(): Promise<void> {
  // Processes that hooks leave running are killed with their process namespace.
  const inside = [
    "unshare",
    "-n",
    "-p",
    "-f",
    "--mount-proc",
    "--kill-child",
    "sh",
    "-c",
    'ip link set lo up && exec "$@"',
    "sh",
  ];
  const isPossible = (await run([...inside, "true"], tmpdir(), { PATH: process.env["PATH"] ?? "" })).code === 0;
  const self = ["--conditions=hookline-source", import.meta.filename, "--cut-off", ...process.argv.slice(2)];
  if (!isPossible) process.exitCode = await step("node", self);
  else {
    const [program = "", ...args] = [...inside, process.execPath, ...self];
    process.exitCode = spawnSync(program, args, { cwd: root, stdio: "inherit" }).status ?? 1;
  }
}

async function exerciseClaudeHooks(clones: string): Promise<void> {
  const { exerciseClaude } = await import("./third-party/claude/main.ts");
  process.exitCode = await exerciseClaude(clones, values);
}

async function exerciseAll(): Promise<void> {
  const compares = values.pi === true || values.write === true;
  const pi = compares ? realPi(peerFolder(PI.name, PI.version)) : undefined;
  const bare = { packages: join(FETCHED, "packages"), own: new Set<string>() };
  const baselines = await Promise.all(
    [hookline, ...(pi === undefined ? [] : [pi])].map((one) => exercise(one, [], bare)),
  );
  const own = new Set(baselines.flatMap(({ tools, commands }) => [...tools, ...commands]));
  const means: Means = { ...bare, own, pi };
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < wanted.length; at = next++) {
      const { one, listed } = wanted[at] as Wanted;
      const outcome = await outcomeOf(one, listed, sourcesOf({ one, listed }), means);
      outcomes[at] = outcome;
      if (values.json !== true) process.stdout.write(lineOf(outcome));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const wrong = outcomes.filter(({ asListed }) => !asListed);
  if (values.write === true) writeFileSync(join(root, PAGE), page(list, outcomes));
  if (values.json === true) process.stdout.write(`${JSON.stringify({ outcomes, wrong: wrong.length })}\n`);
  else process.stdout.write(`${outcomes.length - wrong.length} as listed, ${wrong.length} not\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function lineOf(outcome: Outcome): string {
  const { asListed, path = outcome.package, asked, failed, calls, tools, commands, problems, unlike = [] } = outcome;
  const counts = `${asked} asked ${failed} failed, ${calls} calls of ${tools.length} tools, ${commands.length} commands`;
  const notes = asListed ? [] : [...problems, ...unlike];
  return [
    `${asListed ? "ok    " : "FAILED"}  ${path.padEnd(52)} ${counts}`,
    ...notes.map((note) => `        ${note}`),
    "",
  ].join("\n");
}

/** Returns the values of `-e` for an entry, for hookline and for pi. */
function sourcesOf({ one, listed: { path, installs } }: Wanted): Record<"extensions" | "there", readonly string[]> {
  if (one.clone === true) {
    const paths = (one.paths ?? ["."]).map((own) => join(copyOf(one), own));
    return { extensions: paths, there: paths };
  }
  if (path === undefined) return { extensions: [sourceOf(one)], there: [folderOf(one)] };
  const full = join(installs === true ? copyOf(one) : peerFolder(one.name, one.version), path);
  return { extensions: [full], there: [full] };
}

function copyOf({ name, version }: Package): string {
  return join(FETCHED, "copies", `${name.replaceAll("/", "+")}@${version}`);
}

function sourceOf({ name, version }: Package): string {
  return `npm:${name}@${version}`;
}

function folderOf({ name, version }: Package): string {
  return join(FETCHED, "packages/npm", `${name.replace("/", "+")}@${version}`, "node_modules", name);
}
