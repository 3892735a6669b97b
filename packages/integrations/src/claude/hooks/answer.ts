import { chooseFrom, isFields } from "@hookline/ground";
import { HookFailure, readJson } from "@hookline/runtime/dialect";
import { type Odd, type Read, type ReadResult, unreadJson } from "@hookline/runtime/engine";
import { EVENTS, type EventFields, type FieldType } from "./fields.ts";

/** A command's result; the raw answer of a command hook. */
export interface Report {
  /** The exit code. Default 0. */
  readonly exit?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** An HTTP server's answer; the raw answer of an http hook. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  /** A variable or header that the request lacked, which may be why the server refused it. */
  readonly lack?: string;
}

/** A model's or agent's verdict; the raw answer of a prompt or agent hook. */
export interface ModelVerdict {
  readonly ok: boolean;
  readonly reason?: string;
  /** Whether `ok: false` ends the turn. Its reason is then shown to the user only. */
  readonly ends?: true;
  /** Whether the condition that the hook checks can never hold, so that the turn may end. */
  readonly impossible?: boolean;
}

/** A hook's decision about a call, with the reason for it. */
export interface Ruling {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
}

/** One hook's answer, from any kind of handler. */
export interface ClaudeAnswer {
  readonly ruling?: Ruling;
  /** A reason to refuse the prompt, call or result of the event, or to send the agent back to work. */
  readonly block?: string;
  /** The hook answered `continue: false`: the run ends, and the user is shown the reason. */
  readonly halt?: { readonly reason: string };
  /** A text for the model, shown beside a tool's result. */
  readonly remark?: string;
  readonly additionalContext?: string;
  /** The hook's `updatedInput`; it replaces `tool_input`. */
  readonly tool_input?: Readonly<Record<string, unknown>>;
  /** The hook's `updatedToolOutput`; it replaces `tool_response`. */
  readonly tool_response?: unknown;
  readonly title?: string;
  readonly firstMessage?: string;
  /** The answer to an MCP server's question, given in place of the user. */
  readonly elicited?: Elicited;
}

/** The answer to an MCP server's question. */
export interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A parsed answer, with the text that the hook wants printed to the terminal. */
export type Reading = ReadResult<ClaudeAnswer> & { readonly terminal?: string };

/** Wraps an answer that was already parsed where the hook ran, so that it is not parsed again. */
export class ReadAnswer {
  readonly reading: Reading;

  constructor(reading: Reading) {
    this.reading = reading;
  }
}

const NO_REASON = "A hook refused this and gave no reason.";

/** Returns the `read` function of an event's row, which parses a hook's raw answer. */
export function readAs(event: string): Read<ClaudeAnswer> {
  const read = (raw: unknown): ReadResult<ClaudeAnswer> =>
    raw instanceof ReadAnswer ? raw.reading : isRaw(raw) ? readRaw(event, raw) : { ok: true, answer: undefined };
  return Object.defineProperty(read, "name", { value: "strict" }) as Read<ClaudeAnswer>;
}

function isRaw(raw: unknown): raw is Report | HttpReply | ModelVerdict {
  if (typeof raw !== "object" || raw === null) return false;
  const { exit, stdout, stderr, status, body, ok, reason } = raw as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
  if ("ok" in raw) return typeof ok === "boolean" && isText(reason);
  if ("status" in raw) return typeof status === "number" && typeof body === "string";
  const isCode = exit === undefined || (Number.isInteger(exit) && Number(exit) >= 0 && Number(exit) <= 255);
  return isCode && isText(stdout) && isText(stderr);
}

/** Parses a raw answer. Source: spec/claude.md 5 and 7. */
export function readRaw(event: string, raw: Report | HttpReply | ModelVerdict): Reading {
  const fields = EVENTS[event];
  if (fields === undefined) return { ok: true, answer: undefined };
  if ("ok" in raw) return readVerdict(event, fields, raw);
  if ("status" in raw) return readReply(event, fields, raw);
  return readReport(event, fields, raw);
}

