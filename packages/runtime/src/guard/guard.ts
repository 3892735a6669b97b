import type { Fields } from "@hookline/ground";
import type { Answer, EventName, Payload } from "../catalog/catalog.ts";
import type { Call } from "../hook/call.ts";
import type { GuardCase } from "../hook/guard-case.ts";
import type { Nothing } from "../hook/hook.ts";

/** The arguments of the tools that every agent has, by the names under which guards know them. */
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

/** The event as a guard sees it: the payload, with the arguments of the tools that it names. */
export type GuardedEvent<E extends EventName, Tool extends string> =
  Payload<E> extends { readonly args: Fields }
    ? Omit<Payload<E>, "args"> & { readonly args: ArgumentsOf<Tool> }
    : Payload<E>;

type EventDecision<E extends EventName> = Answer<E> extends { readonly decision?: infer D } ? D : never;

/** Short answers, where the event takes a decision: what is refused or asked, with the reason. */
export type ShortAnswer<E extends EventName> =
  | ("deny" extends EventDecision<E> ? { readonly deny: string } : never)
  | ("ask" extends EventDecision<E> ? { readonly ask: string } : never);

/** An answer of a guard: the event's own, a short one, or nothing, which lets the event pass. */
export type GuardAnswer<E extends EventName> = Answer<E> | ShortAnswer<E> | Nothing;

/** A guard as it is written. */
export interface GuardOptions<E extends EventName, Tool extends string> {
  /** Names the guard in reports; unique among the guards of a person and a project. */
  readonly name: string;
  /** An event of the catalogue. */
  readonly on: E;
  /** Tools of which it is asked, by the names that hooks know, such as `bash` or `mcp__server__tool`. Default: all. */
  readonly tools?: readonly Tool[];
  /** How long it may take, in ms. Default: that of the event. */
  readonly timeoutMs?: number;
  /** Must not change the event. If it throws, what it guards is refused, and a text that it redacts is withheld. */
  run(event: GuardedEvent<E, Tool>, call: Call): GuardAnswer<E> | Promise<GuardAnswer<E>>;
  /** Cases that it must refuse or let pass. A session asks one that it must refuse or edit at its start. */
  readonly cases?: readonly GuardCase[];
}

/** A guard, as files export it and sessions take it. */
export interface Guard {
  readonly name: string;
  readonly on: EventName;
  readonly tools?: readonly string[];
  readonly timeoutMs?: number;
  run(event: never, call: Call): unknown;
  readonly cases?: readonly GuardCase[];
}

/**
 * Types a guard; returns it unchanged. Put it into `.hookline/guards/NAME.ts` as the default export, alone or in a list,
 * or pass it to `session.on`. Mistakes are found there, each with the guard's name.
 */
export function guard<const E extends EventName, const Tool extends string = string>(
  options: GuardOptions<E, Tool>,
): Guard {
  return options as unknown as Guard;
}
