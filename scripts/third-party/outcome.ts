import { join } from "node:path";
import { startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { root } from "../step.ts";
import { differences } from "./compare.ts";
import { type Exercise, exercise, type Own } from "./exercise.ts";
import type { Listed, Package } from "./list.ts";
import { reply } from "./model.ts";
import { given, hookline, makePlace, type Place, type Program } from "./program.ts";
import { run } from "./run.ts";

/** The result of one extension. */
export interface Outcome extends Listed {
  readonly package: string;
  readonly dialect: string;
  readonly state: string;
  readonly events: readonly string[];
  /** Events that the extension listens to but that did not occur in the session; they were then fired separately. */
  readonly byHand: readonly string[];
  /** The number of calls of the extension's hooks, and of those that failed. */
  readonly asked: number;
  readonly failed: number;
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly texts: readonly string[];
  /** The number of calls of a tool, and of those that reported an error. */
  readonly calls: number;
  readonly refusals: number;
  /** Differences from the extension's behaviour in pi; absent if that was not compared. */
  readonly unlike?: readonly string[];
  /** Imported names that no installed module exports. */
  readonly lacks: readonly string[];
  readonly problems: readonly string[];
  /** Whether the result agrees with the list. */
  readonly asListed: boolean;
}

/** The resources that an exercise needs. */
export interface Means {
  /** The folder of fetched packages. */
  readonly packages: string;
  readonly own: Own;
  /** The real pi, for comparison. */
  readonly pi?: Program | undefined;
}

interface Source {
  readonly lane: string;
  readonly state: string;
  readonly reason?: string;
  readonly events: readonly string[];
  readonly lacks?: readonly string[];
}

/** Loads extensions as published and exercises them; `there` are the extensions for the real pi. */
export async function outcomeOf(
  { name, clone }: Package,
  listed: Listed,
  { extensions, there }: { readonly extensions: readonly string[]; readonly there: readonly string[] },
  means: Means,
): Promise<Outcome> {
  const server = await startLoopback(reply);
  using place = makePlace(hookline, server.url, means.packages);
  try {
    const report = await loaded(extensions, place);
    const { sources } = report;
    const printed = await ask(["-p", "Say hello", ...given(extensions)], place);
    const ours = await exercise(hookline, extensions, means);
    const events = [...new Set(sources.flatMap((source) => source.events))];
    const heard = new Set(ours.asked.map(({ event }) => event));
    const byHand = await fireEach(
      events.filter((event) => !heard.has(event)),
      sources[0]?.lane ?? "pi",
      extensions,
      place,
    );
    // Many extensions at once produce output in a different order each time.
    const isOfPi = means.pi !== undefined && clone !== true && sources.every(({ lane }) => lane === "pi");
    const unlike = isOfPi ? differences(ours, await exercise(means.pi as Program, there, means)) : undefined;
    const problems = [
      ...sources.filter(({ state }) => state !== "runs").map(({ state, reason = state }) => reason),
      ...(sources.length === 0 ? ["it was not found"] : []),
      ...(printed.code === 0 && printed.out.includes("Done.") ? [] : [`in print mode: ${lastLine(printed.err)}`]),
      ...problemsOf(ours),
      ...byHand.filter(({ ok }) => !ok).map(({ event }) => `${event} by hand: failed`),
    ];
    const statuses = ours.asked.filter(({ status }) => status === "failed" || status === "timed-out");
    const results = ours.done.flatMap(({ result }) => (result === undefined ? [] : [result]));
    const runs = problems.length === 0 && statuses.length === 0;
    const isExplained = unlike === undefined || unlike.length === 0 || listed.differs !== undefined;
    return {
      ...listed,
      package: name,
      dialect: sources[0]?.lane ?? "",
      state: sources.every(({ state }) => state === "runs") ? "runs" : "does not run",
      events,
      byHand: byHand.map(({ event }) => event),
      asked: ours.asked.length,
      failed: statuses.length,
      tools: ours.tools,
      commands: ours.commands,
      texts: ours.texts,
      calls: results.length,
      refusals: results.filter(({ isError }) => isError).length,
      ...(unlike !== undefined && { unlike }),
      lacks: lacking(report),
      problems: [...new Set(problems)],
      asListed: (listed.why === undefined) === runs && isExplained,
    };
  } finally {
    await server.close();
  }
}

/** The parts of the load report that are used here. */
interface Report {
  readonly sources: readonly Source[];
}

async function loaded(extensions: readonly string[], place: Place): Promise<Report> {
  const { out } = await ask(["hooks", "list", "--json", ...given(extensions)], place);
  try {
    return JSON.parse(out) as Report;
  } catch {
    return { sources: [] };
  }
}

function lacking({ sources }: Report): string[] {
  return [...new Set(sources.flatMap(({ lacks = [] }) => lacks))];
}

/** Fires the events of the extensions' hooks that do not occur in a client's session. */
async function fireEach(events: readonly string[], lane: string, extensions: readonly string[], place: Place) {
  const fired: { readonly event: string; readonly ok: boolean }[] = [];
  for (const event of events) {
    const { out, code } = await ask(["hooks", "fire", `${lane}:${event}`, "--json", ...given(extensions)], place);
    const isBad = /"status": "(failed|timed-out)"/.test(out);
    fired.push({ event, ok: code === 0 && !isBad });
  }
  return fired;
}

function problemsOf({ done, code }: Exercise): string[] {
  const errors = done.flatMap(({ step, errors: said }) => said.map((error) => `${step}: ${error}`));
  const open = done.filter(({ wentOn }) => wentOn).map(({ step }) => `${step}: it was not over after 15 s`);
  return [...errors, ...open, ...(code === 0 ? [] : [`the program ended with ${code}`])];
}

function ask(args: readonly string[], { project, env }: Place) {
  const model = ["--model", "loop/m1", "--trust-project"];
  const command = [process.execPath, join(root, "packages/hookline/bin/hookline.js"), ...model, ...args];
  return run(command, project, env);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}
