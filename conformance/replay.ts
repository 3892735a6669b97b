import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outcome, Runtime, Session } from "@hookline/runtime";
import type { Dialect } from "@hookline/runtime/dialect";
import { type OpenSide, type ReplayResult, recogniseSource, replay } from "@hookline/runtime/replay";
import { RecordingWriter } from "../packages/runtime/src/record/write.ts";
import type { Case } from "./case.ts";
import { fromData } from "./data.ts";
import { sceneOf } from "./scene.ts";
import { Stage } from "./stage.ts";

/** A case that was asked, recorded, and replayed with the same hooks. */
export interface ReplayedCase {
  readonly result: ReplayResult;
  /** How often its event was emitted. */
  readonly times: number;
}

/** Records a case and asks its hooks about the recording; `then` are those of another time. */
export async function replayCase(one: Case, dialects: readonly Dialect[], then: Case = one): Promise<ReplayedCase> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-replayed-"));
  const times = one.times ?? 1;
  try {
    const path = join(folder, "recording.jsonl");
    writeFileSync(path, await record(then, dialects, times));
    const source = recogniseSource(path);
    if (source === undefined) throw new Error("the recording is not recognised");
    const { runtime, open } = stageOf(one, dialects);
    try {
      const { lanes } = runtime;
      const result = await replay({ sources: [source], lanes, cwd: "/case", candidate: open, startedFor: [one.event] });
      return { result, times };
    } finally {
      await runtime.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a recording of the case holds. */
async function record(one: Case, dialects: readonly Dialect[], times: number): Promise<string> {
  const { runtime, open } = stageOf(one, dialects);
  const lines: string[] = [];
  const header = { session: "case", cwd: "/case", hookline: "0", level: "decisions", t: 1 } as const;
  const writer = new RecordingWriter({ write: (line) => lines.push(line) }, header);
  try {
    const session = await open({ scene: sceneOf(one), services: {}, admits: () => true });
    for (let n = 0; n < times; n++) {
      const payload = fromData(one.payload);
      const { hooks, edits, answer, ms } = (await session.emit(one.event as never, payload as never)) as Outcome;
      const runs = hooks.map(({ hook, place, ...run }) => ({ id: hook, source: place, ...run }));
      const moment = { t: n + 1, event: one.event, scene: { cwd: "/case" }, hooks: runs, edits, outcome: answer, ms };
      try {
        writer.moment({ ...moment, payload });
      } catch {
        // What has no JSON, such as a function of the host, is in no recording.
        const bare = runs.map(({ answer: _, ...run }) => run);
        writer.moment({ ...moment, hooks: bare, edits: [], outcome: {} });
      }
    }
    writer.end();
    return lines.join("");
  } finally {
    await runtime.close();
  }
}

/** A runtime with the case's hooks, whose clock goes on while they are asked. */
function stageOf(one: Case, dialects: readonly Dialect[]): { readonly runtime: Runtime; readonly open: OpenSide } {
  const stage = new Stage(one);
  const runtime = stage.runtime(dialects);
  const open: OpenSide = async ({ admits }) => {
    const scene = sceneOf(one);
    const session = await runtime.open({ scene, admits, settings: { shadow: stage.shadow } });
    const asked = scene.agentId === undefined ? session : session.within(scene);
    return {
      emit: (event: never, payload: never) => stage.clock.settle<Outcome>(asked.emit(event, payload) as never),
      close: () => session.close(),
    } as unknown as Session;
  };
  return { runtime, open };
}