/** Whether a hook's exit code means failure. If its output is a JSON answer, the caller uses that answer instead. */
export function isFailing({ exit = 0 }: Report): boolean {
  return exit !== 0 && exit !== 2;
}

/**
 * Returns the JSON object in a hook's output; `undefined` if the output is plain text. Throws a `HookFailure` if the
 * output was probably meant to be an object but cannot be parsed: it begins with a brace, contains a refusal, or is
 * UTF-16.
 */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const read = readJson(text);
  if (read.ok && isFields(read.value)) return read.value;
  if (!read.ok && (read.isOverLimit || read.isOtherEncoding || /^\s*\{/.test(text))) throw unreadJson(read);
  const words = read.ok && typeof read.value === "string" ? read.value : text;
  if (REFUSAL.test(words)) throw new HookFailure("bad", "its output is not one JSON object and nothing else");
  return undefined;
}

/**
 * Matches a refusal in any agent's format. Such an output must not pass as plain text, or the refusal would be lost.
 */
const REFUSAL = new RegExp(
  [
    '"(?:hookSpecificOutput|permissionDecision)"\\s*:',
    '"(?:action|behavior|decision|permission)"\\s*:\\s*"(?:abort|block|deny|reject|stop)"',
    '"(?:allow|continue)"\\s*:\\s*false',
    '"block"\\s*:\\s*true',
  ].join("|"),
);

function readReport(event: string, fields: EventFields, report: Report): Reading {
  const { exit = 0, stdout = "", stderr = "" } = report;
  const said = exit === 2 ? besideExit2(stdout) : objectIn(stdout);
  const read = said === undefined ? undefined : readObject(event, fields, said);
  if (exit === 2) return refused(event, fields, stderr.trim(), read?.ok ? read : undefined);
  if (read !== undefined) return read;
  if (exit !== 0) return { ok: false, problem: `exit code ${exit}` };
  const text = stdout.trim();
  return { ok: true, answer: fields.textIsContext && text !== "" ? { additionalContext: text } : undefined };
}

/** Returns the JSON object that came with exit code 2. Never throws: the exit code refuses even without an object. */
function besideExit2(stdout: string): Readonly<Record<string, unknown>> | undefined {
  const read = readJson(stdout);
  return read.ok && isFields(read.value) ? read.value : undefined;
}

function readReply(event: string, fields: EventFields, { status, body, lack }: HttpReply): Reading {
  if (status < 200 || status > 299) {
    const why = lack === undefined ? "" : ` (${lack})`;
    return { ok: false, problem: `the server answered with status ${status}${why}` };
  }
  if (body.trim() === "") return { ok: true, answer: undefined };
  const said = objectIn(body);
  return said === undefined
    ? { ok: false, problem: "the server's answer is no JSON object" }
    : readObject(event, fields, said);
}

function readVerdict(event: string, fields: EventFields, { ok, reason, ends, impossible }: ModelVerdict): Reading {
  if (!ok && ends === true) return { ok: true, answer: { halt: { reason: reason?.trim() || NO_REASON } } };
  if (ok || (impossible === true && /^(?:Subagent)?Stop$/.test(event))) return { ok: true, answer: undefined };
  return refused(event, { ...fields, exit2: fields.blocks ? "block" : fields.exit2 }, (reason ?? "").trim(), undefined);
}

type Understood = Extract<Reading, { readonly ok: true }>;

/** Returns the answer for exit code 2. A JSON object on stdout cannot undo the refusal, but its other fields count. */
function refused(event: string, { exit2 }: EventFields, stderr: string, read: Understood | undefined): Reading {
  const { ruling, tool_input: _, block, ...rest } = read?.answer ?? {};
  const beside = { ...read, ok: true as const };
  const given = ruling?.decision === "deny" && ruling.reason !== NO_REASON ? ruling.reason : undefined;
  const reason = given || (block === NO_REASON ? undefined : block) || stderr || ruling?.reason || NO_REASON;
  switch (exit2) {
    case "block":
      return { ...beside, answer: { ...rest, ...blocking(event, reason) } };
    case "model":
      return { ...beside, answer: stderr === "" ? read?.answer : { ...read?.answer, remark: stderr } };
    case "person":
      return { ...beside, answer: read?.answer, ...(stderr !== "" && { notice: stderr }) };
    case "nothing":
      return { ...beside, answer: read?.answer };
  }
}

