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
    "Whether hookline runs the hooks that other people have published for Claude Code, unchanged: what each hook did on each of its events, and why some failed.",
    "",
    "`npm run dev -- third-party --claude FOLDER` takes a folder of clones (`FOLDER/OWNER+NAME`, bare or not) and unpacks each repository at the commit that [`third-party/claude.yaml`](../../third-party/claude.yaml) names. It sets up each entry as its users have it, in a home and a project of its own: installed as a plugin, as the project, or as settings. Then hookline loads the hooks, fires each of their events with the samples in `scripts/third-party/claude/events.ts` (no tool is called), and the hooks run as real processes, without a network. Handlers that ask a model get a scripted answer. Nothing of this is kept. With `--write`, the command writes this page.",
    "",
    "The columns: *handlers that can run* leaves out those whose event never fires in hookline, whose matcher matches nothing, or whose program is not installed here (such a hook may be started all the same, and fails). *Started* says how many of the event's handlers were started, and how often in all; `never` marks events that never fire in hookline. *What they did* counts what came of these starts: *said nothing* means that the hook exited without an answer. A dash means: nothing.",
    "",
    `There are ${results.length} entries from ${list.length} repositories. ${fine} of them load completely: hookline starts their hooks on each event that they use, or says why it does not. Of ${sum(({ defined }) => defined)} handlers the load report names ${sum(({ listed }) => listed)}; ${sum(({ running }) => running)} can run. They were started ${runs} times. In ${results.length - unfit.length} entries hooks worked on each of these events. In the others every start failed on some event, or the command is written for bash and this machine's \`sh\` is another shell: ${unfit.map(({ repository, path }) => `\`${repository} ${path}\``).join(", ")}.`,
    "",
    `The machine that wrote this page lacks these programs and modules, which some of the hooks ask for: ${lacks.length === 0 ? "none" : lacks.map((name) => `\`${name}\``).join(", ")}. A hook that lacks one fails as it would elsewhere, and the table says so.`,
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
    "| entry | handlers that can run | event | started | what they did | what went wrong, or why some do not run |",
    "|---|---|---|---|---|---|",
    ...results.flatMap((one) =>
      one.events.length === 0 ? [row(one, undefined)] : one.events.map((event) => row(one, event)),
    ),
    "",
  ];
}

function row(one: EntryResult, event: EventResult | undefined): string {
  const first = [`\`${one.path}\`${one.isFine ? "" : " (not as it should be)"}`, `${one.running} of ${one.defined}`];
  if (event === undefined) return `| ${[...first, "–", "–", "–", "no hooks"].join(" | ")} |`;
  const did = Object.entries(event.did).map(([words, count]) => `${words} ${count}×`);
  const isNever = event.ran === 0 && event.silent.some((text) => text.includes("never fires"));
  const wrong = [...event.problems, ...event.silent].map(cell);
  const ran = isNever ? "never" : `${event.ran} of ${event.handlers}, ${event.runs}×`;
  return `| ${[...first, `\`${event.event}\``, ran, did.join(", ") || "–", wrong.join("; ") || "–"].join(" | ")} |`;
}

/** Formats third-party text as a table cell. */
function cell(text: string): string {
  return `\`${text.replaceAll("|", "/").replaceAll("`", "'")}\``;
}
