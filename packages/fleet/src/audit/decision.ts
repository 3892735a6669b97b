import { cleanText, type RecordedMoment } from "../kit.ts";
import type { Collected } from "./collect.ts";

/** A decision as `fleet audit` lists it. */
export interface AuditedDecision {
  readonly machine: string;
  readonly writer: string;
  readonly session: string;
  /** The time of the decision, in epoch ms. */
  readonly t: number;
  readonly event: string;
  readonly tool?: string;
  readonly decision?: string;
  /** Hooks that answered or failed. */
  readonly hooks: readonly { readonly id: string; readonly status: string }[];
  /** The hash of the judged call. */
  readonly call?: string;
}

/** Selects the decisions to list. */
export interface Filters {
  readonly machine: string | undefined;
  readonly session: string | undefined;
  readonly hook: string | undefined;
  readonly events: readonly string[];
  readonly decision: string | undefined;
  /** The time since which decisions are listed, in epoch ms. */
  readonly since: number;
}

const SAID: readonly string[] = ["answered", "failed", "timed-out"];

/** Converts a recorded dispatch to a decision for `fleet audit`. */
export function decisionOf(
  { machine, writer }: Pick<Collected, "machine" | "writer">,
  moment: Omit<RecordedMoment, "line" | "at">,
): AuditedDecision {
  const { header, t, event, scene, payload, hooks, outcome, call } = moment;
  const tool = (payload as { readonly tool?: unknown } | undefined)?.tool;
  const decision = (outcome as { readonly decision?: unknown }).decision;
  return {
    machine,
    writer,
    session: scene.session ?? header?.session ?? "",
    t,
    event,
    ...(typeof tool === "string" && { tool }),
    ...(typeof decision === "string" && { decision }),
    hooks: hooks.filter(({ status }) => SAID.includes(status)).map(({ id, status }) => ({ id, status })),
    ...(call !== undefined && { call }),
  };
}

/** Whether a decision matches the filters. The machine was already selected when the stream was read. */
export function matches(one: AuditedDecision, { session, hook, events, decision, since }: Filters): boolean {
  return (
    one.t >= since &&
    (session === undefined || one.session.startsWith(session)) &&
    (hook === undefined || one.hooks.some(({ id }) => id === hook)) &&
    (events.length === 0 || events.includes(one.event)) &&
    (decision === undefined || (one.decision ?? "allow") === decision)
  );
}

/** Formats a decision for a person, with control characters made visible: a machine may send any text. */
export function lineOf({ t, machine, session, event, tool, decision = "allow", hooks }: AuditedDecision): string {
  const who = hooks.map(({ id, status }) => (status === "answered" ? id : `${id} (${status})`)).join(", ");
  const parts = [new Date(t).toISOString(), machine, session, event, tool, decision, who];
  const line = parts.filter((part) => part !== undefined && part !== "").join("  ");
  return cleanText(line, { controls: "show", lines: "fold" });
}

/** Reports a recording that only another version of hookline can read. */
export function otherVersion({ writer, machine }: Pick<Collected, "machine" | "writer">): string {
  return `${writer} of ${machine} is of another version of the recording format, and is not listed; update hookline.`;
}
