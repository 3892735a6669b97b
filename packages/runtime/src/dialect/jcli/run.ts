import { diagnose, place } from "../../error/diagnostic.ts";
import { chooseFrom } from "../../error/nearest.ts";
import type { Call } from "../../hook/call.ts";
import type { Hook } from "../../hook/hook.ts";
import type { Instance } from "../../hook/instance.ts";
import { orphansOf } from "../../lens/messages.ts";
import { HookFailure } from "../../run/failure.ts";
import { ownSettings } from "../about.ts";
import type { Surroundings } from "../dialect.ts";
import { readJson } from "../json.ts";
import { settings } from "./about.ts";
import { type HookResult, readResult } from "./answer.ts";
import { readPrinted, runBash } from "./bash.ts";
import type { Definition } from "./definition.ts";
import { rows } from "./events.ts";
import { fieldsOf, isAnswered, RESULT_FIELDS } from "./fields.ts";
import { describeFilter, matcherOf } from "./filter.ts";
import { extract, runLlm } from "./llm.ts";
import type { HookContext } from "./views.ts";

/** What a hook is registered with, beside its definition. */
export interface Registration {
  readonly around: Surroundings;
  readonly line?: number | undefined;
  /** Files that a command names. */
  readonly scripts?: readonly string[];
}

const definitions = new WeakMap<Hook, Definition>();

/** The definition that a hook was registered from; `undefined` for a function. */
export function definitionOf(hook: Hook): Definition | undefined {
  return definitions.get(hook);
}

/** Registers a definition for each of its events; returns the undo. */
export function register(
  definition: Definition,
  instance: Instance,
  { around, line, scripts = [] }: Registration,
): () => void {
  const undo = definition.events.map((event) => {
    const { tier, path } = instance.source;
    const ask = (context: HookContext, call: Call): Promise<string> =>
      definition.type === "llm"
        ? runLlm(definition, context, call, around.transports.llm)
        : runBash(definition, context, call, {
            around,
            label: `${event} hook ${place(line === undefined ? { path, tier } : { path, tier, line })}`,
            tier,
            scripts,
          });
    const parse = definition.type === "llm" ? extract : readPrinted;
    const off = instance.on({
      event,
      run: async (given: HookContext, call: Call) => {
        const said = await ask(asConfigured(given, around), call);
        return isAnswered(event) ? answered(parse(said), event, call) : ignored(said, event, call);
      },
      match: matcherOf(definition.filter) as ((event: never) => boolean) | undefined,
      filter: describeFilter(definition.filter),
      // The transports count from the start of the process or request, not from the wait for a free slot.
      timeoutMs: Number.POSITIVE_INFINITY,
      transportMs: definition.timeoutMs,
      retry: definition.retry,
      onError: definition.onError,
      line,
    });
    const hook = instance.hooks.at(-1);
    if (hook !== undefined) definitions.set(hook, definition);
    return off;
  });
  return () => {
    for (const off of undo) off();
  };
}

/** Old guards expect the reply where the seed has the user's text; a setting gives it to them (decision 26). */
function asConfigured(event: HookContext, { scan }: Surroundings): HookContext {
  const swap =
    ownSettings(scan.settings, { id: "jcli", rows: settings }).stopUserInput === "reply" &&
    event.user_input !== undefined;
  return swap && event.assistant_output !== undefined ? { ...event, user_input: event.assistant_output } : event;
}

/** Reads an answer as its row does, shows its message and reports what has no effect. */
function answered(raw: unknown, event: string, call: Call): HookResult | undefined {
  const read = (readers.get(event) ?? readResult)(raw as never);
  if (!read.ok) throw new HookFailure("bad", read.problem);
  const answer = read.answer as HookResult | undefined;
  const message = answer?.system_message;
  if (message !== undefined && message.trim() !== "" && call.pass === 1) call.notice(message);
  reportOdd(raw, answer, event, call);
  return answer;
}

const readers = new Map(rows.map((row) => [row.name, row.read]));

/** Whatever a hook says that is only told something, it is no failure; an answer is worth a hint. */
function ignored(said: string, event: string, call: Call): undefined {
  const read = readJson(said);
  if (!read.ok || typeof read.value !== "object" || read.value === null || Object.keys(read.value).length === 0) return;
  odd(call, "an answer", `${event} only tells, what its hooks answer is ignored`);
}

/** What of an answer changes nothing, though its author will have meant something. */
function reportOdd(raw: unknown, answer: HookResult | undefined, event: string, call: Call): void {
  const fields = fieldsOf(event);
  const writes: readonly string[] = fields?.writes ?? [];
  for (const [key, value] of Object.entries((raw ?? {}) as object)) {
    if (key === "abort" || value === null) continue;
    if (!(RESULT_FIELDS as readonly string[]).includes(key))
      odd(call, shortKey(key), `an answer has no such field. ${chooseFrom(key, RESULT_FIELDS)}`);
    else if (!writes.includes(key)) odd(call, key, `${event} does not read it`);
  }
  if (answer?.retry_feedback !== undefined && answer.action === undefined && !fields?.feedbackAlone)
    odd(call, "retry_feedback", 'it counts only with "action": "stop"');
  if (answer?.action === "skip" && !fields?.skips)
    odd(call, "action", '"skip" leaves out a tool call; here it only discards what was edited');
  const orphans = answer?.messages === undefined ? [] : orphansOf(answer.messages);
  if (orphans.length > 0)
    odd(call, "messages", `${orphans.length} tool results have no call before them and are left out`);
}

function odd({ hook }: Call, field: string, problem: string): void {
  const details = { hook: hook.id, place: place(hook.source), event: hook.event, field, problem };
  hook.instance.report(diagnose("HOOK_ODD_ANSWER", details, { source: hook.source, hook: hook.id, event: hook.event }));
}

/** A key is a hook's own text, so only what looks like a name is repeated. */
function shortKey(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : "a field";
}
