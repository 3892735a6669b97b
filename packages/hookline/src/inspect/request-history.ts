import { type Fields, isFields } from "@hookline/ground";
import type { MomentItem } from "./api.ts";
import { type Author, authorsOf, contentTexts, editorsOf, SHORTEST } from "./authors.ts";
import { refusersOf } from "./facts.ts";
import { type Part, partsOf, textsIn } from "./message-parts.ts";
import type { FullMoment } from "./moment-file.ts";
import { MARKS, type MomentIndex } from "./moment-index.ts";
import type { Breathe } from "./reading.ts";

interface Numbered {
  readonly n: number;
  readonly moment: FullMoment;
}

/** The earlier moments that had an effect on a request. */
export interface RequestHistory {
  /** The event `agent.before-start` of the request's prompt. */
  readonly start: Numbered | undefined;
  /** The texts that hooks added to the system prompt when it was built. */
  readonly built: readonly Author[];
  /** The moment at which the request's tools were selected; absent if hooks took no part in that. */
  readonly select: Numbered | undefined;
  /** Whether hooks made so many changes that only the latest were considered. */
  readonly isCut: boolean;
  /** Returns the parts of the latest `most` complete messages since the last compaction. */
  history(most: number): Part[];
  /** Returns parts of earlier messages, with the hooks that made or changed them. */
  attributed(parts: readonly Part[]): Part[];
}

/** Fields of an outcome with texts that hooks add for the model. It receives them alone or within other text. */
const ADDED: readonly string[] = ["additionalContext", "remark", "feedback", "messages", "inject"];
/** Fields of an outcome that replace a value. */
const REWRITTEN: readonly string[] = ["text", "content", "message"];
/** How many of the latest changes by hooks are considered. */
const MOST_CHANGES = 1000;
const MOMENTS_AT_ONCE = 16;

/** Events that are skipped: they come with each token, or concern one request and not the session. */
const SKIPPED = ["message.update", "tool.update", "model.context", "model.request", "model.wire"];
const CHANGED = (1 << MARKS.indexOf("rewrote")) | (1 << MARKS.indexOf("refused"));

/** Finds the earlier moments that had an effect on a request. */
export async function requestHistoryOf(
  index: MomentIndex,
  request: MomentItem,
  breathe: Breathe,
): Promise<RequestHistory> {
  const { last, changes, messages } = placesBefore(index, request);
  const numbered = (event: string): Numbered | undefined => {
    const n = last.get(event);
    const moment = n === undefined ? undefined : readable(index, n);
    return n === undefined || moment === undefined ? undefined : { n, moment };
  };
  const added: Author[] = [];
  const rewritten: Rewrite[] = [];
  const latest = changes.slice(-MOST_CHANGES);
  for (const [at, n] of latest.entries()) {
    if (at % MOMENTS_AT_ONCE === 0) await breathe();
    const moment = readable(index, n);
    if (moment === undefined) continue;
    for (const field of ADDED)
      for (const text of contentTexts(moment.outcome[field]))
        if (text.trim().length >= SHORTEST) added.push({ text, by: authorsOf(moment, text), at: n });
    rewritten.push(...rewritesOf(moment, n), ...refusalsOf(moment, n));
  }
  const build = numbered("prompt.build");
  const { before, after } = build?.moment.outcome ?? {};
  return {
    start: numbered("agent.before-start"),
    built:
      build === undefined
        ? []
        : textsIn([before ?? [], after ?? []]).map((text) => ({
            text,
            by: authorsOf(build.moment, text),
            at: build.n,
          })),
    select: numbered("tools.select"),
    isCut: latest.length < changes.length,
    history: (most) =>
      messages.slice(-most).flatMap((n) => partsOf([(readable(index, n)?.payload as Fields | undefined)?.["message"]])),
    attributed: (parts) => parts.map((part) => (part.change === undefined ? withAuthor(part, rewritten, added) : part)),
  };
}

interface Places {
  /** The last moment of each event. */
  readonly last: ReadonlyMap<string, number>;
  /** Moments at which hooks have changed or refused something. */
  readonly changes: readonly number[];
  /** The moments of `message.end`, at which a message is complete, since the last compaction. */
  readonly messages: readonly number[];
}

/** Finds the earlier moments that may have had an effect on a request. */
function placesBefore({ rows, events, agents }: MomentIndex, { n, agent }: MomentItem): Places {
  const [own, end, compacted] = [agents.number(agent), events.find("message.end"), events.find("compact.after")];
  const skipped = new Set(SKIPPED.map((event) => events.find(event)));
  const last = new Map<number, number>();
  const changes: number[] = [];
  let messages: number[] = [];
  for (let at = 0; at < n - 1; at++) {
    const event = rows.get("event", at);
    if (rows.get("agent", at) !== own || skipped.has(event)) continue;
    last.set(event, at + 1);
    if (event === compacted) messages = [];
    if (event === end) messages.push(at + 1);
    if ((rows.get("marks", at) & CHANGED) !== 0) changes.push(at + 1);
  }
  return { last: new Map([...last].map(([event, at]) => [events.name(event) as string, at])), changes, messages };
}

/** A text that replaced another one, or a reason that replaced a result. */
interface Rewrite extends Author {
  readonly change: "rewritten" | "added";
  readonly before?: string | undefined;
  /** The id of the call whose result was replaced. */
  readonly call?: string | undefined;
}

function withAuthor(part: Part, rewritten: readonly Rewrite[], added: readonly Author[]): Part {
  const rewrite = rewritten.findLast(({ text, call, change }) => {
    if (call !== undefined && (part.kind !== "result" || part.call !== call)) return false;
    return change === "added" ? part.text.includes(text) : part.text === text;
  });
  if (rewrite !== undefined) {
    const { by, at, before, change } = rewrite;
    return { ...part, by, at, change, ...(before !== undefined && { before }) };
  }
  if (part.role === "assistant") return part;
  const author = added.findLast(({ text }) => part.text.includes(text));
  return author === undefined ? part : { ...part, by: author.by, at: author.at, change: "added" };
}

/** Returns the texts with which a moment's hooks replaced others. */
function rewritesOf(moment: FullMoment, at: number): Rewrite[] {
  const { outcome, edits } = moment;
  const call = callIn(moment);
  return REWRITTEN.flatMap((field) => {
    const by = editorsOf(moment, field);
    if (outcome[field] === undefined || by.length === 0) return [];
    const first = edits.find((edit) => "from" in edit && textsIn(edit.to).length > 0);
    const before = first === undefined ? [] : contentTexts(first.from);
    return contentTexts(outcome[field]).flatMap((text, place): Rewrite[] =>
      text === before[place] ? [] : [{ text, by, at, call, change: "rewritten", before: before[place] }],
    );
  });
}

/** Returns the texts that the model reads instead of refused results. */
function refusalsOf(moment: FullMoment, at: number): Rewrite[] {
  const { reason, decision } = moment.outcome;
  const call = callIn(moment);
  if (decision !== "deny" || typeof reason !== "string" || call === undefined) return [];
  return [{ text: reason, by: refusersOf(moment), at, call, change: "added" }];
}

function callIn({ payload }: FullMoment): string | undefined {
  const call = isFields(payload) ? payload["toolCallId"] : undefined;
  return typeof call === "string" ? call : undefined;
}

function readable(index: MomentIndex, n: number): FullMoment | undefined {
  try {
    return index.moment(n);
  } catch {
    return undefined;
  }
}
