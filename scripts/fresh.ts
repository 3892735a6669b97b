import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { VERSION } from "../packages/ground/src/error/version.ts";
import { buildAgent, buildRuntime } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { makeDeclarations } from "./declarations.ts";
import { DATA, type Done, freshPage, PAGE } from "./fresh-page.ts";
import { GUARDS } from "./guards.ts";
import { Newcomer } from "./newcomer.ts";
import { root } from "./step.ts";
import { type Tarballs, tryWay, WAYS } from "./ways.ts";

const { values, refuse } = commandLine({
  name: "fresh",
  says: "Does what a newcomer does, and times it: the README's commands, literally, in a clone of the last commit,\nand the packed packages in an empty folder. Each time the home folder is empty, and only the system's programs, git,\nnpm and a Node are available.",
  options: {
    node: { type: "string", value: "VERSION", says: "the newcomer's Node, from npm; default: the system's" },
    rounds: { type: "string", value: "N", says: "number of rounds; default: 1" },
    quick: { type: "boolean", says: "without the tests of the clone, which take most of the time" },
    packed: { type: "boolean", says: "only the packages" },
    write: { type: "boolean", says: `keeps the times in ${PAGE}` },
  },
});
const rounds = Number(values.rounds ?? 1);
if (!Number.isInteger(rounds) || rounds < 1) refuse(`--rounds wants a whole number above 0, not "${values.rounds}".`);

const SCRIPT = `replies:
  - toolCalls: [{ name: write, arguments: { path: made.txt, content: made } }]
  - text: It is made.
`;
const WANTED_NODE = [22, 19] as const;

