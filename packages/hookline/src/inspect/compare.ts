import { type Fields, isFields } from "@hookline/ground";
import type { ComparedSide, Comparison, Difference, HookAsked } from "./api.ts";
import { keyOf } from "./columns.ts";
import { cutTo } from "./cut.ts";
import { momentIn } from "./moment-answer.ts";
import type { MomentIndex } from "./moment-index.ts";
import type { FullMoment } from "./passing.ts";
import type { Breathe } from "./reading.ts";

/** Two moments that differ, or one that the other side does not have; 0 stands for none. */
export interface Pair {
  readonly left: number;
  readonly right: number;
  readonly differs: readonly string[];
}

/** The result of comparing two files. */
export interface Compared {
  readonly same: number;
  readonly pairs: readonly Pair[];
  readonly counts: Readonly<Record<string, number>>;
}

/** How moments are matched, for a person. */
export const HOW =
  "Moments are matched by event, tool, and arguments or text; equal ones by their order. The comparison covers calls, prompts and every moment at which hooks were asked.";

/** Events whose moments are compared even if nobody was asked. */
const ALWAYS: ReadonlySet<string> = new Set(["tool.before", "prompt.before"]);
const MOMENTS_AT_ONCE = 64;
/** The most bytes of one difference in an answer. */
const SIDE_BYTES = 12_000;

/** Compares the moments of two files. */
export async function compareFiles(left: MomentIndex, right: MomentIndex, breathe: Breathe): Promise<Compared> {
  const others = await byKey(right, breathe);
  const pairs: Pair[] = [];
  let same = 0;
  let done = 0;
  for (const n of compared(left)) {
    done += 1;
    if (done % MOMENTS_AT_ONCE === 0) await breathe();
    const moment = readable(left, n);
    if (moment === undefined) continue;
    const waiting = others.get(keyOfMoment(moment));
    const other = waiting?.shift();
    const against = other === undefined ? undefined : readable(right, other);
    if (other === undefined || against === undefined) pairs.push({ left: n, right: 0, differs: ["only left"] });
    else {
      const differs = differencesOf(moment, against);
      if (differs.length === 0) same += 1;
      else pairs.push({ left: n, right: other, differs });
    }
  }
  const only = [...others.values()].flat().sort((a, b) => a - b);
  const all = [...pairs, ...only.map((n): Pair => ({ left: 0, right: n, differs: ["only right"] }))];
  const counts: Record<string, number> = {};
  for (const { differs } of all) for (const word of differs) counts[word] = (counts[word] ?? 0) + 1;
  return { same, pairs: all, counts };
}

/** One window of a comparison. */
export function differencesIn(
  { pairs, same, counts }: Compared,
  { left, right }: { readonly left: MomentIndex; readonly right: MomentIndex },
  { from, count }: { readonly from: number; readonly count: number },
): Omit<Comparison, "v" | "left" | "right" | "how"> {
  const items = pairs.slice(from, from + count).map((pair): Difference => {
    const [before, after] = [momentOf(left, pair.left), momentOf(right, pair.right)];
    const known = (before ?? after) as FullMoment;
    const item = pair.left > 0 ? left.item(pair.left) : right.item(pair.right);
    return {
      ...(pair.left > 0 && { left: pair.left }),
      ...(pair.right > 0 && { right: pair.right }),
      event: item.event,
      ...(item.tool !== undefined && { tool: item.tool }),
      label: labelOf(known),
      differs: pair.differs,
      ...(before !== undefined && { before: sideOf(before) }),
      ...(after !== undefined && { after: sideOf(after) }),
    };
  });
  return { same, total: pairs.length, from, counts, items };
}

/** A call or a text, shortened: `bash rm -rf build`. */
export function labelOf({ event, payload }: Pick<FullMoment, "event" | "payload">): string {
  const { tool, args, text } = (payload ?? {}) as Fields;
  if (typeof tool !== "string") return typeof text === "string" ? oneLine(text) : event;
  const { command, path, file_path: filePath } = isFields(args) ? args : {};
  const about = [command, path, filePath].find((value) => typeof value === "string");
  return oneLine(`${tool} ${about ?? JSON.stringify(args ?? {})}`);
}

