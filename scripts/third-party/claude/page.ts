import type { EntryResult, EventResult } from "./exercise.ts";
import type { Repository } from "./list.ts";
import { NO_SHELL } from "./tally.ts";

/** Returns the page with the results. */
export function claudePage(list: readonly Repository[], results: readonly EntryResult[]): string {
  const fine = results.filter(({ isFine }) => isFine).length;
  const sum = (of: (one: EntryResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  const runs = sum(({ events }) => events.reduce((total, one) => total + one.runs, 0));
  const unfit = results.filter(({ events }) => events.some(isUnfit));
  const lacks = [...new Set(results.flatMap((one) => one.lacks))].sort();
  return [
    "# Claude Code hooks of other people",
    "",
    "`npm run dev -- third-party --claude FOLDER` takes a folder of clones (`FOLDER/OWNER+NAME`, bare or not), unpacks each repository at the commit that [`third-party/claude.yaml`](../../third-party/claude.yaml) names, and lays each entry out as its users have it, in a home and a project of its own: installed as a plugin, as the project, or as settings. Nothing of it is kept. Then the runtime loads the hooks, each of their events is emitted with the samples that `scripts/third-party/claude/events.ts` lists (no tool is called), and the hooks run as real processes, without a network. Handlers that ask a model get a scripted answer. This page is written by `npm run dev -- third-party --claude FOLDER --write`.",
    "",
    `${results.length} entries of ${list.length} repositories: ${fine} are loaded whole, and their hooks are started on every event that they use and that has a moment here. Of ${sum(({ defined }) => defined)} handlers the load report names ${sum(({ listed }) => listed)}; ${sum(({ running }) => running)} run. They were started ${runs} times. In ${results.length - unfit.length} entries hooks also worked on each of these events. In the others every start failed on some event, or the command is written for bash and this machine's \`sh\` is another shell: ${unfit.map(({ repository, path }) => `\`${repository} ${path}\``).join(", ")}.`,
    "",
    `The machine that wrote this page lacks these programs and modules, which some of the hooks ask for: ${lacks.length === 0 ? "none" : lacks.map((name) => `\`${name}\``).join(", ")}. A hook that lacks one fails as it would elsewhere, and the table says so. \`never\` marks events that have no moment here.`,
    "",
    ...list.flatMap((one) =>
      section(
        one,
        results.filter(({ repository }) => repository === one.repository),
      ),
    ),
  ].join("\n");
}

/** Whether an event's hooks were started but could not do their work. */
function isUnfit({ ran, did, problems }: EventResult): boolean {
  const isLost = Object.keys(did).every((words) => words === "failed" || words === "timed out");
  return ran > 0 && (isLost || problems.some((text) => text.startsWith(NO_SHELL)));
}

function section({ repository, commit }: Repository, results: readonly EntryResult[]): string[] {
  return [
    `## ${repository} at ${commit.slice(0, 12)}`,
    "",
    "| file | handlers | event | ran | what they did | what went wrong, or why some do not run |",
    "|---|---|---|---|---|---|",
    ...results.flatMap((one) =>
      one.events.length === 0 ? [row(one, undefined, 0)] : one.events.map((event, i) => row(one, event, i)),
    ),
    "",
  ];
}

function row(one: EntryResult, event: EventResult | undefined, index: number): string {
  const first =
    index === 0
      ? [`\`${one.path}\`${one.isFine ? "" : " (not as it should be)"}`, `${one.running} of ${one.defined} run`]
      : ["", ""];
  if (event === undefined) return `| ${[...first, "", "", "", "no hooks"].join(" | ")} |`;
  const did = Object.entries(event.did).map(([words, count]) => `${words} ${count}×`);
  const isNever = event.ran === 0 && event.silent.some((text) => text.includes("never fires"));
  const wrong = [...event.problems, ...event.silent].map(cell);
  const ran = isNever ? "never" : `${event.ran} of ${event.handlers}, ${event.runs}×`;
  return `| ${[...first, `\`${event.event}\``, ran, did.join(", "), wrong.join("; ")].join(" | ")} |`;
}

/** Formats third-party text as a table cell. */
function cell(text: string): string {
  return `\`${text.replaceAll("|", "/").replaceAll("`", "'")}\``;
}
