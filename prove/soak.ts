import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadSession } from "../packages/hookline/src/session/load.ts";
import { startLoopback } from "../packages/hookline/test/support/loopback.ts";
import { CHILD_ENV } from "../scripts/child-env.ts";
import type { Claim, Finding, Options } from "./claim.ts";
import { wallClock } from "./soak/clock.ts";
import { mountDisk } from "./soak/disk.ts";
import { type SoakOrder, writePlace } from "./soak/place.ts";
import { soakProvider } from "./soak/provider.ts";
import { slope } from "./soak/slope.ts";
import { folder } from "./stage/ground.ts";

const MB = 1 << 20;
/** The most growth of the heap per hour, after the first hour in which caches and the times of every hook fill up. */
const HEAP_MB_PER_HOUR = 1;
/** The most growth of the resident set per hour after that, as a share of its size (docs/decisions/0013). */
const RSS_PER_HOUR = 0.01;
/** Only the second half of the time counts for growth. */
const FULL_MINUTES = 120;
const FDS = 10;
const HOUR_MS = 3_600_000;
const JUMPS = ["+1h", "-1h", "+1d", "-1d", "-10y", "+0"];

interface Sample {
  readonly ms: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly fds: number;
}

interface End {
  readonly lost: readonly string[];
  readonly inProcess: number;
  readonly prompts: number;
  readonly answered: number;
  readonly reloads: number;
  readonly switches: number;
  readonly outages: number;
  readonly kept: number;
}

/** The host's output, its exit code, and its measurements. */
interface Ran {
  readonly samples: readonly Sample[];
  readonly end: End | undefined;
  readonly code: number | null;
  readonly err: string;
}

async function soak(minutes: number, sessions: number, restMs: number): Promise<Finding> {
  using top = folder();
  const home = join(top.path, "home");
  let provider = 0;
  const server = await startLoopback(soakProvider(() => (provider += 1)));
  using disk = mountDisk(join(home, ".hookline/sessions"), 1024 * MB);
  const clock = wallClock(join(top.path, "clock"));
  const order: SoakOrder = {
    home,
    project: join(top.path, "project"),
    faults: join(top.path, "faults"),
    url: server.url,
    sessions,
    seconds: minutes * 60,
    restMs,
    sampleMs: minutes < 2 ? 500 : 10_000,
  };
  writePlace(order);
  let windows = 0;
  let jumps = 0;
  const share = order.seconds * 1000;
  const began = performance.now();
  const fullMs = Math.min(5000, share / 12);
  const filling = setInterval(
    () => {
      // A session's data must be written at its end, so the disk must have free space when the run ends.
      if (performance.now() - began > share - 4 * fullMs) return;
      windows += 1;
      disk?.fill();
      setTimeout(() => disk?.free(), fullMs);
    },
    Math.min(90_000, share / 4),
  );
  const jumping = setInterval(() => clock?.set(JUMPS[jumps++ % JUMPS.length] as string), Math.min(20_000, share / 8));
  try {
    const ran = await run(order, clock?.env ?? {});
    const shell = existsSync(order.faults) ? readFileSync(order.faults, "utf8").split("\n").length - 1 : 0;
    const faults = [
      `${ran.end?.inProcess ?? 0} faults in modules`,
      `${shell} in processes`,
      `${provider} of the provider`,
      disk === undefined ? "no full disk: mounting is not permitted" : `${windows} times a full disk`,
      clock === undefined ? "no clock jumps: libfaketime is not installed" : `${jumps} clock jumps`,
    ];
    return judge(ran, order, [`${minutes} min, ${sessions} sessions: ${faults.join(", ")}`]);
  } finally {
    clearInterval(filling);
    clearInterval(jumping);
    await server.close();
  }
}

