import { type Dialect, type Lane, row } from "@hookline/runtime/dialect";
import { type Combined, type Composition, chains, foldOf, type Said } from "./profile.ts";
import { hostError, problemOf } from "./verdict.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One moment of the standard, as it is told to interceptors. */
export type Context = Fields & { readonly target: unknown };

/** A point: the event that it is here, the members beside its target, and what a verdict means to the host. */
interface Point {
  readonly name: string;
  readonly of: string;
  /** The member that holds the target, by its path. */
  readonly holds: readonly [string, string?];
  target(payload: Fields): unknown;
  /** The host's answer; `target` is there only if a transform has changed it. */
  put(combined: Combined): Fields;
}

const refusal = ({ verdict }: Combined): string => verdict.reason ?? verdict.message ?? "denied";
const stop = (combined: Combined): Fields => ({ stop: true, reason: refusal(combined) });
const silence = ({ verdict }: Combined): boolean => verdict.decision === "allow";
const denies = ({ verdict }: Combined): boolean => verdict.decision === "deny";

/** The eight points, in the order of a session. */
export const POINTS: readonly Point[] = [
  {
    name: "agent_startup",
    of: "session.start",
    holds: ["agent_init"],
    target: ({ tools }) => ({ tools_registered: tools }),
    put: (combined) => (silence(combined) ? {} : { halt: { reason: refusal(combined) } }),
  },
  {
    name: "input",
    of: "prompt.before",
    holds: ["input"],
    target: ({ text }) => ({ content: text, role: "user" }),
    put: (combined) => (denies(combined) ? stop(combined) : { text: (combined.target as { content: string }).content }),
  },
  {
    name: "pre_model_call",
    of: "model.context",
    holds: ["messages"],
    target: ({ messages }) => messages,
    put: (combined) => (denies(combined) ? { stop: true } : { messages: combined.target }),
  },
  {
    name: "post_model_call",
    of: "model.response",
    holds: ["response"],
    target: ({ text, toolCalls, finishReason }) => ({
      content: text === "" ? null : text,
      tool_calls: (toolCalls as readonly Fields[]).map(({ id, name, arguments: args }) => ({ id, name, args })),
      finish_reason: finishReason === "toolUse" ? "tool_calls" : finishReason,
    }),
    put: (combined) => (denies(combined) ? { stop: true } : { text: (combined.target as { content: string }).content }),
  },
  {
    name: "pre_tool_call",
    of: "tool.before",
    holds: ["tool_call", "args"],
    target: ({ args }) => args,
    put: (combined) => {
      const edit = "target" in combined ? { args: combined.target } : {};
      if (!denies(combined)) return edit;
      const decision = combined.liftable.length > 0 ? "ask" : "deny";
      return { ...(decision === "ask" && edit), decision, reason: refusal(combined) };
    },
  },
  {
    name: "post_tool_call",
    of: "tool.after",
    holds: ["tool_result", "value"],
    target: ({ details }) => (details as Fields)["value"],
    put: (combined) => {
      if (denies(combined)) return { content: [{ type: "text", text: refusal(combined) }], details: {}, isError: true };
      const { target } = combined;
      return { content: [{ type: "text", text: JSON.stringify(target) }], details: { value: target } };
    },
  },
  {
    name: "output",
    of: "reply.before",
    holds: ["output"],
    target: ({ text }) => ({ content: text }),
    put: (combined) => (denies(combined) ? stop(combined) : { text: (combined.target as { content: string }).content }),
  },
  {
    name: "agent_shutdown",
    of: "session.end",
    holds: ["summary"],
    target: ({ summary }) => ({ reason: summary }),
    put: () => ({}),
  },
];

/** Functions that the lane needs from its host. */
export interface LaneHost {
  readonly composition: Composition;
  /** The context of a moment; throws for one that has no identity. */
  context(point: string, payload: Fields, target: unknown): Context;
  /** All verdicts of the moment are in. */
  combined(combined: Combined): void;
  /** Returns the answer of an interceptor; throws if it fails. */
  ask(index: number, context: Context): Said;
}

/** The interceptors of one host as hooks, in a lane of their own. */
export function dialectOf(host: LaneHost, interceptors: number): Dialect {
  const lane: Lane = {
    id: "agent-hooks",
    isolate: true,
    live: false,
    rows: POINTS.map(({ name, of, target, put }) =>
      row({
        name,
        of,
        kind: KINDS[of] ?? "gate",
        schedule: "series",
        fold: foldOf(host.composition),
        feeds: chains(host.composition) ? { target: "chain" } : {},
        ...(!chains(host.composition) && { isolated: true }),
        when: (payload: Fields) => payload["blocked"] !== true,
        view: {
          get: (payload: Fields) => host.context(name, payload, target(payload)),
          put: (combined: Combined) => {
            host.combined(combined);
            return silence(combined) ? undefined : put(combined);
          },
        },
        read: Object.defineProperty((raw: unknown) => readSaid(raw), "name", { value: "strict" }),
        failed: ({ cause }: { cause: string }, { path }: { path: string }) => ({
          index: indexIn(path),
          verdict: hostError(FAILURES[cause] ?? "interceptor_failed"),
        }),
      } as never),
    ),
  } as never;
  return {
    id: lane.id,
    lanes: [lane],
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: Array.from({ length: interceptors }, (_, index) => ({
        lane: lane.id,
        source: { path: pathOf(index), tier: "user", dialect: lane.id },
        state: "runs",
        files: [],
        definition: { index },
      })),
    }),
    load: ({ definition }, instance) => {
      const { index } = definition as { readonly index: number };
      for (const { name, of } of POINTS)
        instance.on({
          event: name,
          run: (event: never) => host.ask(index, event),
          // A moment that cannot be told to them does not happen. Before a call, the engine refuses by itself.
          failClosed: of !== "tool.before",
        });
    },
  };
}

const FAILURES: Readonly<Record<string, string>> = { timeout: "interceptor_timeout", bad: "verdict_invalid" };

const KINDS: Readonly<Record<string, string>> = {
  "session.end": "shutdown",
  "tool.before": "guard",
  "tool.after": "redactor",
  "model.response": "redactor",
  "reply.before": "redactor",
};

/** The definition of an interceptor, which settings name to put it in shadow. */
export const pathOf = (index: number): string => `/interceptor/${index}`;

const indexIn = (path: string): number => Number(path.slice(path.lastIndexOf("/") + 1));

function readSaid(raw: unknown): object {
  const said = raw as Said;
  const problem = said.isUnapplied ? undefined : problemOf(said.verdict);
  return problem === undefined ? { ok: true, answer: said } : { ok: false, problem };
}
