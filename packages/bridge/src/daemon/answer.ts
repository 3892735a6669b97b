import { messageOf, readJson } from "@hookline/ground";
import type { EventName } from "@hookline/runtime";
import type { BridgeRequest } from "../client/client.ts";
import { type NativeAnswer, SILENCE } from "../client/native-answer.ts";
import { allowedEnvironment, allowedNames } from "../host/environment.ts";
import type { BridgeEvent, BridgeHost, HostCall } from "../host/host.ts";
import type { Caller } from "./caller.ts";
import { Deadlines } from "./deadlines.ts";
import { driftOf } from "./drift.ts";
import { hostWords } from "./host-process.ts";
import type { BridgeSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** Dependencies for answering a request. */
export interface AnswerParts {
  readonly hosts: Readonly<Record<string, () => Promise<BridgeHost>>>;
  readonly sessions: Sessions;
  readonly hooklineHome: string;
  log(line: string): void;
}

/** The events that a session's hooks are asked about one at a time, even if the host makes its calls in parallel. */
const IN_ORDER: readonly EventName[] = ["tool.before", "prompt.before"];

/** Reason for aborting the hooks of a call. */
const ENDED = new Error("the call has ended");

/** How long before the host's time limit an answer is ready, in ms. */
const MARGIN_MS = 2000;

/**
 * Answers one native hook call. Never rejects: after any error it refuses if the host waits for a decision, and
 * otherwise says nothing.
 */
export async function answerCall(request: BridgeRequest, caller: Caller, parts: AnswerParts): Promise<NativeAnswer> {
  const { host: name, event: native } = request;
  let event: BridgeEvent | undefined;
  try {
    const host = await hostOf(name, parts);
    event = Object.hasOwn(host.events, native) ? host.events[native] : undefined;
    if (event === undefined) {
      (await driftOf(host, parts.hooklineHome, request.env)).event(native);
      throw new Error(`${host.label} has no event "${native}" that the bridge knows`);
    }
    return await decide(request, caller, parts, { host, event });
  } catch (thrown) {
    const because = messageOf(thrown);
    parts.log(`${name} ${native}: ${because}`);
    return event === undefined ? fault(because) : event.refusal(`hookline: ${because}`);
  }
}

function hostOf(name: string, { hosts }: AnswerParts): Promise<BridgeHost> {
  const load = Object.hasOwn(hosts, name) ? hosts[name] : undefined;
  if (load === undefined) throw new Error(`the bridge knows no host "${name}"`);
  return load();
}

/** Returns an answer that most hosts take as a refusal, for a host whose format is unknown. */
export function fault(because: string): NativeAnswer {
  return { exit: 2, stdout: "", stderr: `hookline: ${because}\n` };
}

interface Asked {
  readonly host: BridgeHost;
  readonly event: BridgeEvent;
}

async function decide(
  request: BridgeRequest,
  caller: Caller,
  { sessions, hooklineHome, log }: AnswerParts,
  { host, event }: Asked,
): Promise<NativeAnswer> {
  const deadlineMs = Math.max(1, Math.min(request.deadlineMs, event.timeoutMs - MARGIN_MS));
  const env = environmentOf(request, host);
  const call = read(request, env, event);
  if (call === undefined || (event.ends && sessions.hasEnded(host, call.session))) return SILENCE;
  // Another agent (Cursor) may run these hook entries beside its own. If its own asked already, nobody is asked.
  const guest = host.guest?.(request.event, env);
  const isTold = event.ends && guest !== undefined && sessions.hasEnded({ name: guest.host }, call.session);
  if (isTold || (guest !== undefined && sessions.hasHeard({ name: guest.host }, call.session, guest.event)))
    return SILENCE;
  const ended = new AbortController();
  const { signal } = ended;
  const { promise: given, resolve: give, reject: giveUp } = Promise.withResolvers<NativeAnswer>();
  const end = (because: string): void => {
    ended.abort(ENDED);
    giveUp(new Error(because));
  };
  const answered = deadlines.set(deadlineMs, () => end(`no answer within ${deadlineMs} ms`));
  if (!request.detach) caller.onLeave(() => end("the host has exited"));
  const opened = { host, id: call.session, cwd: request.cwd, env, log };
  const answer = sessions.with(opened, request.event, async (session) => {
    const before = event.guard ? session.guarding() : UNGUARDED;
    if (before.refusal !== undefined) return event.refusal(before.refusal);
    session.learn(call.scene);
    // Another agent's payload says nothing about the field names of this host, so only the host's own are compared.
    if (guest === undefined)
      (session.drift ?? session.watch(await driftOf(host, hooklineHome, env))).see(request.event, call.payload);
    if (event.guard) session.attend(() => host.asks?.(call, hostWords(request.parent)) ?? false);
    await session.begin(event.moments, signal, host.lateStartMs);
    const ask = (): Promise<NativeAnswer> =>
      inTurn(session, event, signal, async () => {
        // A pause may have ended while the call waited.
        const { refusal, isPaused } = event.guard ? session.guarding() : UNGUARDED;
        return refusal === undefined ? event.ask(call, session.during(signal, isPaused)) : event.refusal(refusal);
      });
    if (call.call === undefined) return ask();
    const { call: id, callLastsMs: lastsMs } = call;
    const same = { event: request.event, call: id, origin: request.origin };
    return session.answered.of({ ...same, ...(lastsMs !== undefined && { lastsMs }) }, ask);
  });
  answer.then(give, giveUp);
  try {
    return await given;
  } finally {
    answered();
    caller.onLeave(undefined);
    if (event.ends) void answer.then(undefined, () => {}).then(() => sessions.end(host, call.session));
  }
}

/** Neither a refusal nor a pause affects an event that guards nothing: its hooks are always asked. */
const UNGUARDED = { refusal: undefined, isPaused: false } as const;

/** The deadlines of all calls in this process. */
const deadlines = new Deadlines();

/** Returns the environment that hooks see; computed once for requests that share an environment. */
function environmentOf({ env }: BridgeRequest, host: BridgeHost): Readonly<Record<string, string>> {
  const known = passed.get(env);
  if (known?.host === host) return known.env;
  const allowed = allowedEnvironment(env, allowedNames(host));
  passed.set(env, { host, env: allowed });
  return allowed;
}

const passed = new WeakMap<object, { readonly host: BridgeHost; readonly env: Readonly<Record<string, string>> }>();

function read(
  { input }: BridgeRequest,
  env: Readonly<Record<string, string>>,
  event: BridgeEvent,
): HostCall | undefined {
  const payload = readJson(input);
  if (!payload.ok) throw new Error(`what the host sent is not JSON: ${payload.message}`);
  return event.read(payload.value, env);
}

/** Asks a session's guards about one call after the other; a call that cannot begin in time is refused. */
function inTurn(
  session: BridgeSession,
  { moments }: BridgeEvent,
  signal: AbortSignal,
  ask: () => Promise<NativeAnswer>,
): Promise<NativeAnswer> {
  return moments.some((moment) => IN_ORDER.includes(moment)) ? session.line.run(signal, ask) : ask();
}
