import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { BenchCase, BenchResult } from "../bench/case.ts";
import { benchCases } from "../bench/cases.ts";
import { CURVES, type Curve } from "../bench/growth.ts";
import { commandLine } from "./command-line.ts";
import { latestKept, performancePages } from "./performance.ts";
import { MEASURED } from "./performance-rows.ts";
import { root } from "./step.ts";

const { values, words, refuse } = commandLine({
  name: "bench",
  says: "Compares our time with peers' and with the physical limit.",
  options: {
    json: { type: "boolean", says: "print the figures as JSON" },
    save: { type: "boolean", says: "store them in bench/results, and write the page of figures" },
    growth: { type: "boolean", says: "measure how cost grows with size; with --save, both are measured" },
  },
  words: { called: "CASE", says: "only cases whose names start with this" },
});
const saved = join(root, "bench/results");
const program = join(root, "bench/programs/alone.ts");
const results: BenchResult[] = [];
/** Folder for files that several cases of a run share and that are made once. */
const scratch = mkdtempSync(join(tmpdir(), "hookline-bench-run-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const kept = new Map(latestKept(saved)?.cases.map((result) => [result.name, result]));
const all = await benchCases();
for (const word of words) {
  const names = values.growth ? Object.keys(CURVES) : all.map(({ name }) => name);
  if (!names.some((name) => name.startsWith(word)))
    refuse(`No case is called "${word}". There are: ${names.join(", ")}.`);
}
const unnamed = all.filter(({ name }) => !Object.hasOwn(MEASURED, name)).map(({ name }) => name);
if (unnamed.length > 0) throw new Error(`scripts/performance-rows.ts does not say what is measured by ${unnamed}`);
const isNamed = (name: string): boolean => words.length === 0 || words.some((word) => name.startsWith(word));
const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
};
for (const one of all.filter(({ name }) => isNamed(name) && (!values.growth || values.save))) {
  const missing = one.missing?.();
  if (missing !== undefined) {
    process.stderr.write(`not run ${one.name}: ${missing}\n`);
    continue;
  }
  await attempt(one.name, async (seconds) => {
    const result = await alone(one);
    results.push(result);
    if (!values.json) process.stdout.write(`${line(result)} ${seconds()}\n`);
    if (values.save) save(`${packageVersion()}.json`, { machine, cases: merged(results) });
  });
}
if (values.json) process.stdout.write(`${JSON.stringify({ machine, cases: results })}\n`);
for (const [id, measure] of Object.entries(CURVES).filter(([id]) => values.growth && isNamed(id))) {
  await attempt(id, async (seconds) => {
    const curve = { id, ...(await measure()) };
    if (!values.json) process.stdout.write(`${curveText(curve)} ${seconds()}\n`);
    save("growth.json", { machine, curves: withCurve(curve) });
  });
}
if (values.save || values.growth) for (const [path, text] of performancePages()) writeFileSync(join(root, path), text);

/** Does one part of the run; if it fails, that is told, and the others go on. */
async function attempt(name: string, work: (seconds: () => string) => Promise<void>): Promise<void> {
  const started = performance.now();
  try {
    await work(() => `[${((performance.now() - started) / 1000).toFixed(0)} s]`);
  } catch (thrown) {
    process.exitCode = 1;
    process.stderr.write(`FAILED ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  }
}

/** The stored curves with one of them in the place of its former state, in the order in which they are measured. */
function withCurve(curve: Curve): Curve[] {
  const path = join(saved, "growth.json");
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { curves: Curve[] }).curves : [];
  const curves = new Map([...before, curve].map((one) => [one.id, one]));
  return Object.keys(CURVES).flatMap((id) => curves.get(id) ?? []);
}

/** Each subject's values, and by what each doubling of the last step has multiplied them. */
function curveText({ id, y, points }: Curve): string {
  const names = Object.keys(points.at(-1)?.values ?? {});
  const texts = names.map((name) => {
    const known = points.filter(({ values }) => values[name] !== undefined);
    const [a, b] = known.slice(-2);
    const [from = 1, to = 1] = [a?.values[name], b?.values[name]];
    const exponent = Math.log(to / from) / Math.log((b?.x ?? 1) / (a?.x || 1));
    return `  ${name}: ${known.map(({ x, values }) => `${x}: ${values[name]}`).join(", ")} ${y} (exponent ${exponent.toFixed(2)} at the end)`;
  });
  return [id, ...texts].join("\n");
}

/** Runs a case in its own process, so that V8's optimisations for one case do not affect another. */
async function alone({ name }: BenchCase): Promise<BenchResult> {
  const child = spawn(process.execPath, [...process.execArgv, program, name], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: { ...process.env, HOOKLINE_BENCH_SCRATCH: scratch },
  });
  const ended = once(child, "exit");
  let result = "";
  for await (const chunk of (child.stdio[3] as Readable).setEncoding("utf8")) result += chunk;
  const [code, signal] = (await ended) as [number | null, string | null];
  if (code !== 0) throw new Error(`${name} ended with ${signal ?? code}`);
  return JSON.parse(result) as BenchResult;
}

/** Merges new figures into those of the current release; cases that did not run keep theirs. */
function merged(now: readonly BenchResult[]): BenchResult[] {
  const path = join(saved, `${packageVersion()}.json`);
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { cases: BenchResult[] }).cases : [];
  const all = new Map([...before, ...now].map((result) => [result.name, result]));
  // Cases that were removed since are kept no more.
  return [...all.values()]
    .filter(({ name }) => Object.hasOwn(MEASURED, name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageVersion(): string {
  const path = join(root, "packages/hookline/package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

function save(name: string, figures: object): void {
  mkdirSync(saved, { recursive: true });
  writeFileSync(join(saved, name), `${JSON.stringify(figures, null, 2)}\n`);
}

function line(result: BenchResult): string {
  const { name, unit, counts, floor, toFloor, rounds } = result;
  const before = kept.get(name);
  const verdict = result.within ? "within" : "OVER  ";
  const ratios = [
    ...(toFloor === undefined
      ? []
      : [`${toFloor.toFixed(2)} × floor (${time(floor as number)}${was(before?.toFloor, 2)})`]),
    ...result.peers.map((peer) => {
      if (counts !== undefined) return `${peer.ns.toFixed(2)} ${peer.name}`;
      const earlier = before?.peers.find((other) => other.name === peer.name)?.ratio;
      return `${peer.ratio.toFixed(3)} × ${peer.name} (${time(peer.ns)}${was(earlier, 3)})`;
    }),
    ...(result.rss?.["ours"] === undefined
      ? []
      : [
          Object.entries(result.rss)
            .map(([whose, bytes]) => `${mb(bytes)} ${whose}`)
            .join(", "),
        ]),
  ];
  return `${verdict}  ${name.padEnd(32)} ${amount(result).padStart(10)} per ${unit}  ${ratios.join("; ")}  [${rounds} rounds]`;
}

/** Formats the stored ratio, for comparison. */
function was(ratio: number | undefined, digits: number): string {
  return ratio === undefined ? "" : `, kept ${ratio.toFixed(digits)}`;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Formats our measurement: a time, or a count. */
function amount({ ours, counts }: BenchResult): string {
  return counts === undefined ? time(ours) : `${ours.toFixed(2)} ${counts}`;
}

function time(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return `${(ns / 1e6).toFixed(2)} ms`;
}
