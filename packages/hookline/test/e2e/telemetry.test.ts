import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeAuthority } from "../../../runtime/test/http/certificates.ts";
import { Workplace } from "../support/cli.ts";
import {
  attribute,
  type Collector,
  decodeInPython,
  type Mood,
  type OtlpSpan,
  spansIn,
  startCollector,
} from "../support/collector.ts";
import { taskCall, WITH_TASKS } from "../support/depth.ts";
import { freePort } from "../support/free-port.ts";
import { has } from "../support/seeds.ts";

const demo = fileURLToPath(new URL("../../../../examples/demo", import.meta.url));

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

const SCRIPT = `replies:
  - toolCalls: [{ name: bash, arguments: { command: "echo CANARY-$((40 + 2))" } }]
  - text: All done, CANARY-reply.
`;

/** A run waits a second for its telemetry to be sent and no longer, which on a busy machine may be too short. */
const BUSY = { retry: 6 };

/** A guard that adds what it was told of the trace, and of OpenTelemetry, to a file. */
const TELLING = 'env | grep -E "^(TRACE|OTEL|BAGGAGE)" | sort >> env.txt; echo "---" >> env.txt';

function environment(collector: Pick<Collector, "url">, more: Record<string, string> = {}): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...more };
}

const bash = (command: string): object => ({ name: "bash", arguments: { command } });

const isFor = ({ req }: ServerResponse, signal: "traces" | "metrics"): boolean => req.url === `/v1/${signal}`;

const named = (spans: readonly OtlpSpan[], name: string): OtlpSpan | undefined =>
  spans.find((span) => span.name === name);

const inOrder = (spans: readonly OtlpSpan[]): OtlpSpan[] =>
  [...spans].sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));

/** The tree of spans, with what is the same in every run. */
function tree(spans: readonly OtlpSpan[], hide: (text: string) => string): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const lines: string[] = [];
  const show = (parent: string | undefined, depth: number): void => {
    const children = spans.filter(
      (span) => (ids.has(span.parentSpanId ?? "") ? span.parentSpanId : undefined) === parent,
    );
    for (const span of inOrder(children)) {
      // A hook that only observed has a span only if it took over a millisecond.
      if (attribute(span, "hookline.hook.status") === "no-answer") continue;
      const told = span.attributes.flatMap(({ key }) =>
        UNTOLD.has(key) ? [] : [`${key}=${JSON.stringify(attribute(span, key))}`],
      );
      lines.push(hide(`${"  ".repeat(depth)}${span.name}  ${told.sort().join(" ")}`.trimEnd()));
      show(span.spanId, depth + 1);
    }
  };
  show(undefined, 0);
  return `${lines.join("\n")}\n`;
}

const UNTOLD = new Set([
  "gen_ai.conversation.id",
  "gen_ai.usage.input_tokens",
  "hookline.hook.id",
  "hookline.hook.source",
]);

describe("the demo as a trace", BUSY, () => {
  const hide = (text: string): string => text.replaceAll(place.project, "PROJECT");
  const run = (env: Record<string, string>) => {
    cpSync(demo, place.project, { recursive: true });
    return place.run(["--trust-project", "--script", "script.yaml", "-p", "Fix add() in src/sum.js"], { env });
  };

  test("is the golden one, in JSON, below the trace of whoever started it", async () => {
    await using collector = await startCollector();
    const trace = "0af7651916cd43dd8448eb211c80319c";
    const ran = await run(environment(collector, { TRACEPARENT: `00-${trace}-b7ad6b7169203331-01` }));
    expect(ran).toMatchObject({ code: 0, err: "" });
    const spans = collector.spans();
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
    expect(named(spans, "invoke_agent hookline")?.parentSpanId).toBe("b7ad6b7169203331");
    await expect(tree(spans, hide)).toMatchFileSnapshot("telemetry-demo.txt");
    expect([...collector.metrics().keys()].sort()).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
      "hookline.decisions",
      "hookline.hook.duration",
    ]);
    expect(collector.metrics().get("hookline.decisions").unit).toBe("{decision}");
  });

  test.skipIf(!has("python3"))("is the same in protobuf, as Python decodes it", async () => {
    await using collector = await startCollector();
    const ran = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "my-agent" });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(collector.received.map(({ type }) => type)).not.toContain("application/json");
    const of = (path: string): Promise<any>[] =>
      collector.received.flatMap((one) =>
        one.path === path ? [decodeInPython(path.endsWith("traces") ? "traces" : "metrics", one.body)] : [],
      );
    const traces = await Promise.all(of("/v1/traces"));
    await expect(tree(spansIn(traces), hide)).toMatchFileSnapshot("telemetry-demo.txt");
    expect(JSON.stringify(traces[0].resourceSpans[0].resource)).toContain('"my-agent"');
    expect(traces[0].resourceSpans[0].scopeSpans[0].scope).toMatchObject({ name: "hookline" });
    const [metrics] = await Promise.all(of("/v1/metrics"));
    expect(JSON.stringify(metrics)).toContain("hookline.hook.duration");
  });
});

