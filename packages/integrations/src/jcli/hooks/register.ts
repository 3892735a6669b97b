import { cleanText, MAX_MS } from "@hookline/ground";
import type { Instance, Surroundings } from "@hookline/runtime/dialect";
import type { Hook } from "@hookline/runtime/engine";
import { DEFAULTS, type Definition } from "./definition.ts";
import { EVENTS, fieldsOf, guessEvent } from "./fields.ts";
import { HELP, listing } from "./listing.ts";
import { register } from "./run.ts";

/** The arguments of `register_hook`. They come from a model: each is optional, and none is trusted. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The result of checking a model's registration: a definition for the user to approve, or a problem. */
export type Registering =
  | {
      readonly ok: true;
      readonly definition: Definition;
      /** A note for the model about arguments that are understood differently from how they were written. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly problem: string };

/** The tool's answer to the model. */
export interface ToolText {
  readonly isError: boolean;
  readonly text: string;
}

/** The tool's names. Source: seed 003; ruling 36. */
export const TOOL = { name: "register_hook", aliases: ["RegisterHook"] } as const;

/** The parameters of the tool `register_hook`, as a JSON Schema. */
export const PARAMETERS = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["register", "list", "remove", "help"], description: "Default: register" },
    event: { type: "string", enum: Object.keys(EVENTS), description: "The event that the hook runs on" },
    type: { type: "string", enum: ["bash", "llm"], description: "Default: bash" },
    command: { type: "string", description: "For bash: what `sh -c` runs" },
    prompt: { type: "string", description: "For llm: the template of the question" },
    model: { type: "string", description: "For llm: another model's name" },
    timeout: { type: "integer", minimum: 1, description: "Seconds; default 10 for bash, 30 for llm" },
    retry: {
      type: "integer",
      minimum: 0,
      description: "Further attempts after a failure; default 0 for bash, 1 for llm",
    },
    on_error: { type: "string", description: "What a failure means: skip (default) or abort" },
    index: { type: "integer", minimum: 0, description: "For remove: session_idx as list shows it; default 0" },
  },
} as const;

const MOST_CHARACTERS = 10_000;

/** Checks what a model wants to register. Such hooks have no filter (spec/jcli.md 2.4). */
export function readRegistration(given: Parameters): Registering {
  const event = textIn(given, "event");
  if (event === undefined) return refuse("event is missing", `Give one of ${Object.keys(EVENTS).join(", ")}.`);
  if (fieldsOf(event) === undefined)
    return refuse(
      `there is no event "${event}"`,
      guessEvent(event).trim() || `Give one of ${Object.keys(EVENTS).join(", ")}.`,
    );
  const type = oneOf(given, "type", ["bash", "llm"]) ?? "bash";
  if (type !== "bash" && type !== "llm") return refuse("type must be bash or llm", "Correct it.");
  const key = type === "bash" ? "command" : "prompt";
  const text = textIn(given, key);
  if (text === undefined || text.trim() === "") return refuse(`${key} is missing`, `A hook of type ${type} needs it.`);
  if (text.includes("\0")) return refuse(`${key} contains a NUL character`, "Remove it.");
  const timeout = wholeIn(given, "timeout", 1, Math.floor(MAX_MS / 1000));
  if (timeout === null) return refuse("timeout must be a whole number of seconds from 1", "Correct it.");
  const retry = wholeIn(given, "retry", 0, 2 ** 32 - 1);
  if (retry === null) return refuse("retry must be a whole number from 0", "Correct it.");
  // Takes any other word as `skip`, as j-cli does, and adds a note for the model (ruling 65).
  const onError = oneOf(given, "on_error", ["skip", "abort", "stop"]);
  const model = textIn(given, "model");
  if (text.length + (model?.length ?? 0) > MOST_CHARACTERS)
    return refuse(
      `${key} is longer than ${MOST_CHARACTERS} characters, which nobody would read before agreeing`,
      "Put it into a script that the person can look at, and call that.",
    );
  return {
    ok: true,
    definition: {
      events: [event],
      type,
      text,
      ...(type === "llm" && model !== undefined && model !== "" && { model }),
      timeoutMs: timeout === undefined ? DEFAULTS[type].timeoutMs : timeout * 1000,
      retry: retry ?? DEFAULTS[type].retry,
      onError: onError === "abort" || onError === "stop" ? "abort" : "skip",
      filter: {},
    },
    ...(onError === "" && {
      note: "on_error is neither skip nor abort, and counts as skip: a failure changes nothing.",
    }),
  };
}

/**
 * Describes a hook to the user, who must agree to it: the whole text, with a visible mark for each invisible character.
 * The consent covers exactly this text.
 */
export function consentText({ events, type, text, model, timeoutMs, retry, onError }: Definition): string {
  const lines = text.split("\n").length;
  const said = [
    `Register a hook on ${events.join(", ")} for this session?`,
    `type ${type}${model === undefined ? "" : `, model ${model}`}, timeout ${timeoutMs / 1000} s, retry ${retry}, on_error ${onError}`,
    `${type === "bash" ? "Command" : "Prompt"}${lines === 1 ? "" : ` of ${lines} lines`}:`,
    text,
  ];
  return said.map((part) => cleanText(part, { controls: "show" })).join("\n");
}

