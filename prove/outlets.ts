import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { CHILD_ENV } from "../scripts/child-env.ts";
import { builtProgram, Place } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { OUTLETS, type Outlet, type State } from "./outlets/table.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, works } from "./stage/ground.ts";

/** Time limit of a run with a slow reader or disk, on a busy machine, in seconds. */
const LIMIT_S = 60;

/** The result of a run through a shell; `out` and `err` are the parts that could be read. */
export interface Written {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a line of bash in which `$H` is the agent with its scripted model; a line that hangs is killed. */
function shell(place: Place, line: string): Promise<Written> {
  const text = `set -o pipefail; H="timeout -s KILL ${LIMIT_S} ${process.execPath} ${builtProgram()}"; ${line}`;
  const child = spawn("bash", ["-c", text], {
    cwd: place.project,
    env: { ...CHILD_ENV, HOME: place.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

async function trial(outlet: Outlet, name: string, { line, before, check }: State): Promise<string | undefined> {
  using place = new Place();
  place.write("script.yaml", "replies:\n  - { text: done, repeat: true }\n");
  place.write("~/.pi/agent/extensions/seen.js", 'export default (pi) => { pi.on("input", () => undefined); };\n');
  before?.(place);
  const written = await shell(place, line);
  const read = (path: string): string => (existsSync(place.path(path)) ? readFileSync(place.path(path), "utf8") : "");
  const hasStack = /^\s+at .+:\d+:\d+\)?$/m.test(written.err);
  const problem =
    written.code === 137 ? `did not end within ${LIMIT_S} s` : hasStack ? "a stack" : check(written, read);
  return problem && `${outlet.name}, ${name}: ${problem}; ended with ${written.code}: ${written.err.slice(-300)}`;
}

const writes: Experiment = {
  id: "R49 and ruling 72, outlets",
  async run(tally, { full }) {
    if (!existsSync("/dev/full")) return tally.skip("there is no /dev/full");
    const hasTracer = works("strace", "-V");
    if (!hasTracer) tally.skip("disks that are slow or fill up: strace is not installed");
    const trials = OUTLETS.flatMap((outlet) =>
      Object.entries(outlet.states)
        .filter(([, { line }]) => hasTracer || !line.includes("strace"))
        .flatMap(([name, state]) => Array.from({ length: full ? 5 : 1 }, () => ({ outlet, name, state }))),
    );
    await each(trials, 3, async ({ outlet, name, state }) => tally.trial(await trial(outlet, name, state)));
    tally.figure(`${OUTLETS.length} outlets`);
  },
};

export const claim: Claim = {
  name: "outlets",
  says: "output that cannot be written, or only slowly, holds up nothing, and is reported wherever somebody would rely on it",
  run: (size) => findingOf([writes], size),
};