function oneLine(text: string): string {
  const line = text.slice(0, 400).replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function* compared(index: MomentIndex): Generator<number> {
  const always = new Set([...ALWAYS].map((event) => index.events.find(event)));
  for (let n = 1; n <= index.count; n++)
    if (index.rows.get("asked", n - 1) > 0 || always.has(index.rows.get("event", n - 1))) yield n;
}

async function byKey(index: MomentIndex, breathe: Breathe): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  let done = 0;
  for (const n of compared(index)) {
    done += 1;
    if (done % MOMENTS_AT_ONCE === 0) await breathe();
    const moment = readable(index, n);
    if (moment === undefined) continue;
    const key = keyOfMoment(moment);
    const list = found.get(key);
    if (list === undefined) found.set(key, [n]);
    else list.push(n);
  }
  return found;
}

function keyOfMoment({ event, payload, scene }: FullMoment): number {
  const { tool, args, text } = (payload ?? {}) as Fields;
  return keyOf(stable([event, scene.agent === undefined, tool, args, typeof text === "string" ? text : undefined]));
}

function differencesOf(before: FullMoment, after: FullMoment): string[] {
  const parts: readonly (readonly [word: string, of: (moment: FullMoment) => unknown])[] = [
    [
      "decision",
      ({ outcome }) => [outcome["decision"], outcome["stop"], outcome["cancel"], outcome["halt"] !== undefined],
    ],
    ["reason", ({ outcome }) => outcome["reason"]],
    ["changes", ({ outcome }) => handedOf(outcome)],
    ["person", ({ asked }) => asked?.answer],
    ["hooks", ({ hooks }) => hooks.map((hook) => [hook.id, hook.pass, saidBy(hook)])],
  ];
  return parts.flatMap(([word, of]) => (stable(of(before)) === stable(of(after)) ? [] : [word]));
}

/** That a hook said nothing or was not reached is not a difference by itself. */
function saidBy({ status, shadow, would }: HookAsked): string {
  const said = SAID.has(status) ? status : "";
  return shadow === true ? `in shadow ${said} ${would ?? ""}` : said;
}

const SAID: ReadonlySet<string> = new Set(["answered", "failed", "timed-out"]);
const ABOUT: ReadonlySet<string> = new Set(["decision", "reason", "stop", "cancel", "halt"]);

function handedOf(outcome: Fields): Fields {
  return Object.fromEntries(Object.entries(outcome).filter(([name]) => !ABOUT.has(name)));
}

/** A moment as one side of a difference. */
function sideOf(moment: FullMoment): ComparedSide {
  const { outcome, hooks, edits, ms, asked } = moment;
  const { decision, reason, cancel, stop, halt } = outcome;
  const isHeld = decision === "deny" || [cancel, stop, halt].some(Boolean);
  const side: ComparedSide = {
    decision: isHeld ? "deny" : decision === "ask" ? "ask" : "allow",
    ...(typeof reason === "string" && { reason }),
    handed: handedOf(outcome),
    hooks: hooks as readonly HookAsked[],
    edits,
    ms,
    ...(asked !== undefined && { person: `${asked.answer} by ${asked.by}` }),
  };
  return shortSide(side);
}

/** A side whose long values are cut, so that many of them fit into one answer. */
export function shortSide(side: ComparedSide): ComparedSide {
  const { value, cut } = cutTo(side, SIDE_BYTES);
  return cut.length === 0 ? value : { ...value, cut: true };
}

/** The same text for equal values, without the time at which a message was made. */
function stable(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === "timestamp" && typeof part === "number") return undefined;
    return isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  });
}

function momentOf(index: MomentIndex, n: number): FullMoment | undefined {
  return n === 0 ? undefined : momentIn(index, n);
}

function readable(index: MomentIndex, n: number): FullMoment | undefined {
  try {
    return index.moment(n);
  } catch {
    return undefined;
  }
}
