import { chooseFrom, type Fields, place } from "@hookline/ground";
import { EXIT, type Io, jsonText, ms, plain, plainJson, shortPaths, wrongUse } from "@hookline/ground/system";
import type { Outcome, TraceLine } from "@hookline/runtime";
import type { Lane, LaneRow } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { type Arguments, textFlag } from "../start/args.ts";
import { explanationOf, explanationText, sampleFor } from "./explain.ts";
import { openHooks } from "./open-hooks.ts";
import { readPayload } from "./payload.ts";
import { type EventTarget, readTarget } from "./target.ts";
import { callProblems } from "./testing/call-check.ts";
import { payloadProblems } from "./testing/payload-check.ts";
import { cameOf, emit } from "./testing/run-case.ts";
import { unmet, WORDS, type Word } from "./testing/verdict.ts";

/** `hookline hooks fire [DIALECT:]EVENT`: asks the hooks over their real transports and shows what each answered. */
export async function fireEvent(args: Arguments, io: Io): Promise<number> {
  const [event] = args.words;
  if (event === undefined) {
    io.err("Which event? `hookline hooks fire DIALECT:EVENT`, as in `hookline hooks fire pi:tool_call`.\n");
    return EXIT.usage;
  }
  const times = readTimes(args);
  const expected = readExpected(args);
  const json = args.flags["json"] === true;
  const shadows: TraceLine["hooks"][number][] = [];
  const opened = await openHooks(args, io, {
    watch: (line) => void shadows.push(...line.hooks.filter(({ shadow }) => shadow)),
  });
  const { runtime, session, scene, close } = opened;
  const show = (text: string): void => io.out(shortPaths(text, opened.place));
  try {
    const target = readTarget(event, runtime.lanes, session);
    const given = await readPayload(args, io);
    const payload = sampleFor(target, args, given, scene);
    const wrong = [
      ...payloadProblems(target, (given ?? {}) as Fields, payload as Fields, scene),
      ...callProblems(
        target,
        { tool: textFlag(args, "tool"), payload: (given ?? {}) as Fields },
        payload as Fields,
        session,
      ),
    ];
    if (wrong.length > 0) {
      for (const problem of wrong) io.err(`${plain(`The payload cannot be used: ${problem}`)}\n`);
      io.err(`\`hookline schema ${event}\` says what it may contain.\n`);
      return EXIT.usage;
    }
    if (args.flags["dry-run"] === true) {
      const plan = explanationOf(target, payload, session);
      if (json) io.out(jsonText(plan));
      else show(explanationText(plan));
      return EXIT.fine;
    }
    const outcomes: Outcome[] = [];
    const told: Outcome[] = [];
    for (let n = 0; n < times; n++) {
      shadows.length = 0;
      const outcome = await emit(target, payload, session);
      await session.shadowsSettled();
      outcomes.push(outcome);
      told.push({ ...outcome, hooks: [...outcome.hooks, ...shadows.map(runOf)] });
    }
    const skipped = whySkipped(target, payload, session);
    const fired = firedOf({ target, outcomes: told, skipped }, session, runtime.lanes);
    if (json) io.out(jsonText(fired));
    else show(firedText(fired, payload));
    if (expected === undefined) return EXIT.fine;
    const problems = new Set(
      outcomes.flatMap((outcome) =>
        unmet({ verdict: expected }, cameOf({ outcome, target, payload }, { session, lanes: runtime.lanes, scene })),
      ),
    );
    for (const problem of problems) io.err(`${plain(problem)}\n`);
    return problems.size > 0 ? EXIT.failed : EXIT.fine;
  } finally {
    await close();
  }
}

function readTimes(args: Arguments): number {
  const text = textFlag(args, "times") ?? "1";
  const times = Number(text);
  if (Number.isSafeInteger(times) && times > 0 && times <= 100_000) return times;
  throw wrongUse("--times", `is not a number of times: ${text}`, "Give a whole number from 1 to 100000.");
}

function readExpected(args: Arguments): Word | undefined {
  const word = textFlag(args, "expect");
  if (word !== undefined && args.flags["dry-run"] === true)
    throw wrongUse("--expect", "cannot be judged with --dry-run, which asks no hook", "Leave out one of the two.");
  if (word === undefined || (WORDS as readonly string[]).includes(word)) return word as Word | undefined;
  throw wrongUse("--expect", `is not an outcome: ${word}`, chooseFrom(word, WORDS));
}

/** Converts a shadow hook's entry in a trace to an entry of an outcome, to show it among the other hooks. */
function runOf({ id, source, stderr, ...run }: TraceLine["hooks"][number]): Outcome["hooks"][number] {
  return { ...run, hook: id, place: source, ...(typeof stderr === "string" && { stderr }) };
}

/** Returns why hooks are not asked, by their ids. */
function whySkipped(target: EventTarget, payload: object, session: HookSession): ReadonlyMap<string, string> {
  return new Map(explanationOf(target, payload, session).others.map(({ id, why }) => [id, why]));
}

interface FiredParts {
  readonly target: EventTarget;
  readonly outcomes: readonly Outcome[];
  readonly skipped: ReadonlyMap<string, string>;
}

