/**
 * Exports hooks for an agent of your own. A runtime loads the hooks of a machine, and a session asks them: `emit` for
 * an event, `wrap` for a tool call.
 */

export type { Diagnostic } from "@hookline/ground";
export { HooklineError } from "@hookline/ground";
export type { Answer, EventName, Payload } from "./catalog/catalog.ts";
export { type Message, textOf } from "./catalog/message.ts";
export { type Consent, trustEverything } from "./consent/consent.ts";
export { TrustStore } from "./consent/trust-store.ts";
export type { Scene } from "./hook/lane.ts";
export type { HostServices, HostUi } from "./port/host.ts";
export type { LlmTransport } from "./port/llm.ts";
export type { RecordLevel } from "./record/line.ts";
export { type RecordedMoment, readRecording } from "./record/read.ts";
export type { RecordSink } from "./record/sink.ts";
export type { Outcome } from "./run/outcome.ts";
export type { TraceLine } from "./run/trace.ts";
export type { ToolOutput, WrappedCall, WrappedResult } from "./run/wrap.ts";
export type { ToolAlias, ToolAliases } from "./session/alias.ts";
export { createRuntime, type Runtime, type Session } from "./session/face.ts";
export type { RuntimeOptions } from "./session/runtime.ts";
export type { SessionOptions } from "./session/session-parts.ts";