function run(order: SoakOrder, env: Readonly<Record<string, string>>): Promise<Ran> {
  const host = fileURLToPath(new URL("./soak/host.ts", import.meta.url));
  const flags = ["--expose-gc", "--conditions=hookline-source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, host, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...CHILD_ENV, ...env },
  });
  const samples: Sample[] = [];
  let end: End | undefined;
  let err = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = JSON.parse(line) as { sample?: Sample; end?: End };
    if (said.sample !== undefined) samples.push(said.sample);
    if (process.env["HOOKLINE_SOAK_LOG"] !== undefined) process.stderr.write(`${line}\n`);
    end ??= said.end;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err = `${err}${text}`.slice(-2000);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ samples, end, code, err }));
  });
}

/** Checks for host exits, growth, and sessions that do not open again or lack what was reported as stored. */
function judge({ samples, end, code, err }: Ran, order: SoakOrder, notes: readonly string[]): Finding {
  const violations = [...(end?.lost ?? [])];
  if (code !== 0 || end === undefined) violations.push(`the host ended with ${code}: ${err.trim().slice(-300)}`);
  const files = sessionFiles(join(order.home, ".hookline/sessions"));
  const broken = files.filter((path) => !opens(path));
  violations.push(...broken.map((path) => `${path} does not open again whole`));

  const late = samples.filter(({ ms }) => ms > HOUR_MS);
  const beyond = late.length > 60;
  const settled = beyond ? late : samples.slice(Math.floor(samples.length / 2));
  const hours = ({ ms }: Sample): number => ms / HOUR_MS;
  const heap = slope(settled.map((one) => [hours(one), one.heapUsed / MB]));
  const rss = slope(settled.map((one) => [hours(one), one.rss / MB]));
  const fds = settled.map((one) => one.fds);
  const fdGrowth = slope(settled.map((one) => [hours(one), one.fds]));
  const longEnough = order.seconds >= 600;
  const undecided: string[] = [];
  const meanRss = settled.reduce((sum, one) => sum + one.rss / MB, 0) / settled.length;
  const limits = [
    ["heap", heap, HEAP_MB_PER_HOUR],
    ["resident set", rss, meanRss * RSS_PER_HOUR],
  ] as const;
  for (const [name, { perUnit, within }, limit] of beyond ? limits : []) {
    const grows = `the ${name} grows by ${perUnit.toFixed(1)} MB an hour, of ${limit.toFixed(1)} at most`;
    if (perUnit - within > limit) violations.push(grows);
    else if (perUnit + within > limit) undecided.push(name);
  }
  if (!beyond) undecided.push("heap", "resident set");
  if (longEnough && fdGrowth.perUnit - fdGrowth.within > FDS)
    violations.push(`${fdGrowth.perUnit.toFixed(1)} more descriptors an hour`);
  const told = (name: string, { perUnit, within }: typeof heap): string =>
    `${name} ${perUnit.toFixed(2)} ± ${within.toFixed(2)} MB/h`;
  const last = settled.at(-1);
  return {
    n: end?.prompts ?? 0,
    violations: violations.length,
    notes: [
      ...notes,
      `${end?.prompts} prompts (${end?.answered} answered), ${end?.reloads} reloads, ${end?.switches} new sessions, ${end?.kept} entries told and all found, ${files.length} files opened again`,
      ...(longEnough
        ? [`${beyond ? "after the first hour" : "second half"}: ${told("heap", heap)}, ${told("resident set", rss)}`]
        : []),
      `at the end: resident set ${Math.round((last?.rss ?? 0) / MB)} MB, heap ${Math.round((last?.heapUsed ?? 0) / MB)} MB, descriptors ${Math.min(...fds)} to ${Math.max(...fds)}`,
      ...undecided.map((name) => `not run: whether the ${name} grows by more than it may, which takes longer`),
      ...violations,
    ],
  };
}

function sessionFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(root, name));
}

function opens(path: string): boolean {
  const loaded = loadSession(path);
  return loaded.state === "session" && loaded.damage.badLines === 0 && !loaded.damage.torn;
}

export const claim: Claim = {
  name: "soak",
  says: "two hours in which one operation in a hundred fails end no host and lose no entry; after the first hour the heap does not grow, and the process grows by at most 1 % per hour",
  run: (size, { minutes }: Options = {}) =>
    size === "full" ? soak(minutes ?? FULL_MINUTES, 50, 10_000) : soak(minutes ?? 0.15, 10, 300),
};
