import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FIXTURE } from "../mcp/kit.ts";
import { Workplace } from "../support/cli.ts";
import { startCollector } from "../support/collector.ts";

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

const MARK = "MARKER-OF-WHAT-IS-REDACTED";
const [HEAD, TAIL] = [MARK.slice(0, 9), MARK.slice(9)];

/**
 * Calls whose results hold the marker and whose arguments do not. Of a call that failed, some dialects let no hook
 * change the result.
 */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["bash", { command: `printf '%s%s\\n' ${HEAD} ${TAIL}` }],
  ["bash", { command: `for n in $(seq 3000); do printf '%s%s\\n' ${HEAD} ${TAIL}; done` }],
  ["read", { path: "given.txt" }],
  ["grep", { pattern: "MARKER", path: "." }],
  ["mcp__one__secret", {}],
  ["mcp__one__long", {}],
];

const module = `export default (pi) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "[hid]" }] }));\n`;
const say = (answer: object): string => `echo '${JSON.stringify(answer)}'`;
const updated = (updatedToolOutput: unknown): string =>
  say({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } });
const hidden = { stdout: "[hid]", stderr: "", interrupted: false, isImage: false };

/** The same redactor in each dialect: its file, below the home. */
const REDACTORS: Readonly<Record<string, readonly [path: string, text: string, mode?: "x"]>> = {
  pi: ["~/.pi/agent/extensions/redact.ts", module],
  omp: ["~/.omp/agent/hooks/post/redact.ts", module],
  claude: [
    "~/.claude/settings.json",
    JSON.stringify({
      hooks: {
        PostToolUse: [
          { matcher: "Bash", hooks: [{ type: "command", command: updated(hidden) }] },
          { matcher: "^(?!Bash)", hooks: [{ type: "command", command: updated("[hid]") }] },
        ],
      },
    }),
  ],
  jcli: [
    "~/.jdata/agent/hooks.yaml",
    `post_tool_execution:\n  - command: ${JSON.stringify(say({ tool_result: "[hid]" }))}\n`,
  ],
  chibi: [
    "~/.chibi/plugins/redact",
    `#!/bin/sh\n[ "$1" = --schema ] && { echo '{"name":"redact","description":"d","hooks":["pre_tool_output"]}'; exit 0; }\n${say({ output: "[hid]" })}\n`,
    "x",
  ],
};

/** A call that fails. */
const FAILING: (typeof CALLS)[number] = ["bash", { command: `printf '%s%s\\n' ${HEAD} ${TAIL}; exit 3` }];

/** The files below a folder that hold the marker, without those that gave it to the tools. */
/** Returns the content of a file; a recording of an ended session is decompressed. */
function contentOf(path: string): string {
  const bytes = readFileSync(path);
  const isZstd = bytes.length > 4 && bytes.readUInt32LE(0) === 0xfd2fb528;
  return (isZstd ? zlib.zstdDecompressSync(bytes) : bytes).toString("latin1");
}

function holding(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && contentOf(path).includes(MARK))
    .filter((path) => !/mcp\.json$|given\.txt$/.test(path));
}

async function run(redactor: (typeof REDACTORS)[string] | undefined, asked = CALLS) {
  await using collector = await startCollector();
  const server = { command: process.execPath, args: [FIXTURE, "good"], env: { SECRET: MARK } };
  place.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers: { one: server } }));
  place.write("~/.hookline/settings.json", JSON.stringify({ "mcp.waitMs": 60_000 }));
  place.write("given.txt", `${MARK}\n`);
  const calls = asked.map(([name, args]) => ({ name, arguments: args }));
  place.write(
    "script.json",
    JSON.stringify({ replies: [...calls.map((call) => ({ toolCalls: [call] })), { text: "done" }] }),
  );
  if (redactor !== undefined) place.write(...redactor);
  const args = ["--record=all", "--trace", "trace.jsonl", "--script", "script.json", "--mode", "json", "go"];
  const ran = await place.run(args, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
  });
  expect(ran.code, ran.err).toBe(0);
  const ended = ran.out.split("\n").filter((line) => line.includes('"tool_execution_end"'));
  const files = holding(place.top);
  const kinds = ["recordings", "sessions", "outputs", "trace.jsonl"];
  return {
    ended: ended.length,
    hidden: ended.filter((line) => line.includes("[hid]") && !line.includes(MARK)).length,
    kept: kinds.filter((kind) => files.some((path) => path.includes(kind))),
    others: files.filter((path) => !kinds.some((kind) => path.includes(kind))),
    sent: collector.received.some(({ body }) => body.includes(MARK)),
    spans: collector.received.length > 0,
  };
}

const BUSY = { retry: 2 };

describe("what a hook has redacted is in no kept file and in no telemetry", BUSY, () => {
  test.each(Object.entries(REDACTORS))("by a hook of %s", async (name, redactor) => {
    const calls = name === "pi" || name === "chibi" ? [...CALLS, FAILING] : CALLS;
    expect(await run(redactor, calls)).toEqual({
      ended: calls.length,
      hidden: calls.length,
      kept: [],
      others: [],
      sent: false,
      spans: true,
    });
  });

  test("and is in each of them without one", async () => {
    expect(await run(undefined)).toMatchObject({
      hidden: 0,
      kept: ["recordings", "sessions", "outputs"],
      sent: true,
    });
  });
});
