import { plain } from "@hookline/ground/system";
import type { Baseline, Example, Group, NotJudged, ShadowResult, SideResult } from "@hookline/runtime/past";
import type { ReplayResult } from "@hookline/runtime/replay";
import { NOTHING_JUDGED, sum } from "./flags.ts";

/** The title of each kind of difference that a replay finds, the most important kind first. */
const TITLES: Readonly<Record<Group["class"], string>> = {
  failing: "failing: the hook breaks here",
  newlyDenied: "newly denied",
  newlyAllowed: "newly allowed",
  newlyAsked: "newly asked about",
  rewritten: "changed: the call, a text, or what the model is told",
  slower: "slower",
};

/** Why a moment is not judged although hooks were asked about it. */
const NOT_JUDGED: Readonly<Record<NotJudged, string>> = {
  redacted: "the recording leaves out what they were shown",
  "no-model": "they ask a model, and no answer is recorded",
  "no-payload": "the source does not hold all that they were shown",
  "not-started": "their programs only observe there, and are not started without --event or --observers",
};

/** The maximum number of groups that are shown; `--json` and `--out` have all of them. */
const SHOWN_GROUPS = 20;

/** Returns the result of a replay as text for a person. */
export function resultText(result: ReplayResult): string {
  const { sources, moments, asked, same, groups } = result;
  const lines = [
    `${moments} ${moments === 1 ? "moment" : "moments"} of ${sources.length} ${sources.length === 1 ? "source" : "sources"}, compared with ${baselineText(result)}: ${asked} asked, ${same} the same.`,
  ];
  if (result.partial) lines.push("Interrupted: this is the result so far.");
  lines.push(...fleetLines(result));
  const counts = classCounts(result);
  if (counts.length > 0)
    lines.push("", ...counts.map(([name, count]) => `${String(count).padStart(7)}  ${TITLES[name]}`));
  for (const [reason, count] of Object.entries(result.notJudged))
    lines.push(`${String(count).padStart(7)}  not judged: ${NOT_JUDGED[reason as NotJudged]}`);
  for (const [reason, count] of Object.entries(result.notAsked))
    lines.push(`${String(count).padStart(7)}  not asked: ${reason}`);
  for (const group of groups.slice(0, SHOWN_GROUPS)) lines.push("", ...groupLines(group));
  if (groups.length > SHOWN_GROUPS)
    lines.push("", `… and ${groups.length - SHOWN_GROUPS} more groups; --json has them all.`);
  if (result.shadow.length > 0)
    lines.push("", "In shadow when this was recorded, so it had no effect:", ...result.shadow.map(shadowLine));
  const effects = Object.entries(result.effects);
  if (effects.length > 0)
    lines.push(
      "",
      `Hooks wanted to do, and did not: ${effects.map(([kind, count]) => `${kind} ${count} ×`).join(", ")}.`,
    );
  if (groups.length > 0)
    lines.push("", "Later moments of a session are replayed as recorded, not as they would have changed.");
  if (result.failed.length > 0) lines.push("", failedText(result));
  return `${lines.map(plain).join("\n")}\n`;
}

/** The maximum number of machines that are named in the result of a fleet's replay. */
const SHOWN_MACHINES = 10;

/** Describes the decisions on which a fleet's replay is based, and what was left out; empty for other sources. */
export function fleetLines({ sources }: Pick<ReplayResult, "sources">): string[] {
  const machines = new Map<string, { moments: number; readonly skipped: Record<string, number> }>();
  let payloads = 0;
  for (const { machine, moments, skipped, payloads: own } of sources) {
    if (machine === undefined) continue;
    const one = machines.get(machine) ?? { moments: 0, skipped: {} };
    machines.set(machine, one);
    one.moments += sum(moments);
    payloads += own;
    for (const [reason, count] of Object.entries(skipped)) one.skipped[reason] = (one.skipped[reason] ?? 0) + count;
  }
  if (machines.size === 0) return [];
  const all = [...machines].sort(([, a], [, b]) => b.moments - a.moments);
  const moments = all.reduce((count, [, one]) => count + one.moments, 0);
  const named = all.slice(0, SHOWN_MACHINES).map(([machine, one]) => `${machine} ${one.moments}`);
  const more = all.length > SHOWN_MACHINES ? `, and ${all.length - SHOWN_MACHINES} more machines` : "";
  const wanted =
    payloads < moments ? `; hooks are asked about those that were logged with the audit level "payloads"` : "";
  const left = all.filter(([, { skipped }]) => sum(skipped) > 0);
  return [
    `By machine: ${named.join(", ")}${more}.`,
    `${payloads} of ${moments} moments have a payload${wanted}.`,
    ...left.map(([machine, { skipped }]) => {
      const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${count} ×`);
      return `Left out of ${machine}: ${reasons.join(", ")}. \`hookline fleet audit verify\` says more.`;
    }),
  ];
}

/** Says which words of `--fail-on` made the replay fail. */
export function failedText({ failed }: ReplayResult): string {
  const words = failed.filter((word) => word !== NOTHING_JUDGED);
  const nothing = failed.includes(NOTHING_JUDGED) ? ["nothing was judged (--allow-empty lets that pass)"] : [];
  return `Failed: ${[...words, ...nothing].join(", ")}.`;
}

/** Counts the moments with each kind of difference, the most important kind first. */
export function classCounts(result: ReplayResult): (readonly [Group["class"], number])[] {
  const names = Object.keys(TITLES) as Group["class"][];
  return names.map((name) => [name, result[name]] as const).filter(([, count]) => count > 0);
}

/** Says with what the tried hooks are compared: the recorded answers, the current hooks, or no hooks. */
export function baselineText({ baseline, sources }: Pick<ReplayResult, "baseline" | "sources">): string {
  if (baseline !== "mixed") return BASELINES[baseline];
  const other = sources.find((source) => source.baseline !== "recorded")?.baseline ?? "none";
  return `${BASELINES.recorded}, or ${BASELINES[other]} if nothing was recorded`;
}

const BASELINES: Readonly<Record<Baseline, string>> = {
  recorded: "what was recorded",
  current: "today's hooks without the change",
  none: "no hooks at all",
};

function shadowLine({ hook, asked, wouldDeny, wouldAsk, wouldEdit, failed, examples }: ShadowResult): string {
  const did = [
    ["would have refused", wouldDeny],
    ["would have asked", wouldAsk],
    ["would have changed", wouldEdit],
    ["failed", failed],
  ] as const;
  const told = did.filter(([, count]) => count > 0).map(([what, count]) => `${what} ${count}`);
  const at = examples.length === 0 ? "" : ` (${examples.join(", ")})`;
  return `    ${hook}: asked ${[`${asked} ×`, ...told].join(", ")}${at}`;
}

function groupLines({ hook, class: name, shape, count, examples }: Group): string[] {
  return [`${count} × ${shape}: ${TITLES[name]}, by ${hook}`, ...examples.flatMap(exampleLines)];
}

function exampleLines({ moment, source, line, before, after }: Example): string[] {
  const person = before.person === undefined ? "" : ` (the person said ${before.person})`;
  return [
    `    ${moment}  ${source}:${line}`,
    `      before: ${sideText(before)}${person}`,
    `      after:  ${sideText(after)}`,
  ];
}

/** Describes on one line what the hooks decided about a call, with the reason and the changed arguments. */
export function sideText({ decision, reason, args }: SideResult): string {
  const shown = args === undefined ? "" : ` ${cut(JSON.stringify(args) ?? "")}`;
  return `${decision}${reason === undefined ? "" : ` (${cut(reason)})`}${shown}`;
}

function cut(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
