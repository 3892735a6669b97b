import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BenchCase, type BenchResult, runBench } from "../bench/case.ts";
import { measureGrowth } from "../bench/growth.ts";
import { stateNode } from "./node-version.ts";
import { root } from "./step.ts";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean" }, save: { type: "boolean" }, growth: { type: "boolean" } },
  allowPositionals: true,
});
stateNode();
const saved = join(root, "bench/results");
const results: BenchResult[] = [];
const onlyGrowth = values.growth === true && positionals.length === 0;
for (const file of onlyGrowth ? [] : readdirSync(join(root, "bench/cases")).sort()) {
  const { cases } = (await import(join(root, "bench/cases", file))) as { cases: readonly BenchCase[] };
  for (const one of cases) {
    if (positionals.length > 0 && !positionals.some((name) => one.name.startsWith(name))) continue;
    const result = await runBench(one);
    results.push(result);
    if (!values.json) process.stdout.write(`${line(result)}\n`);
  }
}
const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
};
if (values.json) process.stdout.write(`${JSON.stringify({ machine, cases: results })}\n`);
if (values.save) save(`${packageVersion()}.json`, { machine, cases: merged(results) });
if (values.growth) save("growth.json", { machine, curves: await measureGrowth() });

/** Figures that are kept are of the release that the packages say; cases that did not run keep theirs. */
function merged(now: readonly BenchResult[]): BenchResult[] {
  const path = join(saved, `${packageVersion()}.json`);
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { cases: BenchResult[] }).cases : [];
  const all = new Map([...before, ...now].map((result) => [result.name, result]));
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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
  const ratios = [
    result.toFloor === undefined ? "" : `${result.toFloor.toFixed(2)} × floor (${time(result.floor as number)})`,
    result.toPeer === undefined
      ? ""
      : `${result.toPeer.toFixed(3)} × ${result.peerName ?? "peer"} (${time(result.peer as number)})`,
  ].filter((text) => text !== "");
  if (result.rss?.ours !== undefined) {
    const others = [result.rss.floor, result.rss.peer].map((bytes) => (bytes === undefined ? "–" : mb(bytes)));
    ratios.push(`${mb(result.rss.ours)} (floor ${others[0]}, peer ${others[1]})`);
  }
  return `${result.within ? "within" : "OVER  "}  ${result.name.padEnd(32)} ${time(result.ours).padStart(10)} per ${result.unit}  ${ratios.join(", ")}  [${result.rounds} rounds]`;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function time(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return `${(ns / 1e6).toFixed(2)} ms`;
}
