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
/** What has been fetched by name; the folder is a home of hookline's that nothing else is in. */
const FETCHED = join(root, ".cache/third-party");
/** Most of an exercise is waiting. */
const AT_ONCE = 3;

/** One entry of the list. */
interface Wanted {
  readonly one: Package;
  readonly listed: Listed;
}

const { values } = commandLine({
  name: "third-party",
  says: "Runs what other people have published, fetched by name and version.",
  options: {
    write: { type: "boolean", says: `writes ${PAGE}` },
    json: { type: "boolean", says: "the result as JSON" },
    pi: { type: "boolean", says: "beside the real pi too; --write does so anyway" },
    only: { type: "string", value: "TEXT", says: "only those whose name or path has this in it" },
    "cut-off": { type: "boolean", says: "does not fetch; the script calls itself so, without a network" },
  },
});
const list = readList();
const wanted = list.packages.flatMap((one) =>
  (one.extensions ?? [one])
    .filter(({ path = one.name }) => values.only === undefined || `${one.name} ${path}`.includes(values.only))
    .map((listed): Wanted => ({ one, listed })),
);
if (values["cut-off"] === true) await exerciseAll();
else {
  await Promise.all([buildRuntime(), buildAgent()]);
  fetchAll();
  await cutOff();
}

function fetchAll(): void {
  peerFolder(PI.name, PI.version);
  for (const one of new Set(wanted.map((each) => each.one))) {
    if (one.extensions !== undefined) peerFolder(one.name, one.version);
    else if (!existsSync(folderOf(one))) {
      const command = [join(root, "packages/hookline/bin/hookline.js"), "packages", "fetch", sourceOf(one)];
      const env = { ...process.env, HOOKLINE_HOME: FETCHED };
      const { status, stderr } = spawnSync(process.execPath, command, { env, cwd: tmpdir(), encoding: "utf8" });
      if (status !== 0) throw new Error(`${sourceOf(one)} could not be fetched: ${stderr}`);
    }
  }
  for (const each of wanted.filter(({ listed }) => listed.installs === true)) install(each);
}

/** Copies an extension's folder out of its package and installs there what its own manifest asks for. */
function install({ one, listed }: Wanted): void {
  const copy = dirname(extensionOf({ one, listed }));
  if (existsSync(join(copy, "node_modules"))) return;
  cpSync(dirname(join(peerFolder(one.name, one.version), listed.path ?? "")), copy, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--legacy-peer-deps", "--loglevel=error"];
  const { status, stderr } = spawnSync("npm", ["install", ...flags], { cwd: copy, encoding: "utf8" });
  if (status !== 0) throw new Error(`what ${listed.path} needs could not be installed: ${stderr}`);
}

/** Somebody else's code: without a network, but for the loopback, where that can be had. */
async function cutOff(): Promise<void> {
  const inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const isPossible = (await run([...inside, "true"], tmpdir(), { PATH: process.env["PATH"] ?? "" })).code === 0;
  const self = ["--conditions=hookline-source", import.meta.filename, "--cut-off", ...process.argv.slice(2)];
  if (!isPossible) process.exitCode = await step("node", self);
  else {
    const [program = "", ...args] = [...inside, process.execPath, ...self];
    process.exitCode = spawnSync(program, args, { cwd: root, stdio: "inherit" }).status ?? 1;
  }
}

async function exerciseAll(): Promise<void> {
  const compares = values.pi === true || values.write === true;
  const pi = compares ? realPi(peerFolder(PI.name, PI.version)) : undefined;
  const bare = { packages: join(FETCHED, "packages"), own: new Set<string>() };
  const baselines = await Promise.all(
    [hookline, ...(pi === undefined ? [] : [pi])].map((one) => exercise(one, undefined, bare)),
  );
  const own = new Set(baselines.flatMap(({ tools, commands }) => [...tools, ...commands]));
  const means: Means = { ...bare, own, pi };
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < wanted.length; at = next++) {
      const { one, listed } = wanted[at] as Wanted;
      const given = { extension: extensionOf({ one, listed }), folder: folderOf(one) };
      const outcome = await outcomeOf(one, listed, given, means);
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

/** What `-e` is given for an entry. */
function extensionOf({ one, listed: { path, installs } }: Wanted): string {
  if (path === undefined) return sourceOf(one);
  const copies = join(FETCHED, "copies", `${one.name.replace("/", "+")}@${one.version}`);
  return join(installs === true ? copies : peerFolder(one.name, one.version), path);
}

function sourceOf({ name, version }: Package): string {
  return `npm:${name}@${version}`;
}

function folderOf({ name, version }: Package): string {
  return join(FETCHED, "packages/npm", `${name.replace("/", "+")}@${version}`, "node_modules", name);
}
