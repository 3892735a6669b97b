import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Place } from "./programs/place.ts";
import { GUARD, writeRecording } from "./programs/replaying.ts";

/** The ms of each command with an input of one size. */
type Values = Record<string, number>;

const TURNS = 80;
const FIELDS = 8;

/** Launches and turns with this many tools of an MCP server. */
export async function withTools(tools: number): Promise<Values> {
  const place = await Place.open();
  try {
    const server = join(place.top, "server.mjs");
    writeFileSync(server, serverOf(tools));
    const mcpServers = tools === 0 ? {} : { many: { command: process.execPath, args: [server] } };
    place.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers }));
    place.script("none.json", 0);
    place.script("turns.json", TURNS);
    const launch = place.run(["--script", "none.json", "-p", "go"]);
    const whole = place.run(["--script", "turns.json", "-p", "go"]);
    return { "a prompt": launch, "80 turns": whole };
  } finally {
    place.remove();
  }
}

/** An MCP server with this many tools of eight fields each. */
function serverOf(tools: number): string {
  return `const properties = Object.fromEntries(
  Array.from({ length: ${FIELDS} }, (_, i) => ["field" + i, { type: "string", description: "x".repeat(80) }]));
const tools = Array.from({ length: ${tools} }, (_, i) => ({
  name: "tool_" + i, description: "Does " + i + " " + "y".repeat(200), inputSchema: { type: "object", properties } }));
let held = "";
process.stdin.on("data", (data) => {
  const lines = (held + data).split("\\n");
  held = lines.pop();
  for (const { id, method, params } of lines.filter(Boolean).map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    const about = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "many", version: "1" } };
    const result = method === "initialize" ? about : method === "tools/list" ? { tools } : {};
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  }
});
`;
}

/** Lines that each stored session has besides those of its first prompt. */
const SESSION_LINES = 100;

/** Times the commands that look at all stored sessions of a project, with `count` sessions. */
export async function withSessions(sessions: number): Promise<Values> {
  const place = await Place.open();
  try {
    place.script("none.json", 0);
    place.run(["--script", "none.json", "-p", "go"], { times: 1 });
    const { folder, name, lines } = place.session();
    const [head = "", ...rest] = lines;
    const { id } = JSON.parse(head) as { readonly id: string };
    const message = rest.find((line) => line.includes('"message"')) as string;
    for (let at = 1; at < sessions; at++) {
      const own = `${at.toString(16).padStart(8, "0")}${id.slice(8)}`;
      const text = [head.replace(id, own), ...rest, ...Array(SESSION_LINES).fill(message), ""].join("\n");
      writeFileSync(join(folder, name.replace(id, own)), text);
    }
    return {
      sessions: place.run(["sessions"]),
      "--continue": place.run(["--script", "none.json", "--continue", "-p", "go"]),
      "inspect --export": place.run(["inspect", "--export", join(place.top, "out.html")]),
    };
  } finally {
    place.remove();
  }
}

/** Times the commands that read a whole recording or session, for a file of this many MB. */
export async function withRecording(megabytes: number): Promise<Values> {
  const place = await Place.open();
  try {
    const recording = join(place.top, "recording.jsonl");
    const moments = writeRecording(recording, { bytes: megabytes * 1e6 });
    place.write("guard.ts", GUARD);
    place.script("call.json", 1);
    place.run(["--script", "call.json", "-p", "go"], { times: 1 });
    const { folder, name, lines } = place.session();
    const turn = lines
      .slice(1)
      .filter((line) => line.includes('"message"'))
      .join("\n");
    const times = Math.ceil((megabytes * 1e6) / turn.length);
    writeFileSync(join(folder, name), `${lines.join("\n")}\n${`${turn}\n`.repeat(times)}`);
    const part = ["--export", join(place.top, "out.html"), "--from", "1", "--to", `${moments}`];
    return {
      "inspect --export": place.run(["inspect", recording, ...part], { times: 1 }),
      replay: place.run(["replay", recording, "--with", "guard.ts"], { times: 1 }),
      "guards try": place.run(["guards", "try"], { times: 1 }),
    };
  } finally {
    place.remove();
  }
}

/** A tool whose result is a text of so many bytes, and a hook that gives each result back as its own. */
const tool = (bytes: number): string => `export default (pi: any) => {
  const content = [{ type: "text", text: ${JSON.stringify("2026-11-30 12:00:00 GET /users/42 200 13ms, and 12345 more words\n")}.repeat(${Math.ceil(bytes / 66)}) }];
  pi.registerTool({ name: "log", label: "log", description: "log", parameters: { type: "object", properties: {} }, execute: async () => ({ content, details: {} }) });
  pi.on("tool_result", async (event: any) => ({ content: event.content.map((block: any) => ({ ...block })) }));
};
`;

/** A run in which a tool's result has this many MB. */
export async function withResult(megabytes: number): Promise<Values> {
  const place = await Place.open();
  try {
    place.write("~/.hookline/extensions/log.ts", tool(megabytes * 1e6));
    place.script("log.json", 1, "log");
    const run = (more: readonly string[], env?: Record<string, string>): number =>
      place.run([...more, "--script", "log.json", "-p", "go"], { ...(env !== undefined && { env }) });
    const values = {
      "through a hook": run([]),
      "and recorded": run(["--record"]),
      // Nothing listens there, so that all of it is made and none is sent.
      "and telemetry": run([], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }),
    };
    place.run(["guards", "add", "secrets"], { times: 1 });
    return { ...values, "and secrets redacted": run([]) };
  } finally {
    place.remove();
  }
}
