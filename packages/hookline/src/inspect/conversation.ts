import { type Fields, isFields } from "@hookline/ground";
import type { Conversation, ConversationPart, MomentItem } from "./api.ts";
import { authorsOf, editorsOf } from "./authors.ts";
import { type AuthoredChange, changed, changedText, markedIn, type Stretch } from "./changed-parts.ts";
import { whole } from "./cut.ts";
import { type Part, partsOf, toolParts } from "./message-parts.ts";
import { momentIn } from "./moment-answer.ts";
import type { FullMoment } from "./moment-file.ts";
import type { MomentIndex } from "./moment-index.ts";
import type { Breathe } from "./reading.ts";
import { type RequestHistory, requestHistoryOf } from "./request-history.ts";

const REQUEST = "model.context";
const MOST_REQUESTS = 500;
/** Hooks may have removed messages from the request, so this many more are read than the request has. */
const MORE_MESSAGES = 50;
/** `PART_CHARS` limits the characters of one part, `ALL_CHARS` those of all parts together. */
const PART_CHARS = 1 << 16;
const ALL_CHARS = 1 << 20;

/** Returns a moment's request as the model received it, with the hooks that made or changed each part. */
export async function conversationAt(index: MomentIndex, n: number, breathe: Breathe): Promise<Conversation> {
  momentIn(index, n);
  const requests = requestsOf(index);
  const at = requestOf(index, requests, n);
  const around = windowAround(requests, at).map((one) => index.item(one));
  const none = { v: 1, requests: around, parts: [], leftOut: 0 } as const;
  if (at === undefined) return { ...none, missing: ["This source has no request to a model."] };
  const request = index.item(at);
  const context = momentIn(index, at);
  const sentAt = sentOf(index, request);
  const sent = sentAt === undefined ? undefined : { n: sentAt, moment: momentIn(index, sentAt) };
  const history = await requestHistoryOf(index, request, breathe);
  const made = new Request({ n: at, moment: context }, sent, history);
  const { parts, leftOut } = shortened([...made.system(), ...made.tools(), ...made.messages()]);
  const { model } = context.scene;
  return {
    v: 1,
    request,
    requests: around,
    ...(model !== undefined && { model }),
    parts,
    leftOut,
    missing: made.missing,
  };
}

interface Numbered {
  readonly n: number;
  readonly moment: FullMoment;
}

/** One request: the host's messages, the hooks' changes and the messages that were sent. */
class Request {
  readonly missing: string[] = [];
  readonly #context: Numbered;
  readonly #sent: Numbered | undefined;
  readonly #before: RequestHistory;
  readonly #final: { readonly systemPrompt: string; readonly messages: unknown; readonly tools: unknown };

  constructor(context: Numbered, sent: Numbered | undefined, history: RequestHistory) {
    this.#context = context;
    this.#sent = sent;
    this.#before = history;
    this.#final = finalOf(context.moment, sent?.moment);
    if (history.isCut)
      this.missing.push("Hooks changed so much before this that only their latest changes are marked.");
    if (context.moment.payload === undefined) this.missing.push("The messages of this request were not recorded.");
    const { outcome } = sent?.moment ?? context.moment;
    if (outcome["stop"] === true) this.missing.push("A hook has stopped this request: it was not sent.");
    const redacted = [...(context.moment.redacted ?? []), ...(sent?.moment.redacted ?? [])];
    if (redacted.length > 0)
      this.missing.push(
        "A hook has changed this request. The original is not kept, because it may have held a secret; additions are found by comparing with the session's messages.",
      );
  }

