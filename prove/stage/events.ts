import type { Scene } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import type { Lane, LaneRow } from "@hookline/runtime/engine";
import { sampleEvent } from "@hookline/runtime/testing";

/** An event of a lane, with a sample. */
export interface Sampled {
  readonly lane: string;
  readonly row: LaneRow;
  /** Returns a new sample for each trial, which may damage it. */
  sample(): object;
}

export const SCENE: Scene = { sessionId: "stage", cwd: "/", messages: () => [], systemPrompt: () => "" };

/** Returns every event of every lane whose hooks run in this process. */
export function inProcessEvents(): Sampled[] {
  const lanes: Lane[] = dialects.flatMap((dialect) => dialect.lanes.filter(({ isolate }) => isolate));
  return lanes.flatMap(({ id, rows }) => rows.map((row) => ({ lane: id, row, sample: () => sampleEvent(row, SCENE) })));
}
