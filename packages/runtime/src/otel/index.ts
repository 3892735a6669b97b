/**
 * Exports telemetry of a runtime through `@opentelemetry/api`, which the host installs. No other module imports that
 * package.
 */
export { type InstrumentOptions, instrument } from "./instrument.ts";
export { CONVENTIONS, METRICS, SCOPE } from "./names.ts";
export type { Contexts } from "./signals.ts";
