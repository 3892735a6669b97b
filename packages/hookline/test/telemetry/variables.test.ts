import { readFileSync } from "node:fs";
import { METRICS } from "@hookline/runtime/otel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readVariables } from "../../src/telemetry/variables.ts";

const read = (env: Record<string, string>) => readVariables(env, "1.2.3");
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

describe("the variables of OpenTelemetry", () => {
  test.each<[string, Record<string, string>]>([
    ["none", {}],
    ["only how, and not where", { OTEL_SERVICE_NAME: "a", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }],
    ["an empty endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
    ["a switch that is off", { ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }],
    ["no exporter of either kind", { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
  ])("export nothing for %s", (_, env) => {
    expect(read(env)).toEqual({ problems: [] });
  });

  test("name where each signal goes", () => {
    const { settings, problems } = read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://other/m?x=1" });
    expect(problems).toEqual([]);
    expect(settings?.exports.traces).toEqual({
      url: "http://collector:4318/v1/traces",
      protocol: "http/protobuf",
      headers: {},
      timeoutMs: 10_000,
    });
    expect(settings?.exports.metrics?.url).toBe("https://other/m?x=1");
    expect(settings?.content).toBe(false);
    const asked = read({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector/otlp/?key=1" });
    expect(asked.settings?.exports.traces?.url).toBe("https://collector/otlp/v1/traces?key=1");
  });

  test("ask for one signal by its exporter, at the standard place", () => {
    const { settings } = read({ OTEL_TRACES_EXPORTER: "otlp" });
    expect(settings?.exports.traces?.url).toBe("http://localhost:4318/v1/traces");
    expect(settings?.exports.metrics).toBeUndefined();
  });

  test("say how it is sent; a signal's own variable overrides the common one", () => {
    const { settings } = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, other=c=d",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "250",
      OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY",
    });
    expect(settings?.exports.traces).toMatchObject({
      headers: { "api-key": "a b", other: "c=d" },
      timeoutMs: 250,
      certificate: "/ca.pem",
    });
    expect(settings?.exports.metrics?.timeoutMs).toBe(500);
    expect(settings?.exports.batch).toEqual({ maxQueueSize: 100 });
    expect(settings?.content).toBe(true);
  });

  test("leave out a header that HTTP does not allow, and keep the others", () => {
    const { settings } = read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "a b=1,c=%E2%82%AC,d=2%0D%0A,e=%C3%A9" });
    expect(settings?.exports.traces?.headers).toEqual({ e: "é" });
  });

  test("name a sampler in any case; its argument counts where it has one", () => {
    const sampled = (env: Record<string, string>) => {
      const { settings, problems } = read({ ...ENDPOINT, ...env });
      return [`${settings?.sampling}`, problems];
    };
    expect(sampled({ OTEL_TRACES_SAMPLER: "ALWAYS_OFF" })).toEqual(["AlwaysOffSampler", []]);
    expect(sampled({ OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_SAMPLER_ARG: "few" })).toEqual([
      "AlwaysOffSampler",
      [],
    ]);
    expect(sampled({ OTEL_TRACES_SAMPLER: "TraceIdRatio", OTEL_TRACES_SAMPLER_ARG: "0.5" })).toEqual([
      "TraceIdRatioBased{0.5}",
      [],
    ]);
  });

  test("say who sends it", () => {
    const resource = { OTEL_RESOURCE_ATTRIBUTES: "team=red%2Cblue,service.name=a" };
    expect(read(ENDPOINT).settings?.exports.resource).toEqual({
      "service.name": "hookline",
      "service.version": "1.2.3",
    });
    expect(read({ ...ENDPOINT, ...resource }).settings?.exports.resource).toMatchObject({
      "service.name": "a",
      team: "red,blue",
    });
    const unnamed = { ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES: "service.name=" };
    expect(read(unnamed).settings?.exports.resource["service.name"]).toBe("hookline");
    const named = { ...ENDPOINT, ...resource, OTEL_SERVICE_NAME: "b" };
    expect(read(named).settings?.exports.resource["service.name"]).toBe("b");
  });

  test.each<[Record<string, string>, string]>([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
    [{ OTEL_TRACES_EXPORTER: "console" }, 'OTEL_TRACES_EXPORTER is "console"'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https address"],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, 'OTEL_EXPORTER_OTLP_TIMEOUT is "soon"'],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, 'OTEL_TRACES_SAMPLER is "jaeger_remote"'],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, "is not between 0 and 1"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "SECRET" }, "OTEL_EXPORTER_OTLP_HEADERS contains a part"],
    [{ OTEL_EXPORTER_OTLP_METRICS_HEADERS: "SECRET" }, "OTEL_EXPORTER_OTLP_METRICS_HEADERS contains a part"],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" }, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "grpc"'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a=SECRET%0A" }, "OTEL_EXPORTER_OTLP_HEADERS contains a header that HTTP does not"],
  ])("with %j are told of", (env, problem) => {
    const { problems } = read({ ...ENDPOINT, ...env });
    expect(problems[0]).toContain(problem);
    expect(problems.join()).not.toContain("SECRET");
  });

  test("are read whatever they hold", () => {
    const names = [
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_RESOURCE_ATTRIBUTES",
      "OTEL_TRACES_SAMPLER",
      "OTEL_TRACES_SAMPLER_ARG",
      "OTEL_EXPORTER_OTLP_TIMEOUT",
      "OTEL_TRACES_EXPORTER",
    ];
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("%", "a=%E0", "otlp", "__proto__", "a=b,"));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (env) => {
        expect(Array.isArray(read(env).problems)).toBe(true);
      }),
    );
  });
});

test("the dashboard for Grafana only uses existing metrics and labels", () => {
  const file = new URL("../../../../examples/grafana/dashboard.json", import.meta.url);
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr?: string }[] }[];
  };
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr?.match(/\b(?:hookline|gen_ai)_\w+(?=[{[])/g) ?? []),
  );
  const stems = Object.values(METRICS).map(
    ({ name, unit }) => name.replaceAll(".", "_") + (unit === "s" ? "_seconds" : ""),
  );
  expect(asked.length).toBeGreaterThan(6);
  for (const name of asked) expect(stems).toContain(name.replace(/_(?:total|sum|count|bucket)$/, ""));
  for (const stem of stems)
    expect(
      asked.some((name) => name.startsWith(stem)),
      stem,
    ).toBe(true);
});
