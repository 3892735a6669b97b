import { readdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BenchCase, type BenchResult, runBench } from "../bench/case.ts";
import { stateNode } from "./node-version.ts";
import { root } from "./step.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
stateNode();
const results: BenchResult[] = [];
for (const file of readdirSync(join(root, "bench/cases")).sort()) {
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
