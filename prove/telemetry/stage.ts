import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Loopback, startLoopback } from "../../packages/hookline/test/support/loopback.ts";
import { Place } from "../agent/program.ts";

/** Makes a unique text. */
const canary = (what: string): string => `canary-${what}-7d1f6c2e`;

/** Texts that a hook removes before any observer may see them. */
export const REDACTED = ["prompt", "result", "reply"].map(canary);
/** Secrets of the provider and in the message of a failing hook, which must never be recorded. */
export const NEVER = ["key", "variable", "header", "failure"].map(canary);
/** Texts that are recorded only if content is wanted. */
export const CONTENT = ["kept", "arguments", "denied"].map(canary);

const [PROMPT = "", RESULT = "", REPLY = ""] = REDACTED;
const [KEY = "", VARIABLE = "", HEADER = "", FAILURE = ""] = NEVER;
const [KEPT = "", ARGUMENTS = "", DENIED = ""] = CONTENT;

/** Id of the call that a guard refuses. */
export const DENIED_CALL = "call_denied";

/** Variables of another program's trace and telemetry that the process may inherit, besides the collector's address. */
export const INHERITED = {
  OTEL_RESOURCE_ATTRIBUTES: "team=inherited",
  OTEL_SERVICE_NAME: "inherited",
  BAGGAGE: "user=inherited",
  TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
};

/** Returns a command that appends a hook's environment to a file. */
const tell = (file: string): string => `env >> ${file}`;
const STOP = `grep -q ${DENIED} && echo '{"action": "stop", "retry_feedback": "No."}'; true`;

const EXTENSION = `const without = (parts) => parts.map((part) => part.type === "text"
  ? { ...part, text: part.text.replace(/${REDACTED.join("|")}/g, "[gone]") } : part);
const cleaned = (message) => (typeof message.content === "string" ? message : { ...message, content: without(message.content) });
export default (pi) => {
  pi.on("context", ({ messages }) => ({ messages: messages.map(cleaned) }));
  pi.on("tool_result", ({ content }) => ({ content: without(content) }));
  pi.on("message_end", ({ message }) => (message.role === "assistant" ? { message: cleaned(message) } : undefined));
  pi.on("turn_end", () => { throw new Error("${FAILURE}"); });
};
`;

/** A run with hooks of several kinds, including a redactor, and a model that makes two calls, one of them refused. */
export class Stage implements AsyncDisposable {
  readonly place = new Place();
  readonly env = { OPENAI_API_KEY: VARIABLE };
  readonly args = ["--trust-project", "--model", "loop/model", "-p", `${PROMPT} ${KEPT} please`];
  readonly #server: Loopback;

  static async open(): Promise<Stage> {
    const bash = (id: string, command: string) => ({ id, name: "bash", arguments: { command } });
    const calls = [bash("call_run", `cat notes.txt # ${ARGUMENTS}`), bash(DENIED_CALL, `true ${DENIED}`)];
    const replies = [...calls.map((call) => ({ toolCalls: [call] })), { text: `${REPLY} done` }];
    return new Stage(await startLoopback(replies));
  }

  private constructor(server: Loopback) {
    this.#server = server;
    const { place } = this;
    const provider = {
      baseUrl: `${server.url}/v1`,
      api: "openai-completions",
      apiKey: KEY,
      headers: { "x-own": HEADER },
      models: [{ id: "model" }],
    };
    place.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }), 0o600);
    place.write("notes.txt", RESULT);
    place.write("~/.pi/agent/extensions/redact.ts", EXTENSION);
    place.write("~/.jdata/agent/hooks.yaml", yaml(`${tell("person.env")}; ${STOP}`));
    place.write(".jcli/hooks.yaml", yaml(tell("project.env")));
    const hooks = [{ matcher: "*", hooks: [{ type: "command", command: tell("claude.env") }] }];
    place.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: hooks } }));
    const schema = '{"name": "tell", "description": "d", "hooks": ["pre_tool"]}';
    const plugin = `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\n${tell("plugin.env")}\necho '{}'\n`;
    place.write("~/.hookline/plugins/tell", plugin, 0o755);
  }

  /** Returns the environments of the hooks, by kind of hook. */
  environments(): readonly (readonly [kind: string, lines: readonly string[]])[] {
    const files = readdirSync(this.place.project).filter((name) => name.endsWith(".env"));
    return files.map((name) => [name.slice(0, -4), readFileSync(this.place.path(name), "utf8").split("\n")]);
  }

  /** Returns the session's file without what differs in every run: ids, times, folders. */
  session(): string {
    const folder = join(this.place.hookline, "sessions");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    return text
      .replaceAll(this.place.top, "")
      .replace(/"(id|parentId|sessionId)":(?:"(?:[0-9a-f]{8}|[0-9a-f-]{36})"|null)/g, '"$1":0')
      .replace(/"timestamp":(?:"[^"]*"|\d+)/g, '"timestamp":0');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    this.place[Symbol.dispose]();
  }
}

function yaml(command: string): string {
  return `pre_tool_execution:\n  - command: ${JSON.stringify(command)}\n`;
}
