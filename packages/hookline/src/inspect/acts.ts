import { writersOf } from "../hook/author.ts";
import { addedIn, verdictOf } from "../hook/verdict.ts";
import type { EditMade, HookAct, HookAsked } from "./api.ts";
import { whole } from "./cut.ts";
import { decisionOf, editorOf, refusersOf } from "./facts.ts";
import type { FullMoment } from "./moment-file.ts";

const WHY_CHARS = 2000;

/** The fields of a moment from which its hooks' actions are found. */
export type Told = Pick<FullMoment, "event" | "hooks" | "edits" | "outcome" | "asked">;

/** Lists each hook's actions at a moment, in order. Hooks that changed nothing are left out. */
export function actsOf(n: number, moment: Told): HookAct[] {
  const { event, hooks, edits } = moment;
  const made = edits.map((edit, at) => ({ ...edit, at }));
  const acts = hooks.flatMap((hook): HookAct[] => {
    const own = made.filter((edit) => edit.hook === hook.id && edit.pass === hook.pass);
    const did = didOf(hook, own, moment);
    if (did === undefined) return [];
    const { id, lane, source, ms } = hook;
    // An edit whose new text is already part of the shown reason is left out.
    const told = own.filter(({ to }) => typeof to !== "string" || did.why?.includes(to) !== true);
    return [{ n, event, hook: id, lane, source, ...did, edits: told.map(editOf), ...(ms !== undefined && { ms }) }];
  });
  // A hook that changed a value in place may have answered nothing, so its edits are listed too.
  const others = made.filter((edit) => !acts.some(({ hook }) => hook === edit.hook));
  const rest = [...new Set(others.map(({ hook }) => hook))].map((hook): HookAct => {
    const own = others.filter((edit) => edit.hook === hook);
    const { id = hook, lane = own[0]?.lane ?? "", source = hook } = editorOf(hook, hooks) ?? {};
    return { n, event, hook: id, lane, source, did: "rewrote", says: editsSaid(own), edits: own.map(editOf) };
  });
  return [...acts, ...rest];
}

type Did = Pick<HookAct, "did" | "says" | "why" | "of">;

function didOf(hook: HookAsked, edits: readonly EditMade[], moment: Told): Did | undefined {
  const { status, shadow, would, problem } = hook;
  const { outcome, hooks } = moment;
  if (shadow === true) return would === undefined ? undefined : { did: "shadow", says: WOULD[would] };
  const decision = decisionOf({ event: moment.event, outcome, editors: moment.edits.map(({ hook: id }) => id) });
  const verdict = verdictOf(outcome);
  const isDecider = verdict !== undefined && refusersOf(moment).includes(hook.id);
  if (status === "failed" || status === "timed-out") {
    const says = status === "failed" ? "failed" : "timed out";
    if (!isDecider || decision !== "deny") return { did: status, says, ...whyOf(problem) };
    return { did: "refused", says: `${says}, which ${verdict.says}`, ...whyOf(problem) };
  }
  if (status !== "answered") return undefined;
  if (isDecider) {
    const why = whyOf([verdict.reason ?? []].flat().join("\n"));
    if (decision !== "ask") return { did: decision === "deny" ? "refused" : "rewrote", says: verdict.says, ...why };
    return { did: "answered", says: askedSays(moment.asked), ...why };
  }
  const added = addedIn(outcome).filter((text) => writersOf(text, hooksAs(hooks)).includes(hook.source));
  if (added.length > 0 && edits.length === 0)
    return { did: "rewrote", says: "added context", ...whyOf(added.join("\n")) };
  if (edits.length > 0) return { did: "rewrote", says: editsSaid(edits) };
  return decision === "allow" ? { did: "answered", says: "allowed it" } : undefined;
}

function askedSays(asked: Told["asked"]): string {
  if (asked === undefined) return "asked";
  const { by, answer } = asked;
  if (by === "nobody") return "asked, and nobody could answer";
  const who = by === "person" || by === "hook" ? `a ${by}` : by;
  return `asked, and ${who} ${answer === "deny" ? "refused" : "allowed"} it`;
}

const WOULD: Readonly<Record<NonNullable<HookAsked["would"]>, string>> = {
  deny: "would have refused it",
  ask: "would have asked",
  edit: "would have changed something",
};

function hooksAs(hooks: readonly HookAsked[]) {
  return hooks.map(({ source, answer, shadow }) => ({ place: source, answer, shadow }));
}

/** Maps fields of events to words for a person; other fields keep their names. */
const IN_WORDS: Readonly<Record<string, string>> = {
  args: "the arguments",
  body: "the request",
  content: "the result",
  details: "details of the result",
  exclude: "the tools to leave out",
  headers: "headers of the request",
  input: "the arguments",
  images: "the pictures",
  message: "the message",
  messages: "the conversation",
  model: "the model",
  prompt: "the prompt",
  request: "the request",
  systemPrompt: "the system prompt",
  text: "the text",
  tool_arguments: "the arguments",
  tool_input: "the arguments",
  tool_result: "the result",
  user_input: "the prompt",
};

/** Says which fields were edited: "changed the text", or "set the text" if it had no value before. */
function editsSaid(edits: readonly EditMade[]): string {
  const isNew = edits.every((edit) => "to" in edit && !("from" in edit));
  return `${isNew ? "set" : "changed"} ${[...new Set(edits.map(({ field }) => IN_WORDS[field] ?? field))].join(", ")}`;
}

function editOf({ at, field, ...edit }: EditMade & { readonly at: number }): HookAct["edits"][number] {
  return { at, field, ...("from" in edit && { from: edit.from }), ...("to" in edit && { to: edit.to }) };
}

function whyOf(text: string | undefined): Pick<HookAct, "why" | "of"> {
  if (text === undefined || text === "") return {};
  return { why: whole(text, Math.min(text.length, WHY_CHARS)), ...(text.length > WHY_CHARS && { of: text.length }) };
}
