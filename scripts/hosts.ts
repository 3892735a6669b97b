import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../packages/ground/src/io/table.ts";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { isTrue } from "./hosts/cells.ts";
import { MODELS, REAL, type RealHost } from "./hosts/real.ts";
import { differences, keepRuns } from "./hosts/results.ts";
import { type HostRun, runHost } from "./hosts/run.ts";
import { root } from "./step.ts";

/** Folder of the results, with a file for each host, version and model. */
const KEPT = join(root, ".cache/hosts");

const { values, refuse } = commandLine({
  name: "hosts",
  says: "Runs guards of five dialects in real agents behind the bridge, with a scripted model under several models' names: what was promised, and what happened.",
  options: {
    only: { type: "string", value: "HOST,…", says: "only these agents" },
    models: { type: "string", value: "MODEL,…", says: "only these models" },
    resume: { type: "boolean", says: "keep what an earlier run of the same build has found without a problem" },
    newest: { type: "boolean", says: "run the newest versions on the registry instead, and print what differs" },
    write: { type: "boolean", says: "keep the results for the documentation, and the names that the agents use" },
    json: { type: "boolean", says: "print the cells as JSON" },
  },
});
const chosen = listed(values.only) ?? REAL.map(({ name }) => name);
const strange = chosen.filter((name) => !REAL.some((host) => host.name === name));
if (strange.length > 0) refuse(`"${strange.join(`", "`)}" is not known here.`);
await buildAgent();
const build = buildOf(join(root, "packages/hookline/dist"), join(root, "scripts/hosts"));
const runs: HostRun[] = [];
const differs: string[] = [];
for (const host of REAL.filter(({ name }) => chosen.includes(name)))
  for (const version of values.newest === true ? newestOf(host) : host.versions)
    for (const model of listed(values.models) ?? [...MODELS, ...(host.models ?? [])]) {
      const path = join(KEPT, `${host.name}@${version}`, `${model}.json`);
      const kept = values.resume === true ? keptIn(path) : undefined;
      const run = kept ?? (await runHost(host, { version, model }));
      keep(path, run);
      runs.push(run);
      if (values.json !== true) process.stdout.write(lineOf(run));
      differs.push(...(await differences(run)));
    }
if (values.write === true) await keepRuns(runs);
const wrong = runs.flatMap(wrongIn);
if (values.json === true) process.stdout.write(`${JSON.stringify({ runs }, null, 2)}\n`);
else process.stdout.write(differs.map((line) => `${line}\n`).join(""));
if (values.json !== true)
  process.stdout.write(wrong.length === 0 ? "Every guard did what the report says.\n" : `\n${table(wrong)}`);
process.exitCode = wrong.length === 0 && runs.length > 0 ? 0 : 1;

function listed(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").filter((one) => one !== "");
}

/** Returns the newest version of a host in the registry. */
function newestOf(host: RealHost): readonly string[] {
  const { stdout, stderr } = spawnSync("npm", ["view", host.package, "version"], { encoding: "utf8" });
  const version = stdout.trim();
  if (version === "") throw new Error(`npm does not say the newest version of ${host.package}: ${stderr}`);
  return [version];
}

/** Describes the result of a run in a line. */
function lineOf(run: HostRun): string {
  const { host, version, model, seconds, cells } = run;
  const tried = cells.filter(({ happened }) => happened !== "none");
  const count = (what: string): number => tried.filter(({ happened }) => happened === what).length;
  const acts = new Set(tried.map(({ act }) => act)).size;
  const said = tried.filter((cell) => cell.happened === "lost" && isTrue(cell)).length;
  return `${`${host} ${version}`.padEnd(17)} ${model.padEnd(18)} ${acts} acts, ${tried.length} cells: ${count("works")} work, ${said} lost as the report says, ${wrongIn(run).length} wrong; ${seconds} s\n`;
}

/** Returns the lines about results that differ from the report. */
function wrongIn({ host, version, model, cells, problems }: HostRun): string[][] {
  const at = [`${host} ${version}`, model];
  return [
    ...cells
      .filter((cell) => !isTrue(cell))
      .map(({ act, dialect, promised, happened, by = "" }) => [
        ...at,
        act,
        dialect,
        `promised: ${promised}`,
        happened,
        by,
      ]),
    ...problems.map((problem) => [...at, "", "", problem]),
  ];
}

/** Returns a hash of the tested build: the built program and these scripts. */
function buildOf(...folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
      if (/\.[jt]s$/.test(name)) hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

function keptIn(path: string): HostRun | undefined {
  if (!existsSync(path)) return undefined;
  const { build: of, run } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly build: string;
    readonly run: HostRun;
  };
  return of === build && run.problems.length === 0 ? run : undefined;
}

function keep(path: string, run: HostRun): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ build, run }, null, 1)}\n`);
}