  system(): Part[] {
    const { start, built } = this.#before;
    const { moment, n } = this.#context;
    const own = textIn(moment.payload, "systemPrompt");
    let stretches: Stretch[] = [
      { text: textIn(start?.moment.payload, "systemPrompt") ?? own ?? this.#final.systemPrompt },
    ];
    for (const { text, by, at } of built) stretches = markedIn(stretches, text, by, at);
    if (start !== undefined)
      for (const { hook, field, to } of start.moment.edits)
        if (field === "systemPrompt" && typeof to === "string")
          stretches = changedText(stretches, to, { by: [hook], at: start.n });
    const editors = editorsOf(moment, "systemPrompt");
    const isLeft = moment.redacted?.includes("payload.systemPrompt") === true;
    if (own !== undefined) stretches = changedText(stretches, own, { by: isLeft ? editors : [], at: n });
    for (const { hook, field, to } of moment.edits)
      if (field === "systemPrompt" && typeof to === "string")
        stretches = changedText(stretches, to, { by: [hook], at: n });
    const requestEditors = this.#sent === undefined ? editors : editorsOf(this.#sent.moment, "request");
    stretches = changedText(stretches, this.#final.systemPrompt, { by: requestEditors, at: this.#sent?.n ?? n });
    return stretches.flatMap((stretch) =>
      stretch.text === "" ? [] : [{ role: "system" as const, kind: "text", ...stretch }],
    );
  }

  tools(): Part[] {
    const offered = toolParts(this.#final.tools);
    const { select } = this.#before;
    if (select === undefined || offered.length === 0) return offered;
    const before = (select.moment.payload as Fields | undefined)?.["tools"];
    const names = new Set(offered.map(({ tool }) => tool));
    const gone = toolParts(before).filter(({ tool }) => !names.has(tool));
    const by = ({ tool = "" }: Part): readonly string[] => authorsOf(select.moment, tool);
    return [...offered, ...gone.map((part): Part => ({ ...part, by: by(part), change: "removed", at: select.n }))];
  }

  messages(): Part[] {
    const { moment, n } = this.#context;
    const isLeft = moment.redacted?.includes("payload.messages") === true;
    const sentEditors = this.#sent === undefined ? [] : editorsOf(this.#sent.moment, "request");
    const hooks = [...editorsOf(moment, "messages"), ...sentEditors];
    const hasAnswers = moment.hooks.some(({ status, shadow }) => status === "answered" && shadow !== true);
    const change: AuthoredChange = {
      at: n,
      by: ({ text }) => {
        const named = [
          ...authorsOf(moment, text, false),
          ...(this.#sent ? authorsOf(this.#sent.moment, text, false) : []),
        ];
        if (named.length > 0) return named;
        if (hooks.length > 0) return [...new Set(hooks)];
        return hasAnswers ? authorsOf(moment, text) : [];
      },
    };
    const final = partsOf(this.#final.messages);
    const base =
      isLeft || this.#sent?.moment.redacted !== undefined
        ? this.#history(final)
        : partsOf((moment.payload as Fields | undefined)?.["messages"]);
    return this.#before.attributed(changed(base, final, change));
  }

  /**
   * Returns the session's complete messages, as earlier events have recorded them. The request may begin with older
   * messages, from before the recording or a compaction; these are returned as the request has them.
   */
  #history(final: readonly Part[]): Part[] {
    // Each message has at least one part, so reading as many messages as there are parts reads all of the request.
    const history = this.#before.history(final.length + MORE_MESSAGES);
    const texts = new Set(history.map(({ text }) => text));
    const first = final.findIndex(({ text }) => texts.has(text));
    return [...final.slice(0, Math.max(first, 0)), ...history];
  }
}

function finalOf(
  { payload, outcome }: FullMoment,
  sent: FullMoment | undefined,
): {
  readonly systemPrompt: string;
  readonly messages: unknown;
  readonly tools: unknown;
} {
  const request = sent?.outcome["request"] ?? (sent?.payload as Fields | undefined)?.["request"];
  if (isFields(request))
    return {
      systemPrompt: textIn(request, "systemPrompt") ?? "",
      messages: request["messages"],
      tools: request["tools"],
    };
  const messages = outcome["messages"] ?? (payload as Fields | undefined)?.["messages"] ?? [];
  const injected = outcome["inject"];
  return {
    systemPrompt: textIn(outcome, "systemPrompt") ?? textIn(payload, "systemPrompt") ?? "",
    messages: Array.isArray(messages) && Array.isArray(injected) ? [...messages, ...injected] : messages,
    tools: [],
  };
}

function requestsOf(index: MomentIndex): number[] {
  const event = index.events.find(REQUEST);
  const found: number[] = [];
  for (let at = 0; at < index.count; at++) if (index.rows.get("event", at) === event) found.push(at + 1);
  return found;
}

/**
 * Returns the request that a moment belongs to: for moments of the model the last one before, otherwise the next one,
 * or the last one if there is no next.
 */
function requestOf(index: MomentIndex, requests: readonly number[], n: number): number | undefined {
  const { event } = index.item(n);
  const before = requests.findLast((one) => one <= n);
  if (event.startsWith("model.") && before !== undefined) return before;
  return requests.find((one) => one >= n) ?? before;
}

/** Returns the moment at which a request is complete, but not yet in the format of a provider. */
function sentOf(index: MomentIndex, { n, agent }: MomentItem): number | undefined {
  for (let next = n + 1; next <= index.count; next++) {
    const item = index.item(next);
    if (item.agent !== agent) continue;
    if (item.event === "model.request") return next;
    if (item.event === REQUEST || item.event === "message.end") return undefined;
  }
  return undefined;
}

function windowAround(requests: readonly number[], at: number | undefined): readonly number[] {
  const place = Math.max(0, requests.indexOf(at ?? 0) - MOST_REQUESTS / 2);
  return requests.slice(Math.min(place, Math.max(0, requests.length - MOST_REQUESTS)), place + MOST_REQUESTS);
}

/** Keeps the last parts if there are too many, because the model answers those; keeps the beginning of a long part. */
function shortened(parts: readonly Part[]): { readonly parts: ConversationPart[]; readonly leftOut: number } {
  const shown: ConversationPart[] = [];
  let chars = 0;
  for (const { call: _call, text, before, ...part } of parts.toReversed()) {
    const short = whole(text, Math.min(text.length, PART_CHARS));
    chars += short.length;
    if (chars > ALL_CHARS) break;
    shown.push({
      ...part,
      text: short,
      ...(before !== undefined && { before: whole(before, Math.min(before.length, PART_CHARS)) }),
      ...(short.length < text.length && { of: text.length }),
    } as ConversationPart);
  }
  return { parts: shown.reverse(), leftOut: parts.length - shown.length };
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isFields(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}
