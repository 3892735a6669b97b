import { ms, plain, plainJson } from "@hookline/ground/system";
import type { Judgement, SideAnswer } from "@hookline/runtime/past";

/** Formats one moment for `--show`: its payload, the baseline's answers, and the answers of the hooks to try. */
export function waterfall({ judged, moment, before, after }: Judgement): string {
  const why = judged.why === undefined ? "" : ` (${judged.why})`;
  const lines = [
    `${judged.moment}  ${moment.event}  ${judged.source}:${judged.line}`,
    `payload: ${shown(moment.payload)}`,
    "",
    ...side("before", before),
    ...(judged.before.person === undefined ? [] : [`  the person said ${judged.before.person}`]),
    ...(moment.recorded?.shadow ?? []).flatMap((run) => [
      `  in shadow: ${run.hook} ${run.would === undefined ? run.status : WOULD[run.would]}`,
      ...said(run),
    ]),
    "",
    ...side("after", after),
    "",
    `${judged.class}${why}${judged.hook === undefined ? "" : `, by ${judged.hook}`}`,
  ];
  return `${lines.map(plain).join("\n")}\n`;
}

function side(name: string, { decision, reason, handed, hooks, edits, ms: all }: SideAnswer): string[] {
  return [
    `${name}: ${decision}${reason === undefined ? "" : ` (${reason})`}  ${ms(all)} ms`,
    ...hooks.flatMap((run) => [`  ${run.status.padEnd(11)} ${ms(run.ms).padStart(6)} ms  ${run.hook}`, ...said(run)]),
    ...edits.map(({ hook, field, from, to }) => `  edit: ${hook} changed ${field} from ${shown(from)} to ${shown(to)}`),
    ...(Object.keys(handed).length === 0 ? [] : [`  outcome: ${shown(handed)}`]),
  ];
}

function said({ answer, problem }: Pick<SideAnswer["hooks"][number], "answer" | "problem">): string[] {
  return [
    ...(answer === undefined ? [] : [`      answer: ${shown(answer)}`]),
    ...(problem === undefined ? [] : [`      problem: ${problem}`]),
  ];
}

const WOULD = { deny: "would have refused", ask: "would have asked a person", edit: "would have changed it" } as const;

function shown(value: unknown): string {
  return JSON.stringify(plainJson(value)) ?? "nothing";
}