test(
  "a sub-agent has a span of its own below the call that started it, and its requests and calls below that",
  BUSY,
  async () => {
    const call = { name: "bash", arguments: { command: "true" } };
    const replies = [{ toolCalls: [taskCall()] }, { toolCalls: [call] }, { text: "enough" }, { text: "the end" }];
    place.write("script.json", JSON.stringify({ replies }));
    place.write("~/.hookline/settings.json", JSON.stringify(WITH_TASKS));
    await using collector = await startCollector();
    const ran = await place.run(["--script", "script.json", "-p", "Ask somebody"], { env: environment(collector) });
    expect(ran).toMatchObject({ code: 0, out: "the end\n", err: "" });
    const spans = collector.spans();
    const below = (parent: OtlpSpan | undefined): readonly string[] =>
      inOrder(spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId)).map(({ name }) => name);
    const child = named(spans, "invoke_agent general-purpose");
    expect(below(named(spans, "invoke_agent hookline"))).toEqual(["chat script", "execute_tool task", "chat script"]);
    expect(below(named(spans, "execute_tool task"))).toEqual(["invoke_agent general-purpose"]);
    expect(below(child)).toEqual(["chat script", "execute_tool bash", "chat script"]);
    const ids = spans.map((span) => attribute(span, "gen_ai.agent.id"));
    expect(attribute(child as OtlpSpan, "gen_ai.agent.id")).toMatch(/./);
    // Only the sub-agent's span and the spans below it have its id.
    expect(ids.filter((id) => id !== undefined)).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  },
);

