import type { Answer, EventName, Folded, Payload } from "../catalog/catalog.ts";
import type { LoadReport } from "../config/report.ts";
import type { Guard } from "../guard/guard.ts";
import type { Call } from "../hook/call.ts";
import type { Nothing } from "../hook/hook.ts";
import type { Lane, Scene } from "../hook/lane.ts";
import type { Explanation } from "../run/explain.ts";
import type { Outcome } from "../run/outcome.ts";
import type { EmitOptions, ToolOutput, WrappedCall, WrappedResult } from "../run/wrap.ts";
import type { FireOptions } from "./fire.ts";
import type { Proof } from "./proof.ts";
import { createHookRuntime, type RuntimeOptions } from "./runtime.ts";
import type { OnOptions, SessionOptions } from "./session-parts.ts";

/** The hooks of one session, as an embedding agent uses them. Sessions share nothing but caches. */
export interface Session {
  /** The searched places, and the hooks that were found, loaded and skipped. */
  readonly report: LoadReport;
  /** Returns whether a hook listens to an event, or the event is recorded; lets an agent skip building a payload. */
  has(event: EventName): boolean;
  /** Asks the hooks of an event; returns synchronously if every handler does. Never rejects because of a hook. */
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: EmitOptions,
  ): Outcome<Folded<E>> | Promise<Outcome<Folded<E>>>;
  /** Runs one tool call with its hooks: they may refuse it, change its arguments, and change its result. */
  wrap(
    call: WrappedCall,
    run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  ): Promise<WrappedResult>;
  /** Returns the same hooks for a sub-agent: with the sub-agent's scene, and without hooks for the main agent only. */
  within(scene: Scene): Pick<Session, "has" | "emit" | "wrap">;
  /**
   * Registers a handler, asked after the hooks of all dialects; it must return its changes, not edit the event. Returns
   * a function that removes the handler.
   */
  on<E extends EventName>(
    event: E,
    handler: (event: Payload<E>, call: Call) => Answer<E> | Nothing | Promise<Answer<E> | Nothing>,
    options?: OnOptions,
  ): () => void;
  /** Registers a guard that is asked after the hooks of all dialects. Throws `INVALID_OPTION` for an invalid one. */
  on(guard: Guard): () => void;
  /**
   * Tests each guard with a case that it must refuse or edit, and returns which guards work. Without this call the
   * first guarded event runs the tests.
   */
  prove(): Promise<Proof>;
  /** Returns which hooks would run for an event, in order, and why the others would not. Runs none of them. */
  explain(event: EventName, payload?: object): Explanation;
  /** Asks one lane's hooks about an event in the dialect's own form. Throws for an unknown lane or event. */
  fire(lane: string, event: string, payload: object, options?: FireOptions): Promise<Outcome>;
  /** Resolves when hooks in shadow have been asked about everything so far. */
  shadowsSettled(): Promise<void>;
  /** Waits for hooks that are being asked, then unloads all. Afterwards `emit` throws for events with hooks. */
  close(): Promise<void>;
}

/** The state of a process: its dialects, its transports, and the sessions that are open. */
export interface Runtime {
  /** The lanes of the runtime's dialects, in the order in which they are asked. */
  readonly lanes: readonly Lane[];
  /** Opens a session and loads its hooks; look at `session.report` for what was found and what does not run. */
  open(options: SessionOptions): Promise<Session>;
  /** Closes every session, then ends everything that still runs. */
  close(): Promise<void>;
}

/** Makes a runtime; nothing is read or started until a session is opened. */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  return createHookRuntime(options);
}
