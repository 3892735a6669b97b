import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

/** Decides which traces are exported. */
export type Sampling = Sampler;

const DEFAULT = "parentbased_always_on";

/** Samplers by their names in `OTEL_TRACES_SAMPLER`. */
const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  [DEFAULT]: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/** Returns the sampler that the environment names. For an unknown one, returns the default and a problem. */
export function samplingOf(
  name: string = DEFAULT,
  argument: string | undefined,
): { readonly sampling: Sampling; readonly problem?: string } {
  const key = name.toLowerCase();
  const make = Object.hasOwn(SAMPLERS, key) ? SAMPLERS[key] : undefined;
  const fallback = new ParentBasedSampler({ root: new AlwaysOnSampler() });
  if (make === undefined)
    return {
      sampling: fallback,
      problem: `OTEL_TRACES_SAMPLER is "${name}". Choose from ${Object.keys(SAMPLERS).join(", ")}. Every trace is sent.`,
    };
  // Only the ratio samplers have an argument.
  const ratio = argument === undefined || !key.endsWith("ratio") ? 1 : Number(argument);
  if (ratio >= 0 && ratio <= 1) return { sampling: make(ratio) };
  const problem = `OTEL_TRACES_SAMPLER_ARG is "${argument}", which is not between 0 and 1. Every trace is sent.`;
  return { sampling: make(1), problem };
}
