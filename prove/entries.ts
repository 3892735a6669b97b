import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { Claim } from "./claim.ts";
import { DEFECTS } from "./entries/defects.ts";
import { SCENE } from "./stage/events.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";

const ENTRIES = 20;
const EVENTS = ["pre_send_message", "pre_tool_execution", "stop", "session_start"];

/** R58: a defect in one of twenty entries disables only that entry, wherever it is, and is reported with its line. */
async function oneBadEntry(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  let turn = 0;
  for (const [name, lines] of Object.entries(DEFECTS)) {
    for (let at = 0; at < ENTRIES; at++) {
      if (full || turn++ % 5 === 0) tally.trial(await trial(name, lines, at));
    }
  }
  tally.figure(
    `${Object.keys(DEFECTS).length} defects at ${ENTRIES} positions: ${ENTRIES - 1} others active each time`,
  );
}

async function trial(name: string, defect: readonly string[], at: number): Promise<string | undefined> {
  using home = folder();
  mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
  const lines: string[] = [];
  let from = 0;
  for (let i = 0; i < ENTRIES; i++) {
    if (i % 5 === 0) lines.push(`${EVENTS[i / 5]}:`);
    if (i === at) from = lines.length + 1;
    lines.push(...(i === at ? defect : [`  - command: "hook-${i}"`, "    timeout: 5"]));
  }
  const to = from + defect.length - 1;
  writeFileSync(join(home.path, ".jdata/agent/hooks.yaml"), `${lines.join("\n")}\n`);
  const runtime = createHookRuntime({ dialects: [jcli], home: home.path, env: {} });
  const session = await runtime.open({ scene: { ...SCENE, cwd: home.path } });
  const { sources, diagnostics } = session.report;
  await runtime.close();
  const active = sources.filter(
    ({ state, line }) => state === "runs" && line !== undefined && (line < from || line > to),
  );
  const what = `${name} as entry ${at}`;
  if (active.length !== ENTRIES - 1) return `${what}: ${active.length} of the others are active`;
  const told = diagnostics.some(({ message }) => {
    const line = Number(/hooks\.yaml:(\d+)/.exec(message)?.[1]);
    return line >= from && line <= to;
  });
  return told
    ? undefined
    : `${what}: nothing names lines ${from} to ${to}: ${diagnostics.map(({ message }) => message).join(" | ")}`;
}

export const claim: Claim = {
  name: "entries",
  says: "one bad entry of a configuration disables only itself, and is reported with its line (R58)",
  run: (size) => findingOf([{ id: "R58", run: oneBadEntry }], size),
};
