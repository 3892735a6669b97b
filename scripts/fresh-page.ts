/** A step of a newcomer, with its duration in seconds in each round. */
export interface Done {
  readonly what: string;
  readonly times: readonly number[];
  /** The part of the output that shows the result. */
  readonly result: string;
  readonly ok: boolean;
}

/** The stored result of a run of `npm run dev -- fresh`. */
export interface Kept {
  readonly date: string;
  /** The version of hookline. */
  readonly version: string;
  readonly machine: string;
  readonly node: string;
  /** The load average of the last 15 minutes. */
  readonly load: number;
  readonly rounds: number;
  readonly rows: readonly Done[];
}

/** Path of the stored result, relative to the root. */
export const DATA = "docs/reference/first-minutes.json";

/** Path of the page with the result. */
export const PAGE = "docs/reference/first-minutes.md";

/** Returns the page of a newcomer's first minutes. */
export function freshPage({ date, version, machine, node, load, rounds, rows }: Kept): string {
  return [
    "# The first minutes",
    "",
    "How long it takes to clone, build, install and first use hookline, by the commands of the READMEs, on a machine that has only the system's programs, git, npm and Node, an empty home folder, and so an empty npm cache. `npm run dev -- fresh` does these steps, checks the result of each and lists them; `-- --write` writes this page.",
    "",
    `Measured ${rounds === 1 ? "once" : `${rounds} times`}, on ${date}, with hookline ${version} and Node ${node.replace(/^v/, "")}, on a machine with ${machine}, whose load average was ${load}: other programs slowed the steps down. *Both tarballs* are the packed packages \`@hookline/runtime\` and \`hookline\`; the agent's is that of \`hookline\`. Where hookline needs a newer Node than this machine has, a step must say so.`,
    "",
    `| step | ${rounds === 1 ? "seconds" : "seconds, median (least to most)"} | what shows that it worked |`,
    "|---|--:|---|",
    ...rows.map(
      ({ what, times, result, ok }) =>
        `| \`${what}\` | ${spread(times)} | ${ok ? "" : "**failed:** "}${result.replaceAll(/ {2,}/g, " ").replaceAll("|", "\\|")} |`,
    ),
    "",
  ].join("\n");
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return sorted.length === 1
    ? middle.toFixed(1)
    : `${middle.toFixed(1)} (${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)})`;
}
