import { type Fields, isFields, messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { inverse, renameArgs, serverToolName } from "@hookline/runtime/engine";
import { bridgeCall, type CallWords, readInput } from "./call.ts";

/**
 * The Agent Hooks Protocol, with hookline as the backend: one message from stdin, at most one answer to stdout.
 * Experimental: the protocol has no dated version yet. The bridge host `generic` handles its events, after a
 * translation to the catalog's names.
 */

/** The wire versions that hookline supports, oldest first. */
const VERSIONS: readonly unknown[] = ["0.1", "draft"];

/** The reason that the model sees if hooks could not be asked or failed. The true reason is in the log. */
const UNAVAILABLE = "A required policy could not be evaluated.";

/** Describes how hookline handles one event of the protocol. */
interface Asked {
  readonly name: string;
  payload(event: Fields): Fields;
  /** Turns an answer into effects; absent for an event whose answers are ignored. */
  effects?(answer: Fields, event: Fields, can: Capabilities): Effects;
}

/** The effects of an answer, and descriptions of the parts of it that no effect can express. */
interface Effects {
  readonly effects: readonly Fields[];
  readonly lost: readonly string[];
}

/** The effects that a harness accepts for an event. */
class Capabilities {
  readonly #given: Fields;
  readonly #effects: readonly unknown[];

  constructor(given: unknown) {
    this.#given = fields(given);
    this.#effects = Array.isArray(this.#given["effects"]) ? this.#given["effects"] : [];
  }

  has(effect: string): boolean {
    return this.#effects.includes(effect);
  }

  replaces(target: string): boolean {
    return this.has("modify") && fields(fields(this.#given["modify"])[target])["replace"] === true;
  }

  flows(operation: string): boolean {
    const { operations } = fields(this.#given["flow"]);
    return this.has("flow") && Array.isArray(operations) && operations.includes(operation);
  }

  /** The earliest point at which the harness accepts context; undefined if it accepts none. */
  get injects(): string | undefined {
    const { deliverAt } = fields(fields(this.#given["inject"])["context"]);
    if (!this.has("inject") || !Array.isArray(deliverAt)) return undefined;
    return ["now", "next_turn"].find((one) => deliverAt.includes(one));
  }
}

/** Hookline's tool name for each tool kind of the protocol. `ARGUMENTS` does the same for argument names. */
const KINDS: Readonly<Record<string, string>> = {
  shell: "bash",
  file_read: "read",
  file_write: "write",
  file_edit: "edit",
  search: "grep",
  fetch: "fetch",
};
const ARGUMENTS: Readonly<Record<string, string>> = { cmd: "command", file_path: "path" };

const EVENTS: Readonly<Record<string, Asked>> = {
  "tool.before": {
    name: "tool.before",
    payload: callOf,
    effects(answer, event, can) {
      const { decision, reason, args, halt, additionalContext } = answer;
      const stop = stopped(halt, can);
      if (decision === "deny" || (isFields(halt) && stop.length === 0))
        return { effects: [denied(reason ?? fields(halt)["reason"]), ...stop], lost: [] };
      if (decision === "ask" && !can.has("ask")) return { effects: [denied(reason), ...stop], lost: [] };
      if (args !== undefined && !can.replaces("input"))
        return {
          effects: [denied("A hook changed this call, and the change cannot be made here."), ...stop],
          lost: [],
        };
      const context = injected(additionalContext, event, can);
      return {
        effects: [
          ...(decision === "ask" ? [{ type: "ask" }] : []),
          ...(args === undefined ? [] : [replaced("input", renameArgs(fields(args), inverse(namesOf(event))))]),
          ...stop,
          ...context.effects,
        ],
        lost: context.lost,
      };
    },
  },
  "tool.after": {
    name: "tool.after",
    payload: (event) => ({
      ...callOf(event),
      content: [{ type: "text", text: textsOf(event["items"]) }],
      details: {},
      isError: event["outcome"] !== "ok",
      blocked: fields(event["execution"])["status"] === "skipped",
    }),
    effects(answer, event, can) {
      const { content, halt, additionalContext } = answer;
      const [stop, context] = [stopped(halt, can), injected(additionalContext, event, can)];
      const output =
        content === undefined || !can.replaces("output")
          ? []
          : [replaced("output", wireMessage(event, textsOf(content)))];
      return {
        effects: [...output, ...stop, ...context.effects],
        lost: [
          ...(content !== undefined && output.length === 0 ? ["a changed result"] : []),
          ...(halt !== undefined && stop.length === 0 ? ["the end of the run"] : []),
          ...context.lost,
        ],
      };
    },
  },
  "turn.start": {
    name: "prompt.before",
    payload: (event) => ({ text: textsOf(event["items"]) }),
    effects(answer, event, can) {
      const { stop, reason, feedback, halt, text, additionalContext } = answer;
      const ends = stopped(halt, can);
      if (stop || (halt !== undefined && ends.length === 0))
        return { effects: [denied(reason ?? feedback ?? fields(halt)["reason"]), ...ends], lost: [] };
      if (text !== undefined && !can.replaces("prompt"))
        return {
          effects: [denied("A hook changed this prompt, and the change cannot be made here."), ...ends],
          lost: [],
        };
      const context = injected(additionalContext, event, can);
      const prompt = text === undefined ? [] : [replaced("prompt", [wireMessage(event, String(text), "user")])];
      return { effects: [...prompt, ...ends, ...context.effects], lost: context.lost };
    },
  },
  "session.start": {
    name: "session.start",
    payload: ({ trigger }) => ({ reason: STARTS[String(trigger)] ?? "startup" }),
    effects(answer, event, can) {
      const context = injected(answer["additionalContext"], event, can);
      return {
        effects: context.effects,
        lost: [...(answer["halt"] === undefined ? [] : ["the refusal of the session"]), ...context.lost],
      };
    },
  },
  "session.end": { name: "session.end", payload: () => ({ reason: "quit" }) },
};

/** Events that have already happened when hooks see them. */
const TOLD: readonly string[] = ["tool.after", "session.start", "session.end"];

const STARTS: Readonly<Record<string, string>> = { resume: "resume", clear: "new", fork: "fork" };

/** Answers one message; returns nothing for a notification. Never throws: a failure becomes an answer that refuses. */
export async function answerAhp(words: Omit<CallWords, "host" | "event">, io: Io): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readInput(io);
  } catch {
    return line({ id: null, error: error(-32600, "invalid_request") });
  }
  const message = read(bytes);
  if (message === undefined) return line({ id: null, error: error(-32700, "parse_error") });
  const { jsonrpc, id, method } = message;
  const isNotice = !Object.hasOwn(message, "id");
  const answer = async (): Promise<Fields> => {
    if (
      jsonrpc !== "2.0" ||
      typeof method !== "string" ||
      !(isNotice || typeof id === "string" || typeof id === "number")
    )
      return { error: error(-32600, "invalid_request") };
    if (method !== "hooks/intercept" && method !== "hooks/observe") return { error: error(-32601, "method_not_found") };
    const { protocolVersion, event, capabilities } = fields(message["params"]);
    if (!VERSIONS.includes(protocolVersion))
      return { error: { ...error(-32001, "unsupported_protocol_version"), data: { supported: VERSIONS } } };
    if (!isFields(event) || typeof event["type"] !== "string" || (method === "hooks/intercept" && event["id"] !== id))
      return { error: error(-32602, "invalid_params") };
    const asked = Object.hasOwn(EVENTS, event["type"]) ? EVENTS[event["type"]] : undefined;
    if (asked === undefined || (method === "hooks/intercept" && asked.effects === undefined))
      return { error: error(-32002, "unsupported_event") };
    // An observed call or prompt has happened already, so guards have nothing to decide.
    if (method === "hooks/observe" && !TOLD.includes(asked.name)) return {};
    const effects = await ask(asked, event, new Capabilities(capabilities), words, io);
    if (effects === undefined) return { error: error(-32004, "backend_internal_error") };
    return { result: { protocolVersion, effects } };
  };
  const said = await answer();
  return isNotice || method === "hooks/observe"
    ? ""
    : line({ id: typeof id === "string" || typeof id === "number" ? id : null, ...said });
}

/** Asks the hooks. Returns undefined if the event must be refused but the harness accepts no refusal. */
async function ask(
  asked: Asked,
  event: Fields,
  can: Capabilities,
  words: Omit<CallWords, "host" | "event">,
  io: Io,
): Promise<readonly Fields[] | undefined> {
  try {
    const { id, cwd, model } = fields(event["session"]);
    const sent = {
      session: String(id ?? event["source"] ?? ""),
      ...(typeof model === "string" && { model }),
      payload: asked.payload(event),
    };
    const input = { ...io, input: [Buffer.from(JSON.stringify(sent))], ...(typeof cwd === "string" && { cwd }) };
    const { exit, stdout, stderr } = await bridgeCall({ ...words, host: "generic", event: asked.name }, input as never);
    if (stderr !== "") io.err(stderr);
    if (exit !== 0) throw new Error(`the daemon's answer ends with ${exit}`);
    const { answer, notices, failed } = fields(stdout === "" ? { answer: {} } : JSON.parse(stdout));
    for (const notice of Array.isArray(notices) ? notices : []) io.err(`${notice}\n`);
    // If a hook has failed, its error text may be in the refusal, so a fixed reason replaces that.
    const said = { ...fields(answer), ...(failed === true && { reason: UNAVAILABLE, feedback: undefined }) };
    const { effects = [], lost = [] } = asked.effects?.(said, event, can) ?? {};
    if (effects.some(({ type }) => !can.has(String(type)))) throw new Error("the harness cannot refuse this event");
    for (const one of lost) io.err(`hookline: ${one} is lost: the harness cannot apply it at ${event["type"]}\n`);
    return effects;
  } catch (thrown) {
    io.err(`hookline: ${messageOf(thrown)}\n`);
    return can.has("deny") ? [denied(undefined, UNAVAILABLE)] : undefined;
  }
}

function callOf(event: Fields): Fields {
  const { name, kind, origin, mcp } = fields(event["tool"]);
  const { server, toolName } = fields(mcp);
  const { id = fields(event["tool"])["callId"] ?? event["id"] } = fields(event["call"]);
  const { name: serverName, id: serverId } = fields(server);
  const own = origin === "mcp" ? serverToolName(String(serverName ?? serverId), String(toolName)) : KINDS[String(kind)];
  return { toolCallId: String(id), tool: own ?? String(name), args: renameArgs(inputOf(event), namesOf(event)) };
}

/** Returns a tool's input. Throws if it is no object, because hooks could not judge it. */
function inputOf(event: Fields): Fields {
  const { input } = fields(event["tool"]);
  if (!isFields(input)) throw new Error("the tool's input is not an object");
  return input;
}

/**
 * Maps the argument names of a call to the names that guards know; empty for an MCP server's tool. Throws if an input
 * has both names, because it is unknown which one the harness uses.
 */
function namesOf(event: Fields): Readonly<Record<string, string>> {
  const input = inputOf(event);
  if (fields(event["tool"])["origin"] === "mcp") return {};
  const names = Object.entries(ARGUMENTS).filter(([own]) => Object.hasOwn(input, own));
  if (names.some(([, known]) => Object.hasOwn(input, known)))
    throw new Error("the tool's input has one argument under two names, so hooks cannot judge it");
  return Object.fromEntries(names);
}

/** Joins the texts of messages or blocks. Withheld parts have no text. */
function textsOf(items: unknown): string {
  if (!Array.isArray(items)) return "";
  return items
    .flatMap((item: unknown) => {
      const { parts, text } = fields(item);
      return Array.isArray(parts) ? [textsOf(parts)] : typeof text === "string" ? [text] : [];
    })
    .join("\n");
}

/** Makes a refusal. It shows a hook's own reason, but not hookline's reasons, which name ids and paths. */
function denied(reason: unknown, otherwise = "A hook refused this."): Fields {
  const text = typeof reason === "string" && reason.trim() !== "" ? reason : otherwise;
  return { type: "deny", reason: OWN_WORDS.test(text) ? UNAVAILABLE : text, code: "dev.hookline.denied" };
}

/** Matches refusals in hookline's own words, which contain ids and paths of hooks. */
const OWN_WORDS = /^"[\w.-]+" was refused: |^hookline: | must run, but does not: /;

function replaced(target: string, value: unknown): Fields {
  return { type: "modify", target, operation: "replace", value };
}

function stopped(halt: unknown, can: Capabilities): Fields[] {
  if (!isFields(halt) || !can.flows("stop")) return [];
  const { reason } = halt;
  return [
    {
      type: "flow",
      operation: "stop",
      reason: typeof reason === "string" && reason !== "" ? reason : "A hook ended the run.",
    },
  ];
}

function injected(texts: unknown, event: Fields, can: Capabilities): Effects {
  const all = (Array.isArray(texts) ? texts : []).filter((text) => typeof text === "string" && text.trim() !== "");
  const deliverAt = can.injects;
  if (all.length === 0) return { effects: [], lost: [] };
  if (deliverAt === undefined) return { effects: [], lost: ["a text for the model"] };
  const value = [wireMessage(event, all.join("\n\n"))];
  return { effects: [{ type: "inject", target: "context", operation: "append", deliverAt, value }], lost: [] };
}

function wireMessage({ id }: Fields, text: string, role = "developer"): Fields {
  const part = { id: `${id}-part`, kind: "text", mediaType: "text/plain", selection: "body", text };
  return { id: `${id}-message`, role, parts: [part] };
}

function error(code: number, message: string): Fields {
  return { code, message };
}

function line(fields: Fields): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`;
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Parses the bytes of one message; undefined for anything else, including a batch. */
function read(bytes: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
