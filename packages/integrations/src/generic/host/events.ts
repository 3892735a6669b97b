import {
  askCall,
  askResult,
  askStop,
  type BridgeHost,
  callIn,
  callMoments,
  eventsOf,
  fieldsOf,
  type HostCall,
  type HostHooks,
  type HostRow,
  hasFailed,
  maybeText,
  type NativeAnswer,
  RESULT_MOMENTS,
  SILENCE,
  STOP_MOMENTS,
  textIn,
  toldOf,
} from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import type { EventName, Payload } from "@hookline/runtime";
import { strict } from "@hookline/runtime/dialect";
import { type CatalogRow, catalog } from "@hookline/runtime/engine";
import { genericTools } from "./tools.ts";

/** The longest that a program may have to wait for an answer, in ms. */
const WAIT_MS = 60_000;

/** The hooks' answer for the calling program, with the catalogue's own field names. */
interface GenericAnswer {
  readonly answer: Fields;
  readonly notices?: readonly string[];
  /** Whether a hook failed. The reason of a refusal may then be the text of its error. */
  readonly failed?: true;
}

/**
 * Events for which the bridge asks the hooks of related events too: for `tool.before`, also those of `tool.start`. For
 * any other event, it asks only the event's own hooks.
 */
const own: Readonly<Partial<Record<EventName, Pick<HostRow<GenericAnswer>, "moments" | "say">>>> = {
  "tool.before": {
    moments: callMoments(genericTools),
    async say(payload, hooks) {
      const { refused, ask, args, context, halt, hasFailed } = await askCall(hooks, callOf(payload, hooks));
      return said(
        {
          ...(refused !== undefined
            ? { decision: "deny", reason: refused }
            : ask !== undefined && { decision: "ask", reason: ask }),
          args,
          additionalContext: context.length === 0 ? undefined : context,
          halt: halt === undefined ? undefined : { reason: halt },
        },
        hasFailed === true,
      );
    },
  },
  "tool.after": {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const { content, details, isError, durationMs } = payload as unknown as Payload<"tool.after">;
      const result = { ...toldOf(callOf(payload, hooks)), content, details, isError };
      const verdict = await askResult(hooks, { ...result, ...(durationMs !== undefined && { durationMs }) });
      return said({
        content: verdict.content,
        details: verdict.details,
        isError: verdict.isError === isError ? undefined : verdict.isError,
        additionalContext: verdict.context.length === 0 ? undefined : verdict.context,
        halt: verdict.halt === undefined ? undefined : { reason: verdict.halt },
      });
    },
  },
  "agent.stop": {
    moments: STOP_MOMENTS,
    async say(payload, hooks) {
      const { prompt, reply, messages, stopHookActive } = payload as unknown as Payload<"agent.stop">;
      return said({ feedback: await askStop(hooks, { prompt, reply, messages, stopHookActive }) });
    },
  },
};

/** The event of the user's prompt, which begins a run. */
const PROMPTED: EventName = "prompt.before";

/** Events that a program does not send, since the bridge fires them itself at `agent.stop`: `agent.before-settle`. */
const WITHIN: readonly string[] = STOP_MOMENTS.filter((name) => name !== "agent.stop");

const rows = [...catalog.values()].filter(({ name }) => !WITHIN.includes(name));

const answered = eventsOf<GenericAnswer>(Object.fromEntries(rows.map((row) => [row.name, rowOf(row)])), {
  timeoutMs: WAIT_MS,
  read,
  write(_, said) {
    const { answer = {}, notices = [], failed } = said ?? {};
    const more = { ...(notices.length > 0 && { notices }), ...(failed && { failed }) };
    return { ...SILENCE, stdout: JSON.stringify({ v: 1, answer, ...more }) };
  },
});

/** Events that a program sends: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events: BridgeHost["events"] = Object.fromEntries(
  Object.entries(answered).map(([name, event]) => [name, event.guard ? event : { ...event, refusal: unasked }]),
);

/** Answers an event at which nothing can be refused, if its hooks could not be asked. */
function unasked(reason: string): NativeAnswer {
  return { exit: 2, stdout: "", stderr: `${reason}\n` };
}

function rowOf(row: CatalogRow): HostRow<GenericAnswer> {
  const name = row.name as EventName;
  const check = strict(() => row.payload() as never);
  const {
    moments,
    say,
  }: Pick<HostRow<GenericAnswer>, "moments" | "say"> = own[name] ?? {
    moments: [name],
    say: (payload, hooks) => asked(name, payload, hooks),
  };
  const refuses = row.standIn ?? row.guard;
  return {
    moments,
    async say(payload, hooks) {
      const read = check(payload);
      if (!read.ok)
        throw new Error(`the payload of ${name} cannot be read: ${read.problem.replace("the answer", "it")}`);
      return say(payload, hooks);
    },
    ...(name === PROMPTED && { prompt: (payload: Fields) => ({ text: textIn(payload, "text") }) }),
    ...(refuses !== undefined && { refuse: (reason: string) => ({ answer: refuses.refuse(reason), failed: true }) }),
    ...(name === "session.end" && { ends: true as const }),
  };
}

async function asked(name: EventName, payload: Fields, hooks: HostHooks): Promise<GenericAnswer> {
  const { answer, hooks: runs } = await hooks.emit(name, payload as never);
  return said(answer as Fields, hasFailed(runs));
}

/** Makes an answer without the fields that are `undefined`. */
function said(answer: Fields, failed = false): GenericAnswer {
  const defined = Object.entries(answer).filter(([, value]) => value !== undefined);
  return { answer: Object.fromEntries(defined), ...(failed && { failed }) };
}

function callOf(payload: Fields, hooks: HostHooks) {
  const { toolCallId, tool, args } = payload;
  return callIn(genericTools, hooks, { toolCallId: String(toolCallId), name: String(tool), args });
}

/** Parses a program's message: the session's id, the event's payload, and facts about the session. */
function read(sent: unknown): HostCall {
  const { payload = {}, ...fields } = fieldsOf(sent);
  const event = fieldsOf(payload);
  const call = maybeText(event, "toolCallId");
  const { messages } = fields;
  const scene = Object.fromEntries(
    (["model", "thinking", "sessionFile", "systemPrompt"] as const).flatMap((name) => {
      const text = maybeText(fields, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  return {
    session: textIn(fields, "session"),
    ...(call !== undefined && { call }),
    scene: { ...scene, ...(Array.isArray(messages) && { messages }) },
    payload: event,
  };
}