test(
  "nothing of it is loaded without a variable of OpenTelemetry, and nothing sent where all is switched off",
  BUSY,
  async () => {
    const loaded = join(place.top, "loaded.txt");
    // Tells every module that the program loads, by its place.
    const watch = place.write(
      "watch.mjs",
      `import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });`,
    );
    place.write("script.yaml", SCRIPT);
    const load = async (more: Record<string, string>): Promise<readonly string[]> => {
      const env = { NODE_OPTIONS: `--import ${pathToFileURL(watch)}`, ...more };
      expect(await place.run(["--script", "script.yaml", "-p", "Hello"], { env })).toMatchObject({ code: 0, err: "" });
      const urls = readFileSync(loaded, "utf8").split("\n");
      rmSync(loaded);
      expect(urls.some((url) => url.endsWith("/launch.js"))).toBe(true);
      return urls.flatMap((url) => /\/(telemetry)-[A-Z0-9]{8}\.js$/.exec(url)?.[1] ?? []);
    };
    expect(await load({ TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" })).toEqual([]);
    await using collector = await startCollector();
    const env = environment(collector);
    expect(await load({ ...env, OTEL_SDK_DISABLED: "true" })).toEqual(["telemetry"]);
    expect(collector.received).toEqual([]);
    expect(await load(env)).toEqual(["telemetry"]);
    expect(named(collector.spans(), "invoke_agent hookline")).toBeDefined();
  },
);

describe("content", BUSY, () => {
  const write = (): void => {
    place.write("script.yaml", SCRIPT);
    place.write(
      "~/.pi/agent/extensions/redact.ts",
      `export default (pi) => {
        pi.on("tool_result", (event) => ({
          content: event.content.map((part) => ({ ...part, text: part.text.replaceAll("CANARY-42", "[gone]") })),
        }));
        pi.on("message_end", ({ message }) => message.role === "assistant" && {
          message: { ...message, content: message.content.map((part) =>
            part.type === "text" ? { ...part, text: part.text.replaceAll("CANARY-reply", "[gone]") } : part) },
        });
      };`,
    );
  };
  const ask = (env: Record<string, string>) =>
    place.run(["--script", "script.yaml", "-p", "Hello CANARY-prompt"], { env });

  test("is on no span unless it is asked for", async () => {
    write();
    await using collector = await startCollector();
    expect(await ask(environment(collector))).toMatchObject({ code: 0 });
    expect(collector.received.map(({ body }) => body.toString("utf8")).join()).not.toContain("CANARY");
    expect(named(collector.spans(), "execute_tool bash")).toBeDefined();
  });

  test("that is asked for is as it left the redactors", async () => {
    write();
    await using collector = await startCollector();
    const more = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
    expect(await ask(environment(collector, more))).toMatchObject({ code: 0 });
    const sent = collector.received.map(({ body }) => body.toString("utf8")).join();
    expect(sent).toContain("CANARY-prompt");
    expect(sent).toContain("[gone]");
    expect(sent).not.toContain("CANARY-42");
    expect(sent).not.toContain("CANARY-reply");
    const [first] = collector.spans().filter(({ name }) => name.startsWith("chat "));
    expect(JSON.parse(String(attribute(first as OtlpSpan, "gen_ai.output.messages")))).toMatchObject([
      { role: "assistant", finish_reason: "tool_call", parts: [{ type: "tool_call", name: "bash" }] },
    ]);
  });
});

describe("hooks", BUSY, () => {
  test("of a person and of a project get the trace of their run, and nothing else of OpenTelemetry", async () => {
    place.write("script.yaml", SCRIPT);
    place.write("~/.jdata/agent/hooks.yaml", `pre_tool_execution:\n  - type: bash\n    command: '${TELLING}'\n`);
    place.write(".jcli/hooks.yaml", `pre_tool_execution:\n  - type: bash\n    command: '${TELLING}'\n`);
    await using collector = await startCollector();
    const env = environment(collector, {
      TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      TRACESTATE: "vendor=1",
      BAGGAGE: "user=me",
    });
    const ran = await place.run(["--trust-project", "--script", "script.yaml", "-p", "Hello"], { env });
    expect(ran.code).toBe(0);
    const runs = collector.spans().filter(({ name }) => name.startsWith("hook.run jcli:"));
    const told = readEnv(place);
    expect(told).toEqual(
      runs.map(({ traceId, spanId }) => `TRACEPARENT=00-${traceId}-${spanId}-01\nTRACESTATE=vendor=1`),
    );
    expect(told.length).toBeGreaterThan(0);
  });

  test("get no stale trace where nothing is exported", async () => {
    place.write("script.yaml", SCRIPT);
    place.write("~/.jdata/agent/hooks.yaml", `pre_tool_execution:\n  - type: bash\n    command: '${TELLING}'\n`);
    const env = { TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", BAGGAGE: "user=me" };
    expect((await place.run(["--script", "script.yaml", "-p", "Hello"], { env })).code).toBe(0);
    expect(readEnv(place)).toEqual([""]);
  });

  test.skipIf(!has("python3"))("in Python that make a span of their own join the trace", async () => {
    await using collector = await startCollector();
    place.write("script.yaml", SCRIPT);
    place.write(
      "~/.jdata/agent/hooks.yaml",
      `pre_tool_execution:\n  - type: bash\n    command: python3 ~/own_span.py\n`,
    );
    place.write("~/own_span.py", OWN_SPAN.replace("COLLECTOR", collector.url));
    expect((await place.run(["--script", "script.yaml", "-p", "Hello"], { env: environment(collector) })).code).toBe(0);
    const spans = collector.spans();
    const own = named(spans, "look at the policy");
    const parent = spans.find(({ spanId }) => spanId === own?.parentSpanId);
    expect(parent?.name).toMatch(/^hook\.run jcli:/);
    expect(own?.traceId).toBe(parent?.traceId);
  });
});

/** A hook with a span of its own, which it sends to the collector itself. */
const OWN_SPAN = `
import json, os, secrets, sys, time, urllib.request
json.load(sys.stdin)
version, trace, parent, flags = os.environ["TRACEPARENT"].split("-")
now = time.time_ns()
span = {"name": "look at the policy", "traceId": trace, "spanId": secrets.token_hex(8), "parentSpanId": parent,
        "kind": 1, "startTimeUnixNano": str(now), "endTimeUnixNano": str(now + 1), "attributes": []}
body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
request = urllib.request.Request("COLLECTOR/v1/traces", json.dumps(body).encode(), {"content-type": "application/json"})
urllib.request.urlopen(request).read()
`;

function readEnv({ project }: Workplace): readonly string[] {
  const text = readFileSync(join(project, "env.txt"), "utf8");
  return text
    .split("---\n")
    .slice(0, -1)
    .map((one) => one.trim());
}

describe("a failing collector is reported once, and changes nothing", BUSY, () => {
  const ask = (env: Record<string, string>) => {
    place.write("script.yaml", SCRIPT);
    return place.run(["--script", "script.yaml", "-p", "Hello"], { env });
  };

  /** One line, with the reason; on a machine that is too busy to hear it in time, without. */
  const told = (what: string): RegExp => {
    const where = `exported to http:\\S+/v1/(?:traces|metrics): ${what.replace(/[()]/g, "\\$&")}`;
    return new RegExp(
      `^warning: Telemetry is not (?:${where}|complete: the rest could not be sent within 10 seconds)\\.\n$`,
    );
  };

  const moods: readonly (readonly [string, Mood, string])[] = [
    ["hangs", "hangs", "it did not accept everything in time"],
    ["refuses", { status: 401 }, "it answered with HTTP status 401"],
    ["is overloaded", { status: 503 }, "it answered with HTTP status 503"],
  ];
  test.each(moods)("that %s", async (_, mood, what) => {
    await using collector = await startCollector(mood);
    const ran = await ask(environment(collector));
    expect(ran.out).toBe("All done, CANARY-reply.\n");
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(told(what));
  });

  const HANGS: readonly [RegExp, Mood] = [
    /^warning: Telemetry is not exported to http:\S+\/v1\/metrics: it did not accept everything in time\.\n$/,
    (response) => !isFor(response, "metrics") && response.end("{}"),
  ];
  const IS_OVERLOADED: readonly [RegExp, Mood] = [
    /^warning: Telemetry is not exported to http:\S+\/v1\/traces: it answered with HTTP status 503\.\n$/,
    (response) => response.writeHead(isFor(response, "traces") ? 503 : 200).end("{}"),
  ];
  const REJECTS_SPANS: readonly [RegExp, Mood] = [
    /^warning: Telemetry is not complete: http:\S+\/v1\/traces rejected 3 spans\.\n$/,
    (response) => response.end('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"CANARY"}}'),
  ];
  const REJECTS_MEASUREMENTS: readonly [RegExp, Mood] = [
    /^warning: Telemetry is not complete: http:\S+\/v1\/metrics rejected 1 measurements\.\n$/,
    (response) => response.end('{"partialSuccess":{"rejectedDataPoints":1}}'),
  ];
  test.each([
    ["hangs for metrics alone", ...HANGS],
    ["is overloaded for traces alone", ...IS_OVERLOADED],
    ["rejects some spans", ...REJECTS_SPANS],
    ["rejects some measurements", ...REJECTS_MEASUREMENTS],
  ] as const)("that %s, with the signal that is concerned", async (_, what, mood) => {
    await using collector = await startCollector(mood);
    const ran = await ask(environment(collector));
    expect(ran).toMatchObject({ code: 0, out: "All done, CANARY-reply.\n" });
    expect(ran.err).toMatch(what);
  });

  test("that hangs on what was under way when the run ended", async () => {
    const got = join(place.project, "got.txt");
    await using collector = await startCollector((response) => {
      if (existsSync(got)) response.end("{}");
      else writeFileSync(got, "");
    });
    // The hook has a span before the first reply, and the call ends when the collector has it.
    place.write("~/.jdata/agent/hooks.yaml", `pre_send_message:\n  - type: bash\n    command: 'true'\n`);
    const command = "until [ -e got.txt ]; do sleep 0.05; done";
    place.write("script.json", JSON.stringify({ replies: [{ text: "a", toolCalls: [bash(command)] }, { text: "b" }] }));
    const more = { OTEL_METRICS_EXPORTER: "none", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1" };
    const env = environment(collector, more);
    const ran = await place.run(["--script", "script.json", "-p", "Hello"], { env });
    expect(ran).toMatchObject({ code: 0, out: "b\n" });
    expect(ran.err).toMatch(told("it did not accept everything in time"));
  });

  test("for which more is recorded than its queue holds", async () => {
    await using collector = await startCollector();
    const ran = await ask(environment(collector, { OTEL_BSP_MAX_QUEUE_SIZE: "1" }));
    expect(ran).toMatchObject({ code: 0, out: "All done, CANARY-reply.\n" });
    expect(ran.err).toBe("warning: Telemetry is not complete: more was recorded than could be sent.\n");
  });

  test("unless it takes everything, in however many requests", async () => {
    const toolCalls = Array.from({ length: 40 }, () => bash("true"));
    place.write("script.json", JSON.stringify({ replies: [{ toolCalls }, { text: "done" }] }));
    await using collector = await startCollector();
    const env = environment(collector, { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1" });
    const ran = await place.run(["--script", "script.json", "-p", "Hello"], { env });
    expect(ran).toMatchObject({ code: 0, out: "done\n", err: "" });
    expect(collector.spans().filter(({ name }) => name === "execute_tool bash")).toHaveLength(40);
  });

  test("unless it only takes its time", async () => {
    const slow = (response: { end(): void }): void => void setTimeout(() => response.end(), 2500);
    await using collector = await startCollector(slow);
    const ran = await ask(environment(collector));
    expect(ran).toMatchObject({ code: 0, out: "All done, CANARY-reply.\n", err: "" });
    expect(collector.spans().map(({ name }) => name)).toContain("execute_tool bash");
  });

  test("that is down", async () => {
    const ran = await ask(environment({ url: `http://127.0.0.1:${await freePort()}` }));
    expect(ran).toMatchObject({ code: 0, out: "All done, CANARY-reply.\n" });
    expect(ran.err).toMatch(told("nothing listens there (ECONNREFUSED)"));
  });

  test("that has a certificate of an unknown authority, until it is named", async () => {
    const authority = makeAuthority();
    const { ca } = authority;
    await using collector = await startCollector("takes", authority.issue({ names: ["127.0.0.1"] }));
    const ran = await ask(environment(collector));
    expect(ran).toMatchObject({ code: 0, out: "All done, CANARY-reply.\n" });
    expect(ran.err).toMatch(/^warning: Telemetry is not exported to https:\S+: the connection failed \(\w+\)\.\n$/);
    expect(collector.received).toEqual([]);
    const certificate = place.write("~/ca.pem", ca);
    const trusted = await ask(environment(collector, { OTEL_EXPORTER_OTLP_CERTIFICATE: certificate }));
    expect(trusted).toMatchObject({ code: 0, err: "" });
    expect(named(collector.spans(), "invoke_agent hookline")).toBeDefined();
  });

  test("an unsupported protocol is reported, and a failed run stays failed", async () => {
    await using collector = await startCollector();
    const ran = await ask(environment(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }));
    expect(ran.code).toBe(0);
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(ran.err).toContain('OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", which hookline does not speak.');
    expect(collector.received).toEqual([]);
    place.write("script.yaml", "replies:\n  - error: { status: 400, message: no }\n");
    const failed = await place.run(["--script", "script.yaml", "-p", "Hello"], { env: environment(collector) });
    expect(failed.code).toBe(1);
    expect(named(collector.spans(), "invoke_agent hookline")?.status?.code).toBe(2);
  });
});