/** Describes a hook to the user before it is removed, since it may have been a guard. */
export function removalText(definition: Definition): string {
  return ["Remove this hook?", ...consentText(definition).split("\n").slice(1)].join("\n");
}

/** Returns the arguments that would register this definition again, to be stored with the session. */
export function parametersOf({ events, type, text, model, timeoutMs, retry, onError }: Definition): Parameters {
  return {
    event: events[0],
    type,
    [type === "bash" ? "command" : "prompt"]: text,
    ...(model !== undefined && { model }),
    timeout: timeoutMs / 1000,
    retry,
    on_error: onError,
  };
}

/** The parameters for registering a session's hooks. */
export interface SessionParts {
  /** Owns the hooks that the model registers, with the tier `session`. Hooks from files run before them. */
  readonly instance: Instance;
  readonly around: Surroundings;
  /** All of the lane's hooks, in order. */
  hooks(): Iterable<Hook>;
}

interface Held {
  readonly definition: Definition;
  readonly undo: () => void;
}

/** The hooks that the model has registered in one session. Callers must get the user's consent before `add`. */
export class SessionHooks {
  readonly #parts: SessionParts;
  #held: Held[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  add(definition: Definition): ToolText {
    const { instance, around } = this.#parts;
    this.#held.push({ definition, undo: register(definition, instance, { around }) });
    const { events, type, text, timeoutMs, retry, onError } = definition;
    return {
      isError: false,
      text: `Registered a hook of type ${type} on ${events.join(", ")} (timeout ${timeoutMs / 1000} s, retry ${retry}, on_error ${onError}): ${text}`,
    };
  }

  /**
   * Returns the hook that `remove` would remove, or the reason why there is none. Only the session's own hooks can be
   * removed.
   */
  find(given: Parameters): { readonly definition: Definition } | { readonly problem: string } {
    const held = this.#find(given);
    return typeof held === "string" ? { problem: held } : { definition: held.definition };
  }

  /** Removes the hook with the number that `list` shows as `session_idx`. */
  remove(given: Parameters): ToolText {
    const held = this.#find(given);
    if (typeof held === "string") return failed(held);
    held.undo();
    this.#held = this.#held.filter((other) => other !== held);
    const { index = 0, event } = given;
    return { isError: false, text: `Removed session hook ${index} of ${event}` };
  }

  #find(given: Parameters): Held | string {
    const event = textIn(given, "event");
    if (event === undefined) return "event is missing: say which event's hook to remove";
    const index = wholeIn(given, "index", 0, Number.MAX_SAFE_INTEGER);
    const own = this.#held.filter(({ definition }) => definition.events.includes(event));
    const held = index === null ? undefined : own[index ?? 0];
    return held ?? `${event} has ${own.length} session hooks, so there is none with this index; see action list`;
  }

  /** Removes all hooks that the model registered, for example when another session starts. */
  clear(): void {
    for (const { undo } of this.#held) undo();
    this.#held = [];
  }

  list(): ToolText {
    return { isError: false, text: listing(this.#parts.hooks()) };
  }

  help(): ToolText {
    return { isError: false, text: HELP };
  }

  /** Returns the current registrations, to be stored with the session. */
  saved(): readonly Parameters[] {
    return this.#held.map(({ definition }) => parametersOf(definition));
  }

  /** Registers what `saved` returned, for example after a resume. Returns the hooks that `agreed` rejects. */
  restore(saved: readonly unknown[], agreed: (definition: Definition) => boolean): readonly Definition[] {
    const read = saved.filter(isParameters).map(readRegistration);
    const definitions = read.flatMap((one) => (one.ok ? [one.definition] : []));
    for (const definition of definitions) if (agreed(definition)) this.add(definition);
    return definitions.filter((definition) => !agreed(definition));
  }
}

function isParameters(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(problem: string, remedy: string): Registering {
  return { ok: false, problem: `No hook was registered: ${problem}. ${remedy}` };
}

function failed(text: string): ToolText {
  return { isError: true, text };
}

function textIn(given: Parameters, key: string): string | undefined {
  const value = Object.hasOwn(given, key) ? given[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Reads a choice; `undefined` if it is absent, empty text if it is not one of the choices. */
function oneOf(given: Parameters, key: string, choices: readonly string[]): string | undefined {
  const value = Object.hasOwn(given, key) ? given[key] : undefined;
  if (value === undefined || value === null) return undefined;
  return choices.find((choice) => choice === value) ?? "";
}

/** Reads a whole number; `undefined` if it is absent, `null` if it is not one in range. */
function wholeIn(given: Parameters, key: string, least: number, most: number): number | null | undefined {
  const value = Object.hasOwn(given, key) ? given[key] : undefined;
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
