/**
 * Exports what is needed to write guards in hookline's own format: `@hookline/runtime/guard`. A guard is a handler of
 * one catalog event, with cases that it must refuse and cases that it must let pass.
 */
export type { GuardCase } from "../hook/guard-case.ts";
export {
  type Guard,
  type GuardAnswer,
  type GuardedEvent,
  type GuardOptions,
  guard,
  type ToolArguments,
} from "./guard.ts";
