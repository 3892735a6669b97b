import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** The content of one request to a collector. */
export interface Received {
  readonly path: string;
  readonly type: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** How a collector behaves: it takes everything, never answers, refuses with a status, or does what a function does. */
export type Mood = "takes" | "hangs" | { readonly status: number } | ((response: ServerResponse) => void);

/** A collector of OpenTelemetry on 127.0.0.1. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Spans of the requests in JSON. */
  spans(): readonly OtlpSpan[];
  /** Metrics of the requests in JSON, the last of each name. */
  metrics(): ReadonlyMap<string, any>;
}

/** A span as OTLP writes it in JSON. */
export interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code?: number };
}

/** Starts a collector; with a certificate it speaks TLS. */
export async function startCollector(
  mood: Mood = "takes",
  tls?: { readonly key: string; readonly cert: string },
): Promise<Collector> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = request.headers["content-type"] ?? "";
    received.push({ path: request.url ?? "", type, headers: request.headers, body: Buffer.concat(chunks) });
    if (mood === "hangs") return;
    if (typeof mood === "function") return mood(response);
    response.writeHead(mood === "takes" ? 200 : mood.status, { "content-type": type });
    response.end(type.includes("json") ? "{}" : "");
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bodies = (path: string): any[] =>
    received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString("utf8")));
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => spansIn(bodies("/v1/traces")),
    metrics: () => metricsIn(bodies("/v1/metrics")),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The spans of decoded requests. */
export function spansIn(bodies: readonly any[]): readonly OtlpSpan[] {
  return bodies.flatMap((body) =>
    body.resourceSpans.flatMap((resource: any) => resource.scopeSpans.flatMap((scope: any) => scope.spans)),
  );
}

/** The metrics of decoded requests, the last of each name. */
export function metricsIn(bodies: readonly any[]): ReadonlyMap<string, any> {
  const all = bodies.flatMap((body) =>
    body.resourceMetrics.flatMap((resource: any) => resource.scopeMetrics.flatMap((scope: any) => scope.metrics)),
  );
  return new Map(all.map((metric: any) => [metric.name, metric]));
}

/** An attribute's value. */
export function attribute({ attributes }: OtlpSpan, key: string): unknown {
  const value = attributes.find((one) => one.key === key)?.value;
  if (value === undefined) return undefined;
  // Protobuf's own JSON has text for integers, as they may be too large for a number.
  if ("intValue" in value) return Number(value["intValue"]);
  const list = value["arrayValue"] as { readonly values: readonly Readonly<Record<string, unknown>>[] } | undefined;
  return list === undefined ? Object.values(value)[0] : list.values.map((one) => Object.values(one)[0]);
}

/** Decodes a request in Python, with OpenTelemetry's own classes where these are installed: not with what encoded it. */
export async function decodeInPython(kind: "traces" | "metrics", body: Buffer): Promise<any> {
  const child = spawn("python3", [join(import.meta.dirname, "otlp.py"), kind], { stdio: ["pipe", "pipe", "inherit"] });
  return JSON.parse((await outputOf(child, body)) ?? "null");
}

function outputOf(child: ChildProcess, input: Buffer | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? text : undefined));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}