/** Returns the answer by which a hook of this event refuses. */
export function blocking(event: string, reason: string): ClaudeAnswer {
  return EVENTS[event]?.answers["permissionDecision"] !== undefined
    ? { ruling: { decision: "deny", reason } }
    : { block: reason };
}

const UNIVERSAL: Readonly<Record<string, FieldType>> = {
  continue: "flag",
  stopReason: "text",
  suppressOutput: "flag",
  systemMessage: "text",
  terminalSequence: "text",
  decision: ["approve", "block"],
  reason: "text",
  hookSpecificOutput: "object",
};

function readObject(event: string, fields: EventFields, said: Readonly<Record<string, unknown>>): Reading {
  const problem = misfit(said, UNIVERSAL);
  if (problem !== undefined) return { ok: false, problem };
  const own = (said["hookSpecificOutput"] ?? undefined) as Readonly<Record<string, unknown>> | undefined;
  if (own !== undefined) {
    const named = own["hookEventName"];
    if (named !== event)
      return {
        ok: false,
        problem: `hookSpecificOutput.hookEventName must be "${event}"${typeof named === "string" ? `, not "${named.slice(0, 40)}"` : ""}`,
      };
    const inner = misfit(own, fields.answers);
    if (inner !== undefined) return { ok: false, problem: `hookSpecificOutput.${inner}` };
  }
  const odd = [...oddOf(event, fields, said, own)];
  const answer = answerOf(event, fields, said, own ?? {}, odd);
  const notice = textOf(said, "systemMessage");
  const terminal = textOf(said, "terminalSequence");
  return {
    ok: true,
    answer: Object.keys(answer).length === 0 ? undefined : answer,
    ...(odd.length > 0 && { odd }),
    ...(notice !== undefined && { notice }),
    ...(terminal !== undefined && { terminal }),
  };
}

function answerOf(
  event: string,
  fields: EventFields,
  said: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
  odd: Odd[],
): ClaudeAnswer {
  const answer: { -readonly [Key in keyof ClaudeAnswer]: ClaudeAnswer[Key] } = {};
  const reason = textOf(said, "reason");
  const context = textOf(own, "additionalContext");
  if (context !== undefined) answer.additionalContext = context;
  if (said["continue"] === false) answer.halt = { reason: textOf(said, "stopReason") ?? "a hook ended the run" };
  if (fields.answers["permissionDecision"] !== undefined) {
    const ruling = rulingOf(said, own, odd);
    if (ruling !== undefined) answer.ruling = ruling;
    const input = own["updatedInput"] ?? undefined;
    if (input !== undefined && ruling?.decision !== "deny") answer.tool_input = input as typeof own;
  } else if (event === "PermissionRequest") Object.assign(answer, permission(own["decision"], odd));
  else if (fields.blocks && said["decision"] === "block") answer.block = reason ?? NO_REASON;
  const output = own["updatedMCPToolOutput"] ?? own["updatedToolOutput"] ?? undefined;
  if (output !== undefined) answer.tool_response = output;
  const action = fields.answers["action"] === undefined ? undefined : textOf(own, "action");
  if (action !== undefined) {
    const content = (own["content"] ?? undefined) as Elicited["content"] | undefined;
    answer.elicited = { action: action as Elicited["action"], ...(content !== undefined && { content }) };
  }
  const title = textOf(own, "sessionTitle");
  if (title !== undefined) answer.title = title;
  const first = textOf(own, "initialUserMessage");
  if (first !== undefined) answer.firstMessage = first;
  return answer;
}

