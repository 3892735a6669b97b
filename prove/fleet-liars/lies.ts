import { MAY, type May } from "../../packages/fleet/src/policy/manifest.ts";
import type { Question } from "../../packages/fleet/src/wire/question.ts";
import type { Dice } from "../stage/dice.ts";

/**
 * The effect of a field of an answer, according to the fleet's design; it is independent of the package's own table.
 */
export interface Field {
  readonly value: unknown;
  readonly does: May;
}

type Fields = Readonly<Record<string, Field>>;

const halt: Field = { value: { reason: "LIE halt" }, does: "stop" };
const told = (name: string): Field => ({ value: `LIE ${name}`, does: "context" });

/** For each event, a payload and every field that an answer may have. A reason has the effect of its refusal. */
export const EVENTS: Readonly<Record<string, { readonly payload: object; readonly fields: Fields }>> = {
  "tool.before": {
    payload: { toolCallId: "c1", tool: "bash", args: { command: "ls" } },
    fields: {
      args: { value: { command: "LIE args" }, does: "edit" },
      additionalContext: told("additionalContext"),
      remark: told("remark"),
      rest: { value: "refuse", does: "stop" },
      terminate: { value: true, does: "stop" },
      halt,
    },
  },
  "tool.after": {
    payload: {
      toolCallId: "c1",
      tool: "bash",
      args: {},
      content: [{ type: "text", text: "a result" }],
      details: {},
      isError: false,
      blocked: false,
    },
    fields: {
      content: { value: [{ type: "text", text: "LIE content" }], does: "edit" },
      details: { value: { lie: "LIE details" }, does: "edit" },
      isError: { value: true, does: "edit" },
      additionalContext: told("additionalContext"),
      remark: told("remark"),
      halt,
    },
  },
  "prompt.before": {
    payload: { text: "hello" },
    fields: {
      stop: { value: true, does: "deny" },
      text: { value: "LIE text", does: "edit" },
      title: { value: "LIE title", does: "edit" },
      feedback: told("feedback"),
      additionalContext: told("additionalContext"),
      halt,
    },
  },
  "agent.spawn": {
    payload: { type: "helper", prompt: "do it", model: "small", tools: [], depth: 1 },
    fields: {
      cancel: { value: true, does: "deny" },
      prompt: { value: "LIE prompt", does: "edit" },
      model: { value: "LIE model", does: "edit" },
      note: told("note"),
    },
  },
};

/** Returns an answer with some of the fields of an event, and for a tool call also a decision. */
export function lieAbout(event: string, dice: Dice): Fields {
  const fields = Object.entries(EVENTS[event]?.fields ?? {}).filter(() => dice.chance(0.5));
  const decision = dice.pick(["deny", "ask", "allow", undefined] as const);
  if (event === "tool.before" && decision !== undefined)
    fields.push(["decision", { value: decision, does: decision === "ask" ? "ask" : "deny" }]);
  return Object.fromEntries(fields);
}

/** Returns random effects that the manifest allows. */
export function someOf(dice: Dice): readonly May[] {
  return MAY.filter(() => dice.chance(0.4));
}

/** Returns a well-formed message with this answer to a question. */
export function answerTo({ id, bundle }: Question, answer: object, dice: Dice): object {
  const edits = dice.chance(0.5) ? [] : [{ hook: dice.pick(["x", "user:guard", ""]), field: dice.pick(["args", "y"]) }];
  const hooks = dice.chance(0.5) ? [] : [{ hook: "x", status: "ok", ms: 0 }];
  return { v: 1, id, worker: "liar", bundle, answer, edits, hooks, ms: 0 };
}

/** Ways to make an answer invalid, whose event must then be refused. `before` is the answer to an earlier question. */
export const SPOILS: Readonly<
  Record<string, (said: object, about: { readonly dice: Dice; readonly before: object | undefined }) => unknown>
> = {
  "another id": (said, { dice }) => ({ ...said, id: dice.pick(["", "A".repeat(22), 7, null]) }),
  "another bundle": (said, { dice }) => ({ ...said, bundle: dice.pick(["", "0".repeat(64), 7]) }),
  "an earlier answer": (said, { before }) => before ?? { ...said, id: "B".repeat(22) },
  "another version": (said) => ({ ...said, v: 2 }),
  "an unknown member": (said, { dice }) => ({ ...said, [dice.pick(["allow", "decision", "constructor"])]: true }),
  "an unknown field": (said, { dice }) => spoilt(said, { [dice.pick(["why", "allow", "sure"])]: "LIE" }),
  "a field of another type": (said, { dice }) => spoilt(said, dice.pick([{ halt: "LIE" }, { reason: 1 }, { text: 1 }])),
  "a list": (said) => ({ ...said, answer: [] }),
  "no worker": (said) => ({ ...said, worker: undefined }),
  "a member twice": (said) => JSON.stringify(said).replace('"ms":0}', '"ms":0,"ms":0}'),
  "half an answer": (said) => JSON.stringify(said).slice(0, -1),
  "no JSON": () => "allow",
  nothing: () => "",
  "too much": (said) => ({ ...said, worker: "x".repeat(600_000) }),
  "an error": (said, { dice }) => ({
    v: 1,
    id: (said as { readonly id: string }).id,
    error: { code: dice.pick(["bundle", "overload", "event", "input"]), message: "LIE" },
  }),
};

function spoilt(said: object, more: object): object {
  return { ...said, answer: { ...(said as { readonly answer: object }).answer, ...more } };
}
