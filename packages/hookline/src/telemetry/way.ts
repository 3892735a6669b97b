import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { ExportResult } from "@opentelemetry/core";
import type { ExportTarget } from "./variables.ts";

/** An exporter of the SDK, for spans or metrics. */
interface Exporter {
  export(items: never, done: (result: ExportResult) => void): void;
  forceFlush(): Promise<void>;
}

/** The time that the end of a run still waits after a failed request, for example if nobody listens, in ms. */
const AFTER_FAILURE_MS = 800;
/** The largest number of connections to one collector; further ones would only wait for each other. */
const MOST_CONNECTIONS = 16;

/** Sends one of OpenTelemetry's signals (traces or metrics) to its collector. Reports failures. */
export class Way<E extends Exporter> {
  readonly exporter: E;
  readonly #target: ExportTarget;
  readonly #tell: (problem: string) => void;
  /** The last error of a request. An exporter that retries does not report it. */
  #lastProblem: string | undefined;
  /** Is called at each failed request. `flush` sets it, to stop waiting soon afterwards. */
  #hasFailed: () => void = () => {};

  /** `make` makes the exporter from its options. */
  constructor(target: ExportTarget, make: (options: object) => E, tell: (problem: string) => void) {
    this.#target = target;
    this.#tell = tell;
    const agent = agentOf(target, tell);
    watch(agent, (problem) => {
      this.#lastProblem = problem;
      if (problem !== undefined) this.#hasFailed();
    });
    const { url, headers, timeoutMs } = target;
    this.exporter = make({
      url,
      headers: { ...headers },
      timeoutMillis: timeoutMs,
      // The SDK drops batches above its limit. Without a limit, they wait for a connection.
      concurrencyLimit: Number.MAX_SAFE_INTEGER,
      httpAgentOptions: () => agent,
    });
    const send = this.exporter.export.bind(this.exporter);
    this.exporter.export = (items, done) =>
      send(items, (result) => {
        if (result.code !== 0) this.#failed(this.#lastProblem ?? wordsOf(result.error));
        done(result);
      });
  }

  /** The address of the collector, for messages. */
  get where(): string {
    const { origin, pathname } = new URL(this.#target.url);
    return `${origin}${pathname}`;
  }

  /**
   * Waits until everything that `drain` exports, and every running request, has been sent. Gives up when `late`
   * resolves, or shortly after an error: a slow collector gets more time than one that is down.
   */
  async flush(drain: Promise<void>, late: Promise<unknown>): Promise<void> {
    const given = Promise.withResolvers<void>();
    this.#hasFailed = () => void setTimeout(given.resolve, AFTER_FAILURE_MS);
    if (this.#lastProblem !== undefined) this.#hasFailed();
    const sent = drain.catch(() => undefined).then(() => this.exporter.forceFlush());
    const isWhole = await Promise.race([
      sent.then(() => true),
      late.then(() => false),
      given.promise.then(() => false),
    ]);
    if (!isWhole) this.#failed(this.#lastProblem ?? "it did not accept everything in time");
  }

  #failed(what: string): void {
    this.#tell(`Telemetry is not exported to ${this.where}: ${what}.`);
  }
}

/** Reports the outcome of each HTTP request that `agent` makes: a problem, or undefined. */
function watch(agent: Agent, report: (problem: string | undefined) => void): void {
  const isOwn = (request: ClientRequest): boolean => (request as { readonly agent?: Agent }).agent === agent;
  subscribe("http.client.request.error", (about) => {
    const { request, error } = about as { readonly request: ClientRequest; readonly error?: Error };
    if (isOwn(request)) report(wordsOf(error));
  });
  subscribe("http.client.response.finish", (about) => {
    const { request, response } = about as { readonly request: ClientRequest; readonly response: IncomingMessage };
    const { statusCode = 200 } = response;
    if (isOwn(request)) report(statusCode > 299 ? `it answered with HTTP status ${statusCode}` : undefined);
  });
}

/** Describes a failure by its code if it has one, because its message may quote what was sent. */
function wordsOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  const { code, message = "" } = error ?? {};
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED)";
  if (typeof code === "string") return `the connection failed (${code})`;
  if (typeof code === "number") return `it answered with HTTP status ${code}`;
  return /timed? ?out/i.test(message) ? "it did not answer in time" : "the connection failed";
}

function agentOf({ url, certificate }: ExportTarget, tell: (problem: string) => void): Agent {
  const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const ca = certificate === undefined ? undefined : certificates(certificate, tell);
  if (!url.startsWith("https:")) return new Agent(options);
  return new TlsAgent({ ...options, ...(ca !== undefined && { ca }) });
}

function certificates(path: string, tell: (problem: string) => void): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    tell(`OTEL_EXPORTER_OTLP_CERTIFICATE names ${path}, which cannot be read.`);
    return undefined;
  }
}
