import type { Fields } from "@hookline/ground";
import type { Answer, EventName, Payload } from "../catalog/catalog.ts";
import type { Call } from "../hook/call.ts";
import type { GuardCase } from "../hook/guard-case.ts";
import type { Nothing } from "../hook/hook.ts";

/** The arguments of the tools that every agent has, by the tool names that guards use. */
export interface ToolArguments {
  readonly bash: { readonly command: string; readonly timeout?: number };
  readonly read: { readonly path: string; readonly offset?: number; readonly limit?: number };
  readonly write: { readonly path: string; readonly content: string };
  readonly edit: {
    readonly path: string;
    readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
  };
  readonly grep: { readonly pattern: string; readonly path?: string; readonly glob?: string };
  readonly find: { readonly pattern: string; readonly path?: string };
  readonly ls: { readonly path?: string };
}

type ArgumentsOf<Tool extends string> = Tool extends keyof ToolArguments ? ToolArguments[Tool] : Fields;

/** The event as a guard sees it: the payload, with the argument types of the tools that the guard names. */
export type GuardedEvent<E extends EventName, Tool extends string> =
  Payload<E> extends { readonly args: Fields }
    ? Omit<Payload<E>, "args"> & { readonly args: ArgumentsOf<Tool> }
    : Payload<E>;

type EventDecision<E extends EventName> = Answer<E> extends { readonly decision?: infer D } ? D : never;

/** Short forms of an answer, for events that take a decision: `deny` or `ask` with the reason as text. */
export type ShortAnswer<E extends EventName> =
  | ("deny" extends EventDecision<E> ? { readonly deny: string } : never)
  | ("ask" extends EventDecision<E> ? { readonly ask: string } : never);

/** An answer of a guard: the event's own, a short one, or nothing, which lets the event pass. */
export type GuardAnswer<E extends EventName> = Answer<E> | ShortAnswer<E> | Nothing;

/** The options with which a guard is written. */
export interface GuardOptions<E extends EventName, Tool extends string> {
  /** The guard's name in reports; unique among the guards of a person and a project. */
  readonly name: string;
  /** The name of the catalog event that the guard is asked about. */
  readonly on: E;
  /**
   * The tools that the guard is asked about, by the names that hooks know, such as `bash` or `mcp__server__tool`.
   * Default: all.
   */
  readonly tools?: readonly Tool[];
  /** The time limit in milliseconds. Default: the event's. */
  readonly timeoutMs?: number;
  /**
   * Judges the event, which it must not change. If `run` throws, what it guards is refused, and a text that it redacts
   * is withheld.
   */
  run(event: GuardedEvent<E, Tool>, call: Call): GuardAnswer<E> | Promise<GuardAnswer<E>>;
  /** Cases to refuse or to let pass. A session tests the guard at its start with one that must be refused or edited. */
  readonly cases?: readonly GuardCase[];
}

/** A guard in the form in which a file exports it or a session accepts it. */
export interface Guard {
  readonly name: string;
  readonly on: EventName;
  readonly tools?: readonly string[];
  readonly timeoutMs?: number;
  run(event: never, call: Call): unknown;
  readonly cases?: readonly GuardCase[];
}

/**
 * Types a guard and returns it unchanged. Put it into `.hookline/guards/NAME.ts` as the default export, alone or in a
 * list, or pass it to `session.on`. Mistakes are found when it is loaded, each reported with the guard's name.
 */
export function guard<const E extends EventName, const Tool extends string = string>(
  options: GuardOptions<E, Tool>,
): Guard {
  return options as unknown as Guard;
}