const done = new Map<string, Omit<Done, "what">>();
const newcomer = new Newcomer(values.node);
let node = "";
try {
  node = (await newcomer.run("node --version", newcomer.top, newcomer.home())).output.trim();
  process.stdout.write(`The newcomer's Node is ${node}, in ${rounds} round${rounds === 1 ? "" : "s"}.\n`);
  await Promise.all([buildRuntime(), buildAgent()]);
  if ((await makeDeclarations()) !== 0) throw new Error("The types do not build.");
  const tarballs = { runtime: pack("runtime"), hookline: pack("hookline") };
  for (let round = 1; round <= rounds; round += 1) {
    if (values.packed !== true) await followReadme(round);
    await usePackages(round, tarballs);
    await askGuards(tarballs);
  }
} finally {
  newcomer.leave();
}
const rows: Done[] = [...done].map(([what, { times, result, ok }]) => ({
  what,
  times: times.map((seconds) => Math.round(seconds * 10) / 10),
  result,
  ok,
}));
const failed = rows.filter(({ ok }) => !ok).length;
if (values.write === true) {
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`;
  const kept = {
    date: new Date().toISOString().slice(0, 10),
    version: VERSION,
    machine,
    node,
    load: Math.round(loadavg()[2] ?? 0),
    rounds,
    rows,
  };
  writeFileSync(join(root, DATA), `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(join(root, PAGE), freshPage(kept));
}
process.stdout.write(`${rows.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * Follows each of the README's two command lists in its own clone, and in the first clone also the steps that put
 * hookline on the PATH.
 */
async function followReadme(round: number): Promise<void> {
  const lines = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^ {4}(npm (?:ci|run build) && .*)$/gm)];
  const [demo = "", install = "", test = "", ...others] = lines.map(([, line = ""]) => line);
  if (!demo.endsWith("npm run demo") || !test.endsWith("npm test") || !install.includes("-g") || others.length > 0)
    throw new Error(`README.md does not have the demo, the installation and the tests, but:\n${lines.join("\n")}`);
  if (!readFileSync(join(root, "docs/guide/install.md"), "utf8").includes(`    ${install}\n`))
    throw new Error(`docs/guide/install.md has another command than README.md: ${install}`);
  const home = newcomer.home();
  const clone = await cloned(`demo-${round}`, home);
  await time(demo, demo, clone, home, (output) => lastMatch(output, /^house-rules\.ts#context .*$/gm));
  await time(install, install, clone, home, (output) => lastMatch(output, /added \d+ packages/g));
  const [told, code] = isOld(node) ? ([/needs Node \S+/g, 1] as const) : ([/^\d+\.\d+\.\d+$/gm, 0] as const);
  await time("hookline --version", "hookline --version", newcomer.top, home, (output) => lastMatch(output, told), code);
  if (values.quick === true) return;
  const another = newcomer.home();
  await time(test, test, await cloned(`test-${round}`, another), another, (output) =>
    lastMatch(output, /^\d+ passed, \d+ failed, \d+ skipped$/gm),
  );
}

async function cloned(name: string, home: string): Promise<string> {
  const clone = join(newcomer.top, name);
  await time("git clone", `git clone --quiet 'file://${root}' '${clone}'`, newcomer.top, home, () => "the last commit");
  return clone;
}

/** Installs, runs and imports the packed packages in an empty folder. */
async function usePackages(round: number, tarballs: Tarballs): Promise<void> {
  const folder = newcomer.folder(`empty-${round}`);
  const home = newcomer.home();
  const use = (line: string, tells: (output: string) => string | undefined): Promise<void> =>
    time(line, line, folder, home, tells);
  await time(
    "npm install of both tarballs",
    `npm install ${Object.values(tarballs)
      .map((path) => `'${path}'`)
      .join(" ")}`,
    folder,
    home,
    (output) => lastMatch(output, /added \d+ packages/g),
  );
  if (isOld(node)) {
    const [what, line] = ["npx hookline --version, on this Node", "npx hookline --version"];
    await time(what, line, folder, home, (output) => lastMatch(output, /needs Node .* npm install \S+/g), 1);
    await use(`npm install node-${process.platform}-${process.arch}`, (output) =>
      lastMatch(output, /added \d+ packages?/g),
    );
  }
  await use("npx hookline --version", (output) => lastMatch(output, /^\d+\.\d+\.\d+$/gm));
  writeFileSync(join(folder, "script.yaml"), SCRIPT);
  await use('npx hookline --script script.yaml -p "Make it"', (output) =>
    output.includes("It is made.") && readFileSync(join(folder, "made.txt"), "utf8") === "made"
      ? "the scripted answer"
      : undefined,
  );
  await use("npx hookline hooks init jcli", (output) => lastMatch(output, /\.jcli\/hooks\.yaml/g));
  await use("npx hookline hooks", (output) => lastMatch(output, /\d+ found, \d+ run/g));
  const [, program = ""] =
    /```ts\n(.*?)```/s.exec(readFileSync(join(root, "packages/runtime/README.md"), "utf8")) ?? [];
  writeFileSync(join(folder, "embed.mjs"), program);
  await use("npx node embed.mjs", (output) =>
    output.includes("deny no shell here") ? "deny no shell here" : undefined,
  );
}

/** Installs the packages in each common way, and makes a guard of every kind refuse a call there. */
async function askGuards(tarballs: Tarballs): Promise<void> {
  const able = isOld(node) ? new Newcomer(process.execPath) : newcomer;
  try {
    for (const way of WAYS) {
      const started = performance.now();
      const problems = await tryWay(way, tarballs, able);
      const told = problems.length === 0 ? `${GUARDS.length} guards refused` : undefined;
      note(
        way.what,
        { ok: told !== undefined, told, seconds: (performance.now() - started) / 1000 },
        problems.join("\n"),
      );
    }
  } finally {
    if (able !== newcomer) able.leave();
  }
}

/** Runs a line and records its duration; prints its output if that is not as expected. */
async function time(
  what: string,
  line: string,
  cwd: string,
  home: string,
  tells: (output: string) => string | undefined,
  wanted = 0,
): Promise<void> {
  const { code, output, seconds } = await newcomer.run(line, cwd, home);
  const told = tells(output);
  note(what, { ok: code === wanted && told !== undefined, told: told ?? `ended with ${code}`, seconds }, output);
}

function note(
  what: string,
  { ok, told = "failed", seconds }: { ok: boolean; told: string | undefined; seconds: number },
  output: string,
): void {
  const before = done.get(what);
  done.set(what, {
    times: [...(before?.times ?? []), seconds],
    result: told,
    ok: ok && before?.ok !== false,
  });
  process.stdout.write(`${ok ? "ok    " : "FAILED"}  ${seconds.toFixed(1).padStart(6)} s  ${what}: ${told}\n`);
  if (ok) return;
  mkdirSync(join(root, ".cache"), { recursive: true });
  const kept = join(root, ".cache", `fresh-${what.replaceAll(/\W+/g, "-")}.log`);
  writeFileSync(kept, output);
  process.stdout.write(`${output.slice(-3000)}\nAll that it printed: ${kept}\n`);
}

function pack(name: string): string {
  const folder = join(root, "packages", name);
  const args = ["pack", "--json", "--pack-destination", newcomer.top];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8" })) as {
    readonly filename: string;
  }[];
  return join(newcomer.top, packed?.filename ?? "");
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major < WANTED_NODE[0] || (major === WANTED_NODE[0] && minor < WANTED_NODE[1]);
}

function lastMatch(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[0];
}
