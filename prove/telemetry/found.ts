import { attribute, type Received, spansIn } from "../../packages/hookline/test/support/collector.ts";
import { CONTENT, DENIED_CALL, NEVER, REDACTED, type Stage } from "./stage.ts";

/** The data that a collector received. */
export interface Sent {
  readonly content: boolean;
  readonly protocol: "json" | "protobuf";
  readonly received: readonly Received[];
}

/**
 * Returns what is wrong with what was sent; a collector that received everything must have all that should be visible.
 */
export function wrongInSent(sent: Sent, isWhole: boolean): string | undefined {
  const { content, received } = sent;
  const bytes = received.map(({ headers, body }) => `${JSON.stringify(headers)}${body.toString("latin1")}`).join("\n");
  const leaked = [...REDACTED, ...NEVER, ...(content ? [] : CONTENT)].find((text) => bytes.includes(text));
  if (leaked !== undefined) return `it got ${leaked}`;
  const missing = isWhole && content && CONTENT.find((text) => !bytes.includes(text));
  if (missing) return `it did not get ${missing}`;
  return wrongCalls(sent, isWhole);
}

/** Checks the tool calls: only the one that ran may be listed as run; the other must be shown as refused. */
function wrongCalls({ protocol, received }: Sent, isWhole: boolean): string | undefined {
  const traces = received.filter(({ path }) => path === "/v1/traces");
  if (protocol === "protobuf") {
    // Names of spans are readable in the bytes. An exporter that retries sends the same bytes again.
    const bodies = new Set(traces.map(({ body }) => body.toString("latin1")));
    const ran = [...bodies].join("").split("execute_tool bash").length - 1;
    return ran > 1 || (isWhole && ran === 0) ? `${ran} calls have a span as if they had run, and 1 ran` : undefined;
  }
  const spans = spansIn(traces.map(({ body }) => JSON.parse(body.toString("utf8"))));
  const calls = spans.filter(({ name }) => name.startsWith("execute_tool"));
  const ofDenied = spans.filter((span) => attribute(span, "gen_ai.tool.call.id") === DENIED_CALL);
  if (ofDenied.some((span) => calls.includes(span))) return "the refused call has a span as if it had run";
  if (!isWhole) return undefined;
  if (calls.length === 0) return "the call that ran has no span";
  const isSeen = ofDenied.some((span) => attribute(span, "hookline.decision") === "deny");
  return isSeen ? undefined : "no span tells that the call was refused";
}

/** The kinds of hooks that record their environment. */
const KINDS = ["claude", "person", "plugin", "project"];

/** Returns what is wrong with the environments of hooks. */
export function wrongInHooks(hooks: ReturnType<Stage["environments"]>): string | undefined {
  const missing = KINDS.find((kind) => !hooks.some(([known]) => known === kind));
  if (missing !== undefined) return `no hook ran (${missing})`;
  for (const [kind, lines] of hooks) {
    const found = lines.find((line) => /^(?:OTEL_|BAGGAGE=)/i.test(line));
    if (found !== undefined) return `a hook (${kind}) got ${found}`;
    if (!lines.some((line) => line.startsWith("TRACEPARENT="))) return `a hook (${kind}) got no trace`;
  }
  return undefined;
}
