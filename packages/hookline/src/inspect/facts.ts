import type { Fields } from "@hookline/ground";
import { catalog, wouldOf } from "@hookline/runtime/engine";
import { decidersOf } from "../hook/author.ts";
import { verdictOf } from "../hook/verdict.ts";
import type { HookAsked, Mark, MomentDecision } from "./api.ts";

/** The facts about a moment that lists show and filter by. */
export interface Facts {
  readonly t: number;
  readonly ms: number;
  readonly event: string;
  readonly tool: string | undefined;
  readonly agent: string | undefined;
  readonly turn: number | undefined;
  /** The id that all moments of one tool call share. */
  readonly call: string | undefined;
  readonly decision: MomentDecision | undefined;
  readonly marks: readonly Mark[];
  readonly hooks: readonly HookAsked[];
  /** The ids of the hooks that edited the event. */
  readonly editors: readonly string[];
  /** The ids of the hooks that refused. */
  readonly refusers: readonly string[];
  /** Whether the moment has a text that is not blank. */
  readonly says: boolean;
}

/** The fields of a moment from which its facts are made; values may be references to recorded values. */
export interface Told {
  readonly t: number;
  readonly ms: number;
  readonly event: string;
  readonly turn?: number | undefined;
  readonly agent?: string | undefined;
  readonly call?: string | undefined;
  readonly payload?: unknown;
  readonly hooks: readonly HookAsked[];
  /** The hooks that edited the event; an edit in place names only its lane. */
  readonly editors: readonly string[];
  readonly outcome: Fields;
}

/** Returns the facts about a moment that a list shows. */
export function factsOf(told: Told): Facts {
  const { t, ms, event, turn, agent, hooks } = told;
  const editors = told.editors.map((editor) => editorOf(editor, hooks)?.id ?? editor);
  const { tool, toolCallId, text } = (told.payload ?? {}) as Fields;
  const decision = decisionOf(told);
  return {
    t,
    ms,
    event,
    tool: typeof tool === "string" ? tool : undefined,
    agent,
    turn,
    call: typeof toolCallId === "string" ? toolCallId : told.call,
    decision,
    marks: marksOf(told, decision),
    hooks,
    editors,
    refusers: decision === "deny" ? refusersOf(told) : [],
    // A long text may be recorded as an object that refers to it; a long text is never blank.
    says: typeof text === "string" ? text.trim() !== "" : text !== undefined,
  };
}

/** Combines the hooks' answers; undefined if no hook answered anything. */
export function decisionOf({
  event,
  outcome,
  editors,
}: Pick<Told, "event" | "outcome" | "editors">): MomentDecision | undefined {
  const isEdited = editors.length > 0;
  const would = wouldOf(catalog.get(event) ?? {}, outcome);
  if (outcome["decision"] === "allow" && would !== "deny") return isEdited ? "edit" : "allow";
  return would ?? (isEdited ? "edit" : undefined);
}

function marksOf({ hooks, editors }: Told, decision: MomentDecision | undefined): Mark[] {
  const marks: Mark[] = [];
  const counted = hooks.filter(({ shadow }) => shadow !== true);
  const has = (status: HookAsked["status"]): boolean => counted.some((hook) => hook.status === status);
  if (has("answered")) marks.push("answered");
  if (decision === "deny") marks.push("refused");
  if (editors.length > 0 || decision === "edit") marks.push("rewrote");
  if (has("failed")) marks.push("failed");
  if (has("timed-out")) marks.push("timed-out");
  if (counted.length < hooks.length) marks.push("shadow");
  return marks;
}

/**
 * Returns the hook that made an edit. An edit in place names only its lane, so its hook is known only if one hook of
 * the lane was asked.
 */
export function editorOf(editor: string, hooks: readonly HookAsked[]): HookAsked | undefined {
  const named = hooks.find(({ id }) => id === editor);
  const own = hooks.filter(({ lane, status, shadow }) => lane === editor && shadow !== true && !NOT_ASKED.has(status));
  return named ?? (own.length === 1 ? own[0] : undefined);
}

const NOT_ASKED: ReadonlySet<string> = new Set(["skipped", "not-reached"]);

/**
 * Returns the ids of the hooks that decided the outcome: those whose reason it has. If there are none, the last one
 * that answered, failed or timed out is taken to have done so.
 */
export function refusersOf({ outcome, hooks }: Pick<Told, "outcome" | "hooks">): readonly string[] {
  const counted = hooks.filter(({ status, shadow }) => shadow !== true && REFUSING.has(status));
  const deciders = decidersOf(verdictOf(outcome) ?? {}, counted);
  const found = counted.filter(({ source }) => deciders.includes(source));
  return [...new Set((found.length > 0 ? found : counted.slice(-1)).map(({ id }) => id))];
}

const REFUSING: ReadonlySet<string> = new Set(["answered", "failed", "timed-out"]);
