import { plain, type Standpoint, shortPaths } from "@hookline/ground/system";
import type { BridgeHost } from "../host/host.ts";
import type { Loss, ReportedHook, State } from "./report.ts";

const TITLES: Readonly<Record<State, string>> = { runs: "works", loss: "works except", absent: "never runs" };

/** Width of the column with the states. */
const WIDTH = 12;
/** Assumed width of the screen, in characters. */
const COLUMNS = 80;
/** The most hooks that one line names. */
const MOST_NAMES = 2;

/** Leaves out losses of fields that the hook is not known to use, unless only these say why it never runs. */
function told({ state, losses }: Pick<ReportedHook, "state" | "losses">): { state: State; losses: readonly Loss[] } {
  // Shortens `PreToolUse.tool` to `tool`: the loss concerns a tool, whichever event asks about it.
  const used = losses.flatMap((loss) =>
    loss.used ? [{ ...loss, field: loss.field.replace(/^.*\.(?=tool$)/, "") }] : [],
  );
  if (state === "absent") return { state, losses: used.length > 0 ? used : losses };
  return { state: used.length > 0 ? "loss" : "runs", losses: used };
}

/** Says how many hooks work in a host, how many work in part, and how many never run. */
export function countsText({ label }: Pick<BridgeHost, "label">, hooks: readonly ReportedHook[]): string {
  const counts = (["runs", "loss", "absent"] as const).flatMap((state) => {
    const found = hooks.filter((hook) => told(hook).state === state);
    const guards = state === "absent" ? found.filter(({ guard }) => guard).length : 0;
    const lost = guards === 0 ? "" : ` (${guards} ${guards === 1 ? "guard" : "guards"})`;
    return found.length === 0 ? [] : [`${found.length} ${SAYS[state][found.length === 1 ? 0 : 1]}${lost}`];
  });
  return `Your hooks in ${label}: ${counts.join(", ")}`;
}

const SAYS: Readonly<Record<State, readonly [string, string]>> = {
  runs: ["works", "work"],
  loss: ["works except for something", "work except for something"],
  absent: ["never runs", "never run"],
};

/** Returns the lines of one hook in the full report: whether it works in that agent, then each thing that is lost. */
export function hookLines({ label }: Pick<BridgeHost, "label">, hook: ReportedHook): string[] {
  const { state } = told(hook);
  const whose = hook.native ? `  (${label} runs it itself)` : "";
  return [`${TITLES[state].padEnd(WIDTH)}  ${nameOf(hook)}${whose}`, ...hook.losses.map(lossLine)];
}

function nameOf({ dialect, source, guard }: ReportedHook): string {
  return `${dialect.padEnd(7)} ${plain(source)}${guard ? " (guard)" : ""}`;
}

function lossLine({ field, why }: Loss): string {
  return `${" ".repeat(WIDTH + 2)}${plain(field)}: ${plain(why)}`;
}

/** Returns the report in at most `rows` lines of a screen, counting wrapped ones. */
export function shortReport(
  host: Pick<BridgeHost, "name" | "label">,
  hooks: readonly ReportedHook[],
  { rows, at }: { readonly rows: number; readonly at: Standpoint },
): string[] {
  const { lines, left } = lackingLines(hooks, rows - 3, at);
  const rest = left === 0 ? "" : `${left} more ${left === 1 ? "lacks" : "lack"} something. `;
  return [
    `${countsText(host, hooks)}.`,
    ...lines,
    `${rest}\`hookline bridge report ${host.name} --all\` shows each hook, and all that it could lack.`,
  ];
}

/**
 * Lists the hooks that never run, guards first, then those that work in part. Hooks with the same losses share an
 * entry. `left` is how many hooks did not fit into so many lines.
 */
export function lackingLines(
  hooks: readonly ReportedHook[],
  rows: number,
  at?: Standpoint,
): { readonly lines: readonly string[]; readonly left: number } {
  const rank = (hook: ReportedHook): number => (told(hook).state === "absent" ? 0 : 2) + (hook.guard ? 0 : 1);
  const lacking = hooks.filter((hook) => told(hook).state !== "runs").toSorted((a, b) => rank(a) - rank(b));
  const groups = Map.groupBy(lacking, (hook) => JSON.stringify([rank(hook), ...told(hook).losses.map(lossLine)]));
  const lines: string[] = [];
  let [height, left] = [0, 0];
  for (const of of groups.values()) {
    const text = groupLines(of).map((line) => (at === undefined ? line : shortPaths(line, at)));
    height += text.reduce((sum, line) => sum + Math.ceil(line.length / COLUMNS), 0);
    if (height > rows) left += of.length;
    else lines.push(...text);
  }
  return { lines, left };
}

/** Returns the lines for a group of hooks with the same losses, which are listed once. */
function groupLines(hooks: readonly ReportedHook[]): string[] {
  const [first] = hooks;
  if (first === undefined) return [];
  const { state, losses } = told(first);
  const named = hooks.slice(0, MOST_NAMES).map(nameOf);
  const more = hooks.length - named.length;
  const [one = "", ...others] = more > 0 ? [...named, `and ${more} more`] : named;
  return [
    `${TITLES[state].padEnd(WIDTH)}  ${one}`,
    ...others.map((name) => `${" ".repeat(WIDTH + 2)}${name}`),
    ...losses.map(lossLine),
  ];
}
