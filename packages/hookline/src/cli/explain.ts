import type { Scene } from "@hookline/runtime";
import type { Explanation, Lane } from "@hookline/runtime/internal";
import { type SampleOptions, sampleEvent, samplePayload } from "@hookline/runtime/testing";
import { whyNot } from "../hook/in-shadow.ts";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { shortPaths } from "../io/short-path.ts";
import { plain } from "../io/table.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { openHooks } from "./open-hooks.ts";
import { readPayload } from "./payload.ts";
import { readTarget, type Target } from "./target.ts";

/**
 * `hookline hooks explain EVENT`: which hooks would run for it, in which order, and why the others would not. Runs
 * none.
 */
export async function explainEvent(args: Arguments, io: Io): Promise<number> {
  const [event] = args.words;
  if (event === undefined) {
    io.err("Which event? `hookline hooks explain EVENT`, as in `hookline hooks explain tool.before --tool bash`.\n");
    return EXIT.usage;
  }
  const { runtime, session, scene, place, close } = await openHooks(args, io);
  try {
    const target = readTarget(event, runtime.lanes, session);
    const sample = sampleFor(target, args, await readPayload(args, io), scene);
    const explanation =
      target.kind === "catalog"
        ? session.explain(target.event, sample)
        : session.explainLane(target.lane.id, target.event, sample);
    io.out(args.flags["json"] === true ? jsonText(explanation) : shortPaths(explanationText(explanation), place));
  } finally {
    await close();
  }
  return EXIT.fine;
}

/**
 * The event of a command: a sample with the tool and model that the person names and with the fields that they give.
 */
export function sampleFor(target: Target, args: Arguments, given: object | undefined, scene: Scene): object {
  const options: SampleOptions = { tool: textFlag(args, "tool"), model: scene.model };
  const sample = target.kind === "catalog" ? samplePayload(target.event, options) : laneSample(target, options, scene);
  return { ...sample, ...given };
}

function laneSample(target: { lane: Lane; event: string }, options: SampleOptions, scene: Scene): object {
  const row = target.lane.rows.find(({ name }) => name === target.event) as Lane["rows"][number];
  return sampleEvent(row, scene, options);
}

/** An explanation as text for a person. */
export function explanationText({ event, subject, plan, others }: Explanation): string {
  const about = subject === undefined ? "" : ` (${plain(String(subject))})`;
  return [
    `${plan.length === 0 ? "No hook" : plan.length} would be asked about ${event}${about}${plan.length === 0 ? "." : ":"}`,
    ...plan.flatMap(({ order, source, dialect, why }) => [
      `${String(order).padStart(3)}  ${dialect}  ${plain(source)}`,
      `     ${plain(why)}`,
    ]),
    ...(others.length > 0 ? ["", "Not asked:"] : []),
    ...others.flatMap(({ source, why }) => [`     ${plain(source)}`, `       ${plain(whyNot(why))}`]),
    "",
  ].join("\n");
}
