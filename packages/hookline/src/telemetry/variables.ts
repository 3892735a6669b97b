import { type Sampling, samplingOf } from "./sampling.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A signal of OpenTelemetry, as spelled in the variables. */
export type SignalName = "TRACES" | "METRICS";

/** The collector to which traces or metrics are sent, and how. */
export interface ExportTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/protobuf" | "http/json";
  readonly timeoutMs: number;
  /** The path of a file with certificates to trust. */
  readonly certificate?: string;
}

/** Settings for exporting traces and metrics. They must be plain data to be sent to the exporting thread. */
export interface ExportSettings {
  readonly traces?: ExportTarget;
  readonly metrics?: ExportTarget;
  readonly resource: Readonly<Record<string, string>>;
  readonly batch: {
    readonly scheduledDelayMillis?: number;
    readonly exportTimeoutMillis?: number;
    readonly maxQueueSize?: number;
    readonly maxExportBatchSize?: number;
  };
  readonly metricsEveryMs: number;
}

/** The settings in OpenTelemetry's variables. */
export interface TelemetrySettings {
  readonly exports: ExportSettings;
  readonly sampling: Sampling;
  /** Whether spans contain prompts, replies, arguments and results. */
  readonly content: boolean;
}

/** The settings, if anything is to be exported. `problems` are sentences for the person. */
export interface ReadVariables {
  readonly settings?: TelemetrySettings;
  readonly problems: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 10_000;
const METRICS_EVERY_MS = 60_000;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Matches header values that Node accepts. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads the `OTEL_*` variables. Nothing is exported unless they name an `otlp` exporter or an endpoint. Source:
 * opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables.
 */
export function readVariables(env: Env, version: string): ReadVariables {
  const reader = new Reader(env);
  if (reader.flag("OTEL_SDK_DISABLED")) return { problems: [] };
  const traces = reader.target("TRACES");
  const metrics = reader.target("METRICS");
  if (traces === undefined && metrics === undefined) return { problems: reader.problems };
  const number = (name: string): number | undefined => reader.number(name);
  const sampling = samplingOf(reader.text("OTEL_TRACES_SAMPLER"), reader.text("OTEL_TRACES_SAMPLER_ARG"));
  if (sampling.problem !== undefined) reader.problems.push(sampling.problem);
  const settings: TelemetrySettings = {
    exports: {
      ...(traces !== undefined && { traces }),
      ...(metrics !== undefined && { metrics }),
      resource: reader.resource(version),
      batch: defined({
        scheduledDelayMillis: number("OTEL_BSP_SCHEDULE_DELAY"),
        exportTimeoutMillis: number("OTEL_BSP_EXPORT_TIMEOUT"),
        maxQueueSize: number("OTEL_BSP_MAX_QUEUE_SIZE"),
        maxExportBatchSize: number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
      }),
      metricsEveryMs: number("OTEL_METRIC_EXPORT_INTERVAL") ?? METRICS_EVERY_MS,
    },
    sampling: sampling.sampling,
    content: reader.content(),
  };
  return { settings, problems: reader.problems };
}

class Reader {
  readonly problems: string[] = [];
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Returns the value of a variable. An empty one counts as unset. */
  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === "" ? undefined : value;
  }

  flag(name: string): boolean {
    return this.text(name)?.toLowerCase() === "true";
  }

  /** Whether spans should contain messages. Values only for OpenTelemetry events, such as `event_only`, mean no. */
  content(): boolean {
    const value = this.text("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")?.toLowerCase();
    return value === "true" || value === "span_only" || value === "span_and_event";
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value);
    this.problems.push(`${name} is "${value}", which is not a whole number above 0; the default is used.`);
    return undefined;
  }

  /** Returns where traces or metrics are sent; undefined if that is not wanted, or not supported as requested. */
  target(signal: SignalName): ExportTarget | undefined {
    const own = (name: string): string | undefined => this.text(this.#variable(signal, name));
    const exporter = this.text(`OTEL_${signal}_EXPORTER`)?.toLowerCase();
    if (exporter === "none") return undefined;
    if (exporter === undefined && own("ENDPOINT") === undefined) return undefined;
    if (exporter !== undefined && exporter !== "otlp")
      return this.#off(`OTEL_${signal}_EXPORTER is "${exporter}". Set it to otlp or none.`);
    const protocol = own("PROTOCOL")?.toLowerCase() ?? "http/protobuf";
    if (protocol !== "http/protobuf" && protocol !== "http/json")
      return this.#off(
        `${this.#variable(signal, "PROTOCOL")} is "${protocol}", which hookline does not speak. Set it to http/protobuf or http/json.`,
      );
    const url = this.#url(signal);
    if (url === undefined) return undefined;
    const certificate = own("CERTIFICATE");
    return {
      url,
      protocol,
      headers: this.#headers(this.#variable(signal, "HEADERS")),
      timeoutMs:
        this.number(`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`) ??
        this.number("OTEL_EXPORTER_OTLP_TIMEOUT") ??
        DEFAULT_TIMEOUT_MS,
      ...(certificate !== undefined && { certificate }),
    };
  }

  /** Returns the name of the signal's own variable if that is set, otherwise of the common one. */
  #variable(signal: SignalName, name: string): string {
    const own = `OTEL_EXPORTER_OTLP_${signal}_${name}`;
    return this.text(own) === undefined ? `OTEL_EXPORTER_OTLP_${name}` : own;
  }

  /** Returns the signal's own endpoint unchanged, or the common endpoint with the signal's path appended. */
  #url(signal: SignalName): string | undefined {
    const name = this.#variable(signal, "ENDPOINT");
    const url = URL.parse(this.text(name) ?? "http://localhost:4318");
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
      return this.#off(`${name} is not an http or https address.`);
    if (name === "OTEL_EXPORTER_OTLP_ENDPOINT")
      url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
    return url.href;
  }

  #off(problem: string): undefined {
    this.problems.push(`${problem} Nothing is exported there.`);
    return undefined;
  }

  /** Returns the headers that HTTP allows. An invalid header would make every request fail. */
  #headers(variable: string): Readonly<Record<string, string>> {
    const all = Object.entries(this.#pairs(variable, this.text(variable)));
    const allowed = all.filter(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value));
    if (allowed.length < all.length)
      this.problems.push(`${variable} contains a header that HTTP does not allow; that header is not sent.`);
    return Object.fromEntries(allowed);
  }

  resource(version: string): Readonly<Record<string, string>> {
    const given = this.#pairs("OTEL_RESOURCE_ATTRIBUTES", this.text("OTEL_RESOURCE_ATTRIBUTES"));
    const name = this.text("OTEL_SERVICE_NAME") ?? (given["service.name"] || "hookline");
    return { "service.version": version, ...given, "service.name": name };
  }

  /** Parses comma-separated `name=value` pairs, values percent-encoded. Reports invalid pairs without their text. */
  #pairs(variable: string, text = ""): Readonly<Record<string, string>> {
    const pairs: [string, string][] = [];
    for (const pair of text.split(",")) {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at).trim();
      try {
        if (at > 0 && name !== "")
          pairs.push([decodeURIComponent(name), decodeURIComponent(pair.slice(at + 1).trim())]);
        else if (pair.trim() !== "") throw new Error("no name");
      } catch {
        this.problems.push(`${variable} contains a part that is not a name=value pair; that part is not used.`);
      }
    }
    return Object.fromEntries(pairs);
  }
}

function defined<T extends object>(record: { [K in keyof T]: T[K] | undefined }): { [K in keyof T]?: T[K] } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: T[K];
  };
}
