import type { Scene } from "@hookline/runtime";
import type { Explanation, Lane } from "@hookline/runtime/internal";
import { type SampleOptions, sampleEvent, samplePayload } from "@hookline/runtime/testing";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { plain } from "../io/table.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { openHooks } from "./open-hooks.ts";
import { readPayload } from "./payload.ts";
import { readTarget, type Target } from "./target.ts";

/** `hookline hooks explain EVENT`: who would run for it, in which order, and why the others would not. Runs nobody. */
export async function explainEvent(args: Arguments, io: Io): Promise<number> {
  const [event] = args.words;
  if (event === undefined) {
    io.err("Which event? `hookline hooks explain EVENT`, as in `hookline hooks explain tool.before --tool bash`.\n");
    return EXIT.usage;
  }
  const { runtime, session, scene, close } = await openHooks(args, io);
  try {
    const target = readTarget(event, runtime.lanes, session);
    const sample = await sampleFor(target, args, io, scene);
    const explanation =
      target.kind === "catalog"
        ? session.explain(target.event, sample)
        : session.explainLane(target.lane.id, target.event, sample);
    io.out(args.flags["json"] === true ? jsonText(explanation) : explanationText(explanation));
  } finally {
    await close();
  }
  return EXIT.fine;
}

/** The event that a command is about: a sample with the tool and model that a person names, and what they give in its place. */
export async function sampleFor(target: Target, args: Arguments, io: Io, scene: Scene): Promise<object> {
  const given = await readPayload(args, io);
  const options: SampleOptions = { tool: textFlag(args, "tool"), model: scene.model };
  const sample = target.kind === "catalog" ? samplePayload(target.event, options) : laneSample(target, options, scene);
  return { ...sample, ...given };
}

function laneSample(target: { lane: Lane; event: string }, options: SampleOptions, scene: Scene): object {
  const row = target.lane.rows.find(({ name }) => name === target.event) as Lane["rows"][number];
  return sampleEvent(row, scene, options);
}

/** An explanation for a person. */
export function explanationText({ event, subject, plan, others }: Explanation): string {
  const about = subject === undefined ? "" : ` (${plain(String(subject))})`;
  return [
    `${plan.length === 0 ? "Nobody" : plan.length} would be asked about ${event}${about}${plan.length === 0 ? "." : ":"}`,
    ...plan.flatMap(({ order, source, dialect, why }) => [
      `${String(order).padStart(3)}  ${dialect}  ${plain(source)}`,
      `     ${plain(why)}`,
    ]),
    ...(others.length > 0 ? ["", "Not asked:"] : []),
    ...others.flatMap(({ source, why }) => [`     ${plain(source)}`, `       ${plain(why)}`]),
    "",
  ].join("\n");
}