/** Returns the decision about a call. `hookSpecificOutput` wins over the older top-level field `decision`. */
function rulingOf(
  said: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
  odd: Odd[],
): Ruling | undefined {
  const given = own["permissionDecision"] ?? OLDER[String(said["decision"])];
  const reason = textOf(own, "permissionDecisionReason") ?? textOf(said, "reason");
  if (given === undefined || given === null) return undefined;
  if (given === "defer") {
    odd.push({ field: "permissionDecision", problem: '"defer" has no effect here, where no call can wait' });
    return undefined;
  }
  const decision = given as Ruling["decision"];
  const why = reason ?? (decision === "deny" ? NO_REASON : undefined);
  return why === undefined ? { decision } : { decision, reason: why };
}

const OLDER: Readonly<Record<string, string>> = { approve: "allow", block: "deny" };

/** Reads the `decision` of a `PermissionRequest` hook: whether the call may run. */
function permission(given: unknown, odd: Odd[]): ClaudeAnswer {
  if (typeof given !== "object" || given === null) return {};
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = given as Readonly<Record<string, unknown>>;
  if (behavior !== "allow" && behavior !== "deny") {
    odd.push({ field: "decision.behavior", problem: 'it must be "allow" or "deny"' });
    return {};
  }
  if (updatedPermissions !== undefined)
    odd.push({ field: "decision.updatedPermissions", problem: "rules are changed in the settings, not by an answer" });
  const text = typeof message === "string" ? message : undefined;
  const isInput = typeof updatedInput === "object" && updatedInput !== null && !Array.isArray(updatedInput);
  return {
    ruling: { decision: behavior, ...(behavior === "deny" && { reason: text ?? NO_REASON }) },
    ...(behavior === "allow" && isInput && { tool_input: updatedInput as Readonly<Record<string, unknown>> }),
    ...(behavior === "deny" && interrupt === true && { halt: { reason: text ?? "a hook ended the run" } }),
  };
}

/** Describes the first field of an answer that has the wrong type. `null` counts as absent. */
function misfit(
  given: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, FieldType>>,
): string | undefined {
  for (const [name, type] of Object.entries(types)) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined;
    if (value !== undefined && !isOf(value, type)) return `${name} must be ${wordsFor(type)}`;
  }
  return undefined;
}

function isOf(value: unknown, type: FieldType): boolean {
  if (type === "anything") return true;
  if (type === "text") return typeof value === "string";
  if (type === "flag") return typeof value === "boolean";
  if (type === "object") return typeof value === "object" && !Array.isArray(value);
  if (type === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return type.includes(value as string);
}

function wordsFor(type: FieldType): string {
  const words = { text: "text", flag: "true or false", object: "an object", texts: "a list of texts", anything: "" };
  return typeof type === "string" ? words[type as keyof typeof words] : `one of ${type.join(", ")}`;
}

/** Reports fields of an answer that have no effect, although the hook's author probably expected one. */
function* oddOf(
  event: string,
  { answers, idle = {}, blocks }: EventFields,
  said: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>> = {},
): Generator<Odd> {
  const unknown = (name: string, known: readonly string[]): Odd => ({
    field: /^[\w-]{1,40}$/.test(name) ? name : "a field",
    problem: `${event} has no such field. ${chooseFrom(name, known)}`,
  });
  for (const name of Object.keys(said))
    if (!Object.hasOwn(UNIVERSAL, name)) yield unknown(name, Object.keys(UNIVERSAL));
  if (said["decision"] !== undefined && said["decision"] !== null && !blocks)
    yield { field: "decision", problem: `${event} does not read it` };
  for (const [name, value] of Object.entries(own)) {
    if (name === "hookEventName" || value === null) continue;
    if (!Object.hasOwn(answers, name)) yield unknown(name, Object.keys(answers));
    else if (Object.hasOwn(idle, name)) yield { field: name, problem: idle[name] as string };
  }
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
