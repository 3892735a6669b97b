/** One thing that a newcomer did, with the seconds of each round. */
export interface Done {
  readonly what: string;
  readonly times: readonly number[];
  /** The part of the output that says how it went. */
  readonly result: string;
  readonly ok: boolean;
}

/** What is kept of a run of `npm run fresh`. */
export interface Kept {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  /** How many programs wanted a processor, on the average of the last quarter of an hour. */
  readonly load: number;
  readonly rounds: number;
  readonly rows: readonly Done[];
}

/** Where it is kept, from the top folder. */
export const DATA = "docs/reference/first-minutes.json";

/** The page that shows it. */
export const PAGE = "docs/reference/first-minutes.md";

/** The page of a newcomer's first minutes. */
export function freshPage({ date, machine, node, load, rounds, rows }: Kept): string {
  return [
    "# The first minutes",
    "",
    "What a newcomer does, as the READMEs have it, with an empty home (nothing that npm has fetched before) and, of",
    "programs, those of the system, git, npm and Node. `npm run fresh` does it and lists it; `-- --write` writes this page.",
    "",
    `${date}, Node ${node.replace(/^v/, "")}, ${machine}, on which ${load} programs at a time wanted to run; ${rounds === 1 ? "once" : `${rounds} times`}.`,
    "",
    `| | ${rounds === 1 ? "seconds" : "seconds, middle (least to most)"} | it says |`,
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