/** Returns the result of `hooks fire` as `--json` prints it. */
function firedOf({ target, outcomes, skipped }: FiredParts, session: HookSession, lanes: readonly Lane[]) {
  const outcome = outcomes.at(-1) as Outcome;
  const tiers = new Map(session.hooks().map(({ hook }) => [hook.id, hook.source.tier]));
  return {
    event: target.event,
    ...(target.kind === "lane" && { dialect: target.lane.id }),
    hooks: outcome.hooks.map((run) => ({
      id: run.hook,
      source: run.place,
      tier: tiers.get(run.hook) ?? "session",
      status: run.status,
      ...(run.answer !== undefined && { answer: run.answer }),
      ms: round(run.ms),
      ...(run.stderr !== undefined && { stderr: run.stderr }),
      ...(run.problem !== undefined && { problem: run.problem }),
      ...(run.status === "skipped" && { why: skipped.get(run.hook) ?? "its filter does not match" }),
      ...(run.pass === 2 && { pass: 2 as const }),
      ...(run.shadow && { shadow: run.shadow }),
    })),
    fold: foldSteps(outcome, session, lanes),
    outcome: outcome.answer,
    edits: outcome.edits.map(({ hook, field, from, to }) => ({ hook, field, from, to })),
    notices: outcome.notices,
    diagnostics: outcome.diagnostics.map(({ code, severity, message, hint, source }) => ({
      code,
      severity,
      message,
      hint,
      ...(source !== undefined && { source: place(source) }),
    })),
    ms: round(outcome.ms),
    ...(outcomes.length > 1 && { timing: timingOf(outcomes.map((one) => one.ms)) }),
  };
}

function timingOf(all: readonly number[]) {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { times: all.length, minMs: at(0), p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

function firedText(fired: ReturnType<typeof firedOf>, payload: object): string {
  const lines = [`${fired.dialect === undefined ? "" : `${fired.dialect}:`}${fired.event} with ${shown(payload)}`, ""];
  for (const hook of fired.hooks) {
    lines.push(
      `${hook.status.padEnd(11)}  ${ms(hook.ms).padStart(6)} ms  ${plain(hook.source)}${hook.pass === 2 ? "  (asked again)" : ""}${hook.shadow ? "  (in shadow: does not count)" : ""}`,
    );
    if (hook.answer !== undefined) lines.push(`${INDENT}answer: ${shown(hook.answer)}`);
    if (hook.why !== undefined) lines.push(`${INDENT}why: ${plain(hook.why)}`);
    if (hook.problem !== undefined) lines.push(`${INDENT}problem: ${plain(hook.problem)}`);
    for (const line of hook.stderr?.trimEnd().split("\n") ?? []) lines.push(`${INDENT}stderr: ${plain(line)}`);
  }
  if (fired.fold.length > 1) {
    lines.push("", "The fold, step by step:");
    for (const { hook, folded } of fired.fold) lines.push(`  ${plain(hook)}`, `    ${shown(folded)}`);
  }
  for (const { hook, field, from, to } of fired.edits)
    lines.push(`edit: ${plain(hook)} changed ${plain(field)} from ${shown(from)} to ${shown(to)}`);
  for (const { text } of fired.notices) lines.push(`notice: ${plain(text)}`);
  for (const { severity, message, hint } of fired.diagnostics) lines.push(plain(`${severity}: ${message}. ${hint}`));
  lines.push("", `outcome: ${shown(fired.outcome)}  (${ms(fired.ms)} ms)`);
  if (fired.timing !== undefined) {
    const { times, minMs, p50Ms, p95Ms, maxMs } = fired.timing;
    lines.push(`${times} times: at least ${ms(minMs)}, p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}, at most ${ms(maxMs)} ms`);
  }
  return `${lines.join("\n")}\n`;
}

const INDENT = " ".repeat(13);

function shown(value: unknown): string {
  return plain(JSON.stringify(plainJson(value)) ?? "nothing");
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The answers of a lane's hooks combined (folded), from the first hook to `hook`. */
interface FoldStep {
  readonly hook: string;
  /** The combined answer, in the dialect's own fields. */
  readonly folded: unknown;
}

/** Returns how the combined answer of each lane grew with every hook that answered. */
function foldSteps(outcome: Outcome, session: HookSession, lanes: readonly Lane[]): FoldStep[] {
  const events = new Map(session.hooks().map(({ lane, hook }) => [hook.id, { lane, event: hook.event }]));
  const states = new Map<LaneRow, unknown>();
  const steps: FoldStep[] = [];
  for (const run of outcome.hooks) {
    const about = events.get(run.hook);
    const rows = lanes.find(({ id }) => id === about?.lane)?.rows;
    const row = rows?.find(({ name }) => name === about?.event);
    if (row === undefined || run.answer === undefined || run.pass === 2 || run.shadow) continue;
    const { fold } = row;
    const state = fold.step(states.has(row) ? states.get(row) : fold.empty, run.answer as never);
    states.set(row, state);
    steps.push({ hook: run.hook, folded: fold.result(state) });
  }
  return steps;
}
