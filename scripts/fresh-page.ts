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
    "What a newcomer does by the READMEs, with an empty home folder (without npm's cache) and only the system's programs,",
    "git, npm and Node. `npm run dev -- fresh` does these steps and lists them; `-- --write` writes this page.",
    "",
    `${date}, hookline ${version}, Node ${node.replace(/^v/, "")}, ${machine}, with a load of ${load} programs; ${rounds === 1 ? "once" : `${rounds} times`}.`,
    "",
    `| | ${rounds === 1 ? "seconds" : "seconds, median (least to most)"} | result |`,
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
