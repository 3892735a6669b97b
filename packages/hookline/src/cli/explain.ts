import { EXIT, type Io, jsonText, plain, shortPaths } from "@hookline/ground/system";
import type { Scene } from "@hookline/runtime";
import { type Explanation, type Lane, listensElsewhere } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { type SampleOptions, sampleEvent, samplePayload } from "@hookline/runtime/testing";
import { whyNot } from "../hook/in-shadow.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { openHooks } from "./open-hooks.ts";
import { readPayload } from "./payload.ts";
import { type EventTarget, readTarget } from "./target.ts";
import { sampleCall } from "./testing/call-check.ts";

/** `hookline hooks explain EVENT`: shows which hooks would run, in order, and why others would not. Runs none. */
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
    const explanation = explanationOf(target, sample, session);
    const isAll = args.flags["all"] === true;
    io.out(
      args.flags["json"] === true ? jsonText(explanation) : shortPaths(explanationText(explanation, isAll), place),
    );
  } finally {
    await close();
  }
  return EXIT.fine;
}

/** Returns a sample of the event, with the tool, model and fields that the person gives. */
export function sampleFor(target: EventTarget, args: Arguments, given: object | undefined, scene: Scene): object {
  const options: SampleOptions = { ...sampleCall(target, textFlag(args, "tool")), model: scene.model };
  const sample = target.kind === "catalog" ? samplePayload(target.event, options) : laneSample(target, options, scene);
  return { ...sample, ...given };
}

function laneSample(target: { lane: Lane; event: string }, options: SampleOptions, scene: Scene): object {
  const row = target.lane.rows.find(({ name }) => name === target.event) as Lane["rows"][number];
  return sampleEvent(row, scene, options);
}

/** Lists the hooks that would be asked about an event with this payload. */
export function explanationOf(target: EventTarget, payload: object, session: HookSession): Explanation {
  return target.kind === "lane"
    ? session.explainLane(target.lane.id, target.event, payload)
    : session.explain(target.event, payload);
}

/** An explanation as text for a person; `isAll` lists hooks of other events too. */
export function explanationText({ event, subject, plan, others }: Explanation, isAll = false): string {
  const about = subject === undefined ? "" : ` (${plain(String(subject))})`;
  const listed = others.filter((one) => isAll || !listensElsewhere(one));
  const rest = others.length - listed.length;
  return [
    `${plan.length === 0 ? "No hook" : plan.length} would be asked about ${event}${about}${plan.length === 0 ? "." : ":"}`,
    ...plan.flatMap(({ order, source, dialect, why }) => [
      `${String(order).padStart(3)}  ${dialect}  ${plain(source)}`,
      `     ${plain(why)}`,
    ]),
    ...(listed.length > 0 ? ["", "Not asked:"] : []),
    ...listed.flatMap(({ source, why }) => [`     ${plain(source)}`, `       ${plain(whyNot(why))}`]),
    ...(rest === 0
      ? []
      : [
          "",
          `${rest} ${rest === 1 ? "hook listens" : "hooks listen"} to other events; \`hookline hooks explain ${event} --all\` lists them.`,
        ]),
    "",
  ].join("\n");
}
