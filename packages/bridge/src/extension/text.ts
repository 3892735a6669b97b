import { clientText } from "../client/client-text.ts";
import { realOf } from "../client/place.ts";
import type { At, Entry } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { moduleMark } from "../install/module.ts";

/** Placeholder for the reason in the refusals that a module contains. */
const REASON = "the-reason-of-this-refusal";

/** Parts for generating the text of a module. */
export interface ModuleParts {
  readonly host: Pick<BridgeHost, "name" | "label" | "events">;
  readonly entries: readonly Entry[];
  readonly origin: string;
  readonly at: At;
}

/**
 * Returns the text of a module that a host loads into its own process: the limits and refusals of its events,
 * `askHookline` with its dependencies, and `own`, the host's part. It imports only Node's own modules.
 */
export function moduleText({ host, entries, origin, at: { hooklineHome } }: ModuleParts, own: string): string {
  const limits = Object.fromEntries(entries.map(({ event, timeout }) => [event, timeout]));
  const refusals = Object.fromEntries(
    entries.flatMap(({ event }) => {
      const of = host.events[event];
      return of?.guard ? [[event, JSON.parse(of.refusal(REASON).stdout) as unknown]] : [];
    }),
  );
  return [
    moduleMark(entries),
    `// Written by \`hookline bridge install\`; \`hookline bridge remove\` takes it away. Asks hookline's hooks about ${host.label}'s events.\n`,
    inProcessClient({ host: host.name, origin, hooklineHome }),
    `\n/** How long each event may take, in ms. */\nconst LIMITS = ${JSON.stringify(limits, null, 2)};\n`,
    `\n/** What refuses where hookline gives no answer. */\nconst REFUSALS = ${JSON.stringify(refusals, null, 2)};\n`,
    `const REASON = ${JSON.stringify(REASON)};\n`,
    ASKING,
    own,
  ].join("");
}

/**
 * Returns the client as a part of a host's module: `hookline(event, payload, options)`, declared after the module's
 * imports. Options and answer are those of `askInstalled` in `client.ts`.
 */
export function inProcessClient(of: { host: string; origin: string; hooklineHome: string }): string {
  const known = JSON.stringify({ host: of.host, origin: of.origin, home: realOf(of.hooklineHome) });
  return `${clientText("module")}
/** Asks hookline's daemon, which is started where none runs. Never rejects. */
async function hookline(event, payload, options = {}) {
  return askInstalled(${known}, event, () => Buffer.from(JSON.stringify(payload)), options);
}
`;
}

const ASKING = `
/** Returns hookline's answer to an event, or a refusal if hookline does not answer; {} if there is nothing to say. */
async function askHookline(event, payload, options) {
  const answer = await hookline(event, payload, { ...options, timeoutMs: LIMITS[event] });
  if (answer.away === undefined) return JSON.parse(answer.stdout || "{}");
  if (!answer.refuses || !REFUSALS[event]) return answer.note === undefined ? {} : { notices: [answer.note] };
  const reason = JSON.stringify("hookline is not reachable (" + answer.away + ")").slice(1, -1);
  return JSON.parse(JSON.stringify(REFUSALS[event]).replaceAll(REASON, () => reason));
}

/** Replaces a value where it stands: the program goes on with the object that it has. */
function replace(holder, name, value) {
  const now = holder[name];
  if (Array.isArray(now) && Array.isArray(value)) now.splice(0, now.length, ...value);
  else if (isObject(now) && isObject(value)) {
    for (const key of Object.keys(now)) delete now[key];
    Object.assign(now, value);
  } else holder[name] = value;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An event as data: functions and signals are left out, and what refers to itself. */
function plain(value) {
  const above = [];
  return JSON.parse(
    JSON.stringify(value, function (_, inner) {
      while (above.length > 0 && above.at(-1) !== this) above.pop();
      if (typeof inner !== "object" || inner === null) return inner;
      if (inner instanceof AbortSignal || above.includes(inner)) return undefined;
      above.push(inner);
      return inner;
    }),
  );
}
`;

/** Returns the text of the extension for pi, and for programs whose extensions are like pi's. */
export function extensionText(parts: ModuleParts): string {
  return [moduleText(parts, EXTENSION), "\nexport default hooklineBridge;\n"].join("");
}

const EXTENSION = `
function hooklineBridge(pi) {
  for (const event of Object.keys(LIMITS)) pi.on(event, (data, ctx) => ask(event, data, ctx));
}

async function ask(event, data, ctx) {
  const { type, signal, ...told } = data;
  const payload = {
    session: ctx.sessionManager.getSessionId(),
    sessionFile: ctx.sessionManager.getSessionFile(),
    model: ctx.model?.id,
    thinking: ctx.thinkingLevel,
    systemPrompt: event === "context" ? ctx.getSystemPrompt() : undefined,
    event: plain(told),
  };
  const options = { cwd: ctx.cwd, signal: signal ?? ctx.signal, detach: event === "session_shutdown" };
  const { returns, edits = {}, notices = [], abort } = await askHookline(event, payload, options);
  for (const [name, value] of Object.entries(edits)) replace(data, name, value);
  for (const text of notices) {
    if (ctx.hasUI) ctx.ui.notify(text, "info");
    else console.error(text);
  }
  if (abort) ctx.abort();
  return returns;
}
`;
