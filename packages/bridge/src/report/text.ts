import { plain } from "@hookline/ground/system";
import type { BridgeHost } from "../host/host.ts";
import type { ReportedHook, State } from "./report.ts";

const TITLES: Readonly<Record<State, string>> = { runs: "runs", loss: "runs with loss", absent: "not here" };

/** How wide the column of the states is. */
const WIDTH = 14;

/** How many hooks run in a host, run with a loss, and do not run there. */
export function countsText({ label }: Pick<BridgeHost, "label">, hooks: readonly ReportedHook[]): string {
  const counts = (["runs", "loss", "absent"] as const).map(
    (state) => `${hooks.filter((hook) => hook.state === state).length} ${TITLES[state]}`,
  );
  return `Your hooks in ${label}: ${counts.join(", ")}`;
}

/** One hook of the report: what the host makes of it, then a line for each loss. */
export function hookLines({ label }: Pick<BridgeHost, "label">, hook: ReportedHook): string[] {
  const { state, dialect, source, native, losses } = hook;
  return [
    `${TITLES[state].padEnd(WIDTH)}  ${dialect.padEnd(7)} ${plain(source)}${native ? `  (${label} runs it itself)` : ""}`,
    ...losses.map(({ field, why }) => `${" ".repeat(WIDTH + 2)}${plain(field)}: ${plain(why)}`),
  ];
}
