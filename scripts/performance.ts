import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchResult, PeerResult, Rss } from "../bench/case.ts";
import type { Curve } from "../bench/growth.ts";
import { plot } from "../bench/plot.ts";
import { CURVES, MEASURED } from "./performance-rows.ts";
import { root } from "./step.ts";

const PAGE = "docs/reference/performance.md";
const PLOTS = "docs/reference/plots";
const BEGIN = "<!-- figures: npm run bench -- --save, npm run bench -- --growth, npm run dev -- gen -->";
const END = "<!-- end of figures -->";

interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
}

/** The stored figures of a release. */
interface Kept {
  readonly machine: Machine;
  readonly cases: readonly BenchResult[];
}

/** Returns the files of the releases, latest first. */
function releases(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.\d+\.\d+.*\.json$/.test(name))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

/** Returns the figures of the latest release that has any; `undefined` if none has. */
export function latestKept(folder: string = join(root, "bench/results")): Kept | undefined {
  const [latest] = existsSync(folder) ? releases(folder) : [];
  return latest === undefined ? undefined : read<Kept>(join(folder, latest));
}

/** Returns the page of figures and its plots, from the figures in `bench/results`. */
export function performancePages(folder: string = join(root, "bench/results")): Map<string, string> {
  const files = new Map<string, string>();
  const page = join(root, PAGE);
  if (!existsSync(folder) || !existsSync(page)) return files;
  const parts: string[] = [];
  for (const name of releases(folder)) {
    const { machine, cases: kept } = read<Kept>(join(folder, name));
    // Cases that have been removed since are no longer shown.
    const cases = kept.filter((one) => Object.hasOwn(MEASURED, one.name));
    parts.push(`## ${name.slice(0, -5)}`, "", about(machine), "", ...table(cases), "");
  }
  const growth = join(folder, "growth.json");
  if (existsSync(growth)) {
    const { machine, curves } = read<{ machine: Machine; curves: Curve[] }>(growth);
    parts.push("## How cost grows", "", about(machine), "");
    for (const curve of curves) {
      files.set(`${PLOTS}/${curve.id}.svg`, plot(curve));
      const about = CURVES[curve.id];
      if (about === undefined) throw new Error(`scripts/performance-rows.ts does not describe the curve ${curve.id}.`);
      const image = `![${curve.title}](plots/${curve.id}.svg)`;
      parts.push(`### ${curve.title}`, "", about, "", image, "", ...points(curve), "");
    }
  }
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(BEGIN);
  const [, after = ""] = rest.split(END);
  files.set(PAGE, `${before}${BEGIN}\n\n${parts.join("\n")}${END}${after}`);
  return files;
}

function wordsOf(name: string): string {
  return MEASURED[name] ?? name;
}

function about({ cpu, cores, memoryGiB, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}.`;
}

function table(cases: readonly BenchResult[]): string[] {
  const rows = cases.map((result) => {
    const of = [
      result.toFloor === undefined ? "" : `${result.toFloor.toFixed(2)} × ${time(result.floor as number)}`,
      result.peers.map((peer) => beside(peer, result.counts)).join("<br>"),
      budget(result),
      result.rss === undefined ? "" : memory(result.rss),
    ].map((cell) => cell || "–");
    const { ours, counts } = result;
    const own = counts === undefined ? time(ours) : `${ours.toFixed(2)} ${counts}`;
    return `| ${wordsOf(result.name)} | \`${result.name}\` | ${result.unit} | ${own} | ${of.join(" | ")} | ${budget(result) === "" ? "–" : result.within ? "yes" : "**no**"} |`;
  });
  return [
    "| what is measured | case | one unit | hookline, for one unit | ratio × floor | ratio × peers | budget | peak memory | within the budget |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ];
}

/** Formats a peer's figure: a ratio of times, or a count, since counts may be zero and cannot be divided. */
function beside({ name: whole, ns, ratio }: PeerResult, counts: string | undefined): string {
  const name = nameOf(whole);
  return counts === undefined ? `${ratio.toPrecision(2)} × ${time(ns)} (${name})` : `${ns.toFixed(2)} (${name})`;
}

function budget({ budget: { toFloor, maxCount, maxBytes, maxRss }, counts, peers }: BenchResult): string {
  return [
    ...(maxCount === undefined ? [] : [counts === undefined ? time(maxCount) : `${maxCount} ${counts}`]),
    ...(toFloor === undefined ? [] : [`${toFloor} × floor`]),
    ...peers.flatMap((peer) =>
      peer.budget === undefined ? [] : [`${Number(peer.budget.toPrecision(2))} × ${nameOf(peer.name)}`],
    ),
    ...peers.flatMap(({ memory, name }) => (memory === undefined ? [] : [`memory ${memory} × ${nameOf(name)}`])),
    ...(maxBytes === undefined ? [] : [`${maxBytes / 1e6} MB`]),
    ...(maxRss === undefined ? [] : [`memory ${maxRss > 1000 ? `${maxRss / 1e6} MB` : `${maxRss} × floor`}`]),
  ].join(", ");
}

/** Returns a peer's name without the folder of the Node that ran it. */
function nameOf(peer: string): string {
  return peer.replace(/^exec \S*\/node /, "node ");
}

function memory(rss: Rss): string {
  return Object.entries({ ours: 0, floor: 0, ...rss })
    .map(
      ([whose, bytes]) =>
        `${bytes === 0 ? "–" : `${(bytes / 1e6).toFixed(0)} MB`} ${whose === "ours" ? "hookline" : whose}`,
    )
    .join("<br>");
}

function points(curve: Curve): string[] {
  const names = [...new Set(curve.points.flatMap(({ values }) => Object.keys(values)))];
  return [
    `| ${curve.x} | ${names.map((name) => `${name}, ${curve.y}`).join(" | ")} |`,
    `|---|${names.map(() => "---|").join("")}`,
    ...curve.points.map(({ x, values }) => `| ${x} | ${names.map((name) => values[name] ?? "").join(" | ")} |`),
  ];
}

function time(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  return ns < 1e6 ? `${(ns / 1e3).toFixed(2)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}
