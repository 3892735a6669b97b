import { HooklineError, type Outcome, type Session } from "@hookline/runtime";
import { type Lane, place } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText, plainJson } from "../io/plain-json.ts";
import { ms, plain } from "../io/table.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { explanationText, sampleFor } from "./explain.ts";
import { type FoldStep, foldSteps } from "./fold-steps.ts";
import { openHooks } from "./open-hooks.ts";
import { readTarget, type Target } from "./target.ts";

/** `hookline hooks fire [DIALECT:]EVENT`: asks the hooks over their real transports and shows what each of them said. */
export async function fireEvent(args: Arguments, io: Io): Promise<number> {
  const [event] = args.words;
  if (event === undefined) {
    io.err("Which event? `hookline hooks fire DIALECT:EVENT`, as in `hookline hooks fire pi:tool_call`.\n");
    return EXIT.usage;
  }
  const times = readTimes(args);
  const json = args.flags["json"] === true;
  const { runtime, session, scene, close } = await openHooks(args, io);
  try {
    const target = readTarget(event, runtime.lanes, session);
    const payload = await sampleFor(target, args, io, scene);
    if (args.flags["dry-run"] === true) {
      const { lane, event: name } = target.kind === "lane" ? target : { lane: undefined, event: target.event };
      const plan =
        lane === undefined ? session.explain(name as never, payload) : session.explainLane(lane.id, name, payload);
      io.out(json ? jsonText(plan) : explanationText(plan));
      return EXIT.fine;
    }
    const outcomes: Outcome[] = [];
    for (let n = 0; n < times; n++) outcomes.push(await ask(session, target, payload));
    const fired = firedOf(target, outcomes, session, runtime.lanes);
    io.out(json ? jsonText(fired) : firedText(fired, payload));
  } finally {
    await close();
  }
  return EXIT.fine;
}

function readTimes(args: Arguments): number {
  const text = textFlag(args, "times") ?? "1";
  const times = Number(text);
  if (Number.isSafeInteger(times) && times > 0 && times <= 100_000) return times;
  throw new HooklineError("INVALID_OPTION", {
    option: "--times",
    problem: `is not a number of times: ${text}`,
    remedy: "Give a whole number from 1 to 100000.",
  });
}

async function ask(session: Session, target: Target, payload: object): Promise<Outcome> {
  if (target.kind === "lane") return session.fire(target.lane.id, target.event, payload);
  return session.emit(target.event, payload as never) as Outcome | Promise<Outcome>;
}

/** What firing came to, as `--json` prints it. */
interface Fired {
  readonly event: string;
  readonly dialect?: string;
  readonly hooks: readonly {
    readonly id: string;
    readonly source: string;
    readonly tier: string;
    readonly status: string;
    readonly answer?: unknown;
    readonly ms: number;
    readonly stderr?: string;
    readonly problem?: string;
    readonly pass?: 2;
  }[];
  readonly fold: readonly FoldStep[];
  readonly outcome: unknown;
  readonly edits: readonly {
    readonly hook: string;
    readonly field: string;
    readonly from: unknown;
    readonly to: unknown;
  }[];
  readonly notices: readonly { readonly hook: string; readonly text: string }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly hint: string;
    readonly source?: string;
  }[];
  readonly ms: number;
  readonly timing?: {
    readonly times: number;
    readonly minMs: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly maxMs: number;
  };
}

function firedOf(target: Target, outcomes: readonly Outcome[], session: Session, lanes: readonly Lane[]): Fired {
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
      ...(run.pass === 2 && { pass: 2 as const }),
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

function timingOf(all: readonly number[]): NonNullable<Fired["timing"]> {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { times: all.length, minMs: at(0), p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

function firedText(fired: Fired, payload: object): string {
  const lines = [`${fired.dialect === undefined ? "" : `${fired.dialect}:`}${fired.event} with ${shown(payload)}`, ""];
  for (const hook of fired.hooks) {
    lines.push(
      `${hook.status.padEnd(11)}  ${ms(hook.ms).padStart(6)} ms  ${plain(hook.source)}${hook.pass === 2 ? "  (asked again)" : ""}`,
    );
    if (hook.answer !== undefined) lines.push(`${INDENT}answer: ${shown(hook.answer)}`);
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
