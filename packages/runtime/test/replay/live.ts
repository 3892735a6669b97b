import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import { onTestFinished } from "vitest";
import { dialects } from "../../../integrations/src/index.ts";
import type { RecognisedSource } from "../../src/past.ts";
import { RecordingWriter } from "../../src/record/write.ts";
import { type ReplayOptions, type ReplayResult, recogniseSource, replay } from "../../src/replay/index.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import type { HookRuntime } from "../../src/session/runtime.ts";
import { createHookRuntime } from "../../src/session.ts";

/** An event with its payload. */
export type Told = readonly [event: string, payload: object];

/** A folder with an empty home, gone after the test, and a runtime in it. */
export function place(): { folder: string; runtime: HookRuntime; write(name: string, text: string): string } {
  const folder = mkdtempSync(join(tmpdir(), "hookline-replay-"));
  const home = join(folder, "home");
  const env = { PATH: process.env["PATH"], HOME: home, HOOKLINE_REPLAY: "1" };
  const runtime = createHookRuntime({
    dialects,
    home,
    hooklineHome: join(home, ".hookline"),
    runUnapprovedProjectHooks: true,
    env,
  });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    runtime,
    write(name, text) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
  };
}

/** Tells moments to hooks as a host does, and gives a recording of what they said. */
export async function recorded(
  at: ReturnType<typeof place>,
  modules: readonly string[],
  told: readonly Told[],
  more: (n: number) => object = () => ({}),
): Promise<RecognisedSource> {
  const scene = { sessionId: "live", cwd: at.folder };
  const session = await at.runtime.open({ scene, explicit: modules });
  const lines: string[] = [];
  const header = { session: "live", cwd: at.folder, hookline: "0", level: "decisions", t: 1 } as const;
  const writer = new RecordingWriter({ write: (line) => lines.push(line) }, header);
  let n = 0;
  for (const [event, payload] of told) {
    n += 1;
    const outcome = (await session.emit(event as never, payload as never)) as Outcome;
    const hooks = outcome.hooks.map(({ hook, place: source, ...run }) => ({ id: hook, source, ...run }));
    const { edits, answer, ms } = outcome;
    writer.moment({ t: n, event, scene: { cwd: at.folder }, payload, hooks, edits, outcome: answer, ms, ...more(n) });
  }
  writer.end();
  await session.close();
  return recogniseSource(at.write("recording.jsonl", lines.join("")), transcripts) as RecognisedSource;
}

/** Replays a source with the hooks of some modules. */
export function again(
  at: ReturnType<typeof place>,
  source: RecognisedSource,
  modules: readonly string[],
  options: Partial<ReplayOptions> = {},
): Promise<ReplayResult> {
  return replay({
    sources: [source],
    lanes: at.runtime.lanes,
    cwd: at.folder,
    candidate: (parts) => at.runtime.open({ ...parts, explicit: modules }),
    ...options,
  });
}

/** A call of a tool. */
export const call = (tool: string, args: object, id = "1"): Told => ["tool.before", { toolCallId: id, tool, args }];

/** The sums that the counts of a result must be. */
export function lawsOf(result: ReplayResult): { moments: number; asked: number } {
  const sum = (counts: Readonly<Record<string, number | undefined>>): number =>
    Object.values(counts).reduce((all: number, one) => all + (one ?? 0), 0);
  const { failing, newlyDenied, newlyAllowed, newlyAsked, rewritten, slower, same } = result;
  return {
    moments: result.asked + sum(result.notAsked),
    asked: failing + newlyDenied + newlyAllowed + newlyAsked + rewritten + slower + same + sum(result.notJudged),
  };
}
