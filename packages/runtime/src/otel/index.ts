/** Telemetry of a runtime through `@opentelemetry/api`, which the host installs; no other module imports it. */
export { type InstrumentOptions, instrument } from "./instrument.ts";
export { CONVENTIONS, METRICS, SCOPE } from "./names.ts";
export type { Contexts } from "./signals.ts";
