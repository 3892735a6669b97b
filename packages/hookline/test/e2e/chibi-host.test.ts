import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { type Ran, Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackReply, type LoopbackScript, startLoopback } from "../support/loopback.ts";
import { fenced, has, seedsAreHere } from "../support/seeds.ts";

/** The parts of the agent that chibi's plugins act on, through the command line and a real endpoint. */
let place: Workplace;
let servers: Loopback[];

beforeEach(() => {
  place = new Workplace();
  servers = [];
});

afterEach(async () => {
  for (const server of servers) await server.close();
  place.remove();
});

/** Starts a run whose endpoint never answers; gives it once the endpoint has been asked. */
async function leaveHanging(args: readonly string[], prompt: string): Promise<ChildProcess> {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const server = await startLoopback(() => {
    resolve();
    return { fault: "hang" };
  });
  servers.push(server);
  const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
  const endpoint = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
  const child = spawn(process.execPath, [bin, ...endpoint, ...args, "-p", prompt], {
    cwd: place.project,
    stdio: "ignore",
    env: { ...CHILD_ENV, HOME: place.home },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await asked;
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

interface Asked {
  readonly ran: Ran;
  /** The requests' bodies, in order. */
  readonly bodies: any[];
}

/** Runs prompts against an endpoint that answers so. */
async function ask(
  script: LoopbackScript,
  args: readonly string[],
  prompts: readonly string[] = ["go"],
  env: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const server = await startLoopback(script);
  servers.push(server);
  const endpoint = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
  const ran = await place.run([...endpoint, ...args, "-p", ...prompts], { env });
  return { ran, bodies: server.requests.map(({ body }) => body) };
}

/** The same with replies that are each sent in one piece, for those of a size that would take long token by token. */
async function askWhole(replies: readonly LoopbackReply[]): Promise<Asked> {
  const bodies: any[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { text, toolCalls = [] } = replies[bodies.push(JSON.parse(Buffer.concat(chunks).toString())) - 1] ?? done;
    const calls = toolCalls.map(({ name, arguments: args }, index) => ({
      index,
      id: `call_${bodies.length}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const delta = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) };
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const choice of [
      { index: 0, delta, finish_reason: null },
      { index: 0, delta: {}, finish_reason },
    ])
      response.write(
        `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, choices: [choice] })}\n\n`,
      );
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const endpoint = ["--api", "openai-completions", "--base-url", `${url}/v1`, "--model", "test/m"];
    return { ran: await place.run([...endpoint, "-p", "hi"]), bodies };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const done: LoopbackReply = { text: "done", repeat: true };
const call = (name: string, args: Readonly<Record<string, unknown>> = {}): LoopbackReply => ({
  text: "",
  toolCalls: [{ name, arguments: args }],
});
const textOf = (content: any): string =>
  typeof content === "string" ? content : (content ?? []).map((part: any) => part.text).join("");
const said = (body: any, role: string): string[] =>
  body.messages.filter((message: any) => message.role === role).map((message: any) => textOf(message.content));
const system = (body: any): string => [...said(body, "system"), ...said(body, "developer")].join("");
const prompts = (body: any): string[] => said(body, "user");
const results = (body: any): string[] => said(body, "tool");
const toolNames = (body: any): string[] => (body.tools ?? []).map((tool: any) => tool.function.name);
const contextFile = (name: string, file: string): string => join(place.home, ".chibi/contexts", name, file);
const state = (): any => JSON.parse(readFileSync(join(place.home, ".chibi/state.json"), "utf8"));
const json = (path: string): any[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A plugin in bash that appends each event to a log and answers with `answers[event]`. */
function logger(hooks: readonly string[], answers: Readonly<Record<string, object>> = {}): string {
  const log = join(place.top, "log.jsonl");
  const cases = Object.entries(answers).map(([hook, answer]) => `  ${hook}) echo '${JSON.stringify(answer)}' ;;`);
  place.write(
    "~/.chibi/plugins/log",
    [
      "#!/bin/bash",
      'if [[ "$1" == "--schema" ]]; then',
      `  echo '${JSON.stringify({ name: "log", description: "Logs", parameters: {}, hooks })}'`,
      "  exit 0",
      "fi",
      `echo "{\\"hook\\":\\"$CHIBI_HOOK\\",\\"data\\":$CHIBI_HOOK_DATA}" >> '${log}'`,
      'case "$CHIBI_HOOK" in',
      ...cases,
      '  *) echo "{}" ;;',
      "esac",
    ].join("\n"),
    "x",
  );
  return log;
}

const heard = (log: string, hook: string): any[] =>
  json(log).flatMap((line) => (line.hook === hook ? [line.data] : []));

const BUILTIN = ["update_todos", "update_goals", "send_message", "update_reflection"];
const FILE = ["file_head", "file_tail", "file_lines", "file_grep", "cache_list"];

describe("what chibi adds is offered", () => {
  test("not without a chibi plugin or a context, and nothing of chibi's is written then", async () => {
    const { bodies } = await ask([done], []);
    for (const name of [...BUILTIN, ...FILE]) expect(toolNames(bodies[0])).not.toContain(name);
    expect(existsSync(join(place.home, ".chibi"))).toBe(false);
  });

  test("when a context is requested", async () => {
    const { bodies } = await ask([done], ["--context", "work"]);
    expect(toolNames(bodies[0])).toEqual(expect.arrayContaining([...BUILTIN, ...FILE, "bash"]));
  });

  test("[chibi.tools.5] [chibi.tools.6] when a plugin is loaded, with the types that the seed lists", async () => {
    const log = logger(["pre_api_tools"]);
    const { bodies } = await ask([done], []);
    expect(toolNames(bodies[0])).toEqual(expect.arrayContaining([...BUILTIN, ...FILE]));
    const types = Object.fromEntries(heard(log, "pre_api_tools")[0].tools.map((tool: any) => [tool.name, tool.type]));
    for (const name of BUILTIN) expect(types[name]).toBe("builtin");
    for (const name of FILE) expect(types[name]).toBe("file");
    expect(types["log"]).toBe("plugin");
  });

  test("as far as the context's own settings leave them in", async () => {
    mkdirSync(contextFile("work", ""), { recursive: true });
    writeFileSync(contextFile("work", "local.toml"), '[tools]\nexclude = ["bash", "file_grep"]\n');
    const log = logger(["pre_api_tools"]);
    const { bodies } = await ask([done], ["--context", "work"]);
    for (const name of ["bash", "file_grep"]) expect(toolNames(bodies[0])).not.toContain(name);
    expect(heard(log, "pre_api_tools")[0].tools.map((tool: any) => tool.name)).not.toContain("file_grep");
  });
});

test("a tool that a plugin hides is refused when the model calls it anyway", async () => {
  logger(["pre_api_tools"], { pre_api_tools: { exclude: ["update_todos"] } });
  const { bodies } = await ask([call("update_todos", { content: "x" }), done], []);
  expect(results(bodies[1])[0]).toContain("not found");
  expect(existsSync(contextFile("default", "todos.md"))).toBe(false);
});

test("of chibi's own names its own tool runs; a plugin's of such a name is reported and its hooks run", async () => {
  place.write(
    "~/.chibi/plugins/mine",
    [
      "#!/bin/bash",
      'if [[ "$1" == "--schema" ]]; then',
      '  echo \'{"name":"update_todos","description":"Mine","hooks":["pre_message"]}\'',
      "  exit 0",
      "fi",
      'if [[ "$CHIBI_HOOK" == "pre_message" ]]; then echo \'{"prompt":"changed"}\'; exit 0; fi',
      'echo "the plugin ran"',
    ].join("\n"),
    "x",
  );
  const { ran, bodies } = await ask([call("update_todos", { content: "one" }), done], ["--verbose"]);
  expect(toolNames(bodies[0]).filter((name) => name === "update_todos")).toHaveLength(1);
  expect(prompts(bodies[0])).toEqual(["changed"]);
  expect(results(bodies[1])).toEqual(["Todos updated (3 characters)."]);
  expect(readFileSync(contextFile("default", "todos.md"), "utf8")).toBe("one");
  expect(ran.err).toMatch(/tool "update_todos" of .*mine is not used: chibi's own tool already has the name/);
});

describe("contexts", () => {
  test("a context continues where it was left, and becomes the current one", async () => {
    await ask([done], ["--context", "work"], ["first"]);
    await ask([done], [], ["elsewhere"]);
    const { bodies } = await ask([done], ["--context", "work"], ["second"]);
    expect(prompts(bodies[0])).toEqual(["first", "second"]);
    expect(state()).toMatchObject({ current_context: "work", previous_context: "default" });
    expect(state().contexts.map(({ name }: any) => name)).toEqual(["work"]);
  });

  test("a run without a context begins a new session, in which todos and goals of `default` stand", async () => {
    logger([]);
    const first = await ask(
      [call("update_todos", { content: "- [ ] a" }), call("update_goals", { content: "b" }), done],
      [],
    );
    expect(results(first.bodies[2])).toEqual(["Todos updated (7 characters).", "Goals updated (1 characters)."]);
    const { bodies } = await ask([done], [], ["second"]);
    expect(prompts(bodies[0])).toEqual(["second"]);
    expect(system(bodies[0])).toMatch(/\n\n--- CURRENT GOALS ---\nb\n\n--- CURRENT TODOS ---\n- \[ \] a$/);
  });

  test("a transient context changes nothing about which one is current", async () => {
    await ask([done], ["--context", "work"], ["first"]);
    await ask([done], ["--transient-context", "aside"], ["quick"]);
    expect(state().current_context).toBe("work");
    const { bodies } = await ask([done], ["--transient-context", "aside"], ["again"]);
    expect(prompts(bodies[0])).toEqual(["quick", "again"]);
  });

  test("hooks hear the old context at the start, then the switch, then the new one", async () => {
    const log = logger(["on_start", "on_context_switch", "pre_message", "on_end"]);
    await ask([done], ["--context", "work"]);
    expect(json(log).map(({ hook, data }) => [hook, data.current_context ?? data.context_name])).toEqual([
      ["on_start", "default"],
      ["on_context_switch", undefined],
      ["pre_message", "work"],
      ["on_end", "work"],
    ]);
    expect(heard(log, "on_context_switch")).toEqual([
      { from_context: "default", to_context: "work", is_transient: false },
    ]);
    await ask([done], ["--transient-context", "aside"]);
    expect(heard(log, "on_context_switch")[1]).toEqual({
      from_context: "work",
      to_context: "aside",
      is_transient: true,
    });
  });

  test("`-` is the context before, and `new:prefix` one with a name of its own", async () => {
    await ask([done], ["--context", "one"], ["in one"]);
    await ask([done], ["--context", "two"], ["in two"]);
    const { bodies } = await ask([done], ["--context", "-"], ["back"]);
    expect(prompts(bodies[0])).toEqual(["in one", "back"]);
    await ask([done], ["--context", "new:trip"]);
    expect(state().current_context).toMatch(/^trip_\d{8}_\d{6}$/);
  });

  test("a name that could lead out of the folder is wrong use", async () => {
    const { ran, bodies } = await ask([done], ["--context", "../x"]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain('"../x" cannot name a context. Use letters, digits, "-" and "_".');
    expect(bodies).toEqual([]);
    expect((await ask([done], ["--context", "a", "--transient-context", "b"])).ran.code).toBe(2);
  });

  test("commands list, make, switch and destroy them", async () => {
    const log = logger(["on_context_switch"]);
    const { ran, bodies } = await ask(
      [done],
      ["--context", "one"],
      [
        "/context new two",
        "hello",
        "/context list",
        "/context switch one",
        "/context -",
        "/context destroy one",
        "again",
      ],
    );
    expect(ran.code).toBe(0);
    expect(ran.out + ran.err).toMatch(/ {2}one\n\* two/);
    expect(bodies.map(prompts)).toEqual([["hello"], ["hello", "again"]]);
    expect(heard(log, "on_context_switch").map((data) => data.to_context)).toEqual(["one", "two", "one", "two"]);
    expect(existsSync(contextFile("one", ""))).toBe(false);
    expect(state()).toMatchObject({ current_context: "two" });
    const refused = await ask([done], ["--context", "two"], ["/context destroy two"]);
    expect(refused.ran.code).toBe(1);
    expect(refused.ran.err).toContain('The context "two" is current. Switch to another one first.');
  });

  test("clearing tells the hooks what there was, keeps it in the transcript, and stays cleared", async () => {
    const log = logger(["pre_clear", "post_clear"]);
    const { bodies } = await ask([{ text: "hi", repeat: true }], ["--context", "work"], ["one", "/clear", "two"]);
    expect(prompts(bodies[1])).toEqual(["two"]);
    const event = { context_name: "work", message_count: 2, summary: "" };
    expect(json(log)).toEqual([
      { hook: "pre_clear", data: event },
      { hook: "post_clear", data: event },
    ]);
    expect(readFileSync(contextFile("work", "transcript.md"), "utf8")).toBe("[USER]: one\n\n[ASSISTANT]: hi\n\n");
    const later = await ask([done], ["--context", "work"], ["three"]);
    expect(prompts(later.bodies[0])).toEqual(["two", "three"]);
  });

  test("another context is archived or compacted without hooks and model; the current one as /clear does it", async () => {
    await ask([{ text: "hi", repeat: true }], ["--context", "other"], ["one"]);
    const log = logger(["pre_clear", "post_clear", "pre_compact", "post_compact"]);
    const commands = ["/context archive other", "/context archive", "/context compact other"];
    const { ran, bodies } = await ask([done], ["--context", "work"], commands);
    expect(ran.code).toBe(0);
    expect(bodies).toEqual([]);
    expect(ran.out + ran.err).toContain("Archived context: other (2 messages)");
    expect(json(log).map(({ hook, data }) => [hook, data.context_name])).toEqual([
      ["pre_clear", "work"],
      ["post_clear", "work"],
    ]);
    expect(readFileSync(contextFile("other", "transcript.md"), "utf8")).toBe("[USER]: one\n\n[ASSISTANT]: hi\n\n");
    const later = await ask([done], ["--context", "other"], ["two"]);
    expect(prompts(later.bodies[0])).toEqual(["two"]);
    const wrong = await ask([done], ["--context", "work"], ["/context archive nobody"]);
    expect(wrong.ran.err).toContain('There is no context "nobody".');
  });

  test("a plugin finds what was said in the context's folder, in chibi's form", async () => {
    const seen = join(place.top, "seen.jsonl");
    place.write(
      "~/.chibi/plugins/reader",
      [
        "#!/bin/bash",
        'if [[ "$1" == "--schema" ]]; then',
        '  echo \'{"name":"reader","description":"Reads","hooks":["post_tool","post_message"]}\'',
        "  exit 0",
        "fi",
        `cp "$HOME/.chibi/contexts/work/context.jsonl" '${seen}'`,
      ].join("\n"),
      "x",
    );
    await ask([call("bash", { command: "echo rivers" }), done], ["--context", "work"], ["look"]);
    const line = ({ entry_type, from, to, content }: any) => [entry_type, from, to, content];
    const expected = [
      ["context_created", "system", "work", "Context created"],
      ["message", "user", "work", "look"],
      ["tool_call", "work", "bash", '{"command":"echo rivers"}'],
      ["tool_result", "bash", "work", "rivers\n"],
      ["message", "work", "user", "done"],
    ];
    expect(json(seen).map(line)).toEqual(expected);
    expect(json(contextFile("work", "context.jsonl")).map(line)).toEqual(expected);
    expect(json(contextFile("work", "transcript/active.jsonl")).map(line)).toEqual(expected);
    await ask([done], ["--context", "work"], ["again"]);
    expect(json(contextFile("work", "transcript/active.jsonl")).map(line).slice(5)).toEqual([
      ["message", "user", "work", "again"],
      ["message", "work", "user", "done"],
    ]);
  });

  test("the system prompt has the context's own opening, then user, goals, todos and reflection, between the plugins' texts", async () => {
    logger(["pre_system_prompt", "post_system_prompt"], {
      pre_system_prompt: { inject: "BEFORE" },
      post_system_prompt: { inject: "AFTER" },
    });
    mkdirSync(contextFile("work", ""), { recursive: true });
    const files = {
      "system_prompt.md": "You are a poet.",
      "goals.md": "G",
      "todos.md": "T",
      "local.toml": 'username = "Ada"\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(contextFile("work", name), text);
    place.write("~/.chibi/prompts/reflection.md", "R");
    const { bodies } = await ask([done], ["--context", "work"]);
    const text = system(bodies[0]);
    expect(text).toMatch(/^BEFORE\n\nYou are a poet\.\n\n/);
    expect(text.slice(text.indexOf("\n\nThe user"))).toBe(
      "\n\nThe user speaking to you is called: Ada\n\n--- CURRENT GOALS ---\nG\n\n--- CURRENT TODOS ---\nT\n\nR\n\nAFTER",
    );
  });

  test("a context that chibi has kept continues with its summary", async () => {
    mkdirSync(contextFile("work", ""), { recursive: true });
    writeFileSync(contextFile("work", "summary.md"), "We talked about rivers.\n");
    const log = logger(["pre_message"]);
    const { bodies } = await ask([done], ["--context", "work"]);
    expect(JSON.stringify(bodies[0].messages)).toContain("We talked about rivers.");
    expect(heard(log, "pre_message")[0]).toMatchObject({ context_name: "work", summary: "We talked about rivers." });
  });

  test("a context in use by another process is not touched, and its holder is named", async () => {
    await ask([done], ["--context", "work"], ["first"]);
    const child = await leaveHanging(["--context", "work"], "second");
    const { ran, bodies } = await ask([done], ["--context", "work"], ["third"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`is in use by process ${child.pid}`);
    expect(bodies).toEqual([]);
    await kill(child);
    const later = await ask([done], ["--context", "work"], ["fourth"]);
    expect(prompts(later.bodies[0])).toEqual(["first", "second", "fourth"]);
  });

  test("CHIBI_HOME is where they are", async () => {
    const home = join(place.top, "elsewhere");
    await ask([done], ["--context", "work"], ["go"], { CHIBI_HOME: home });
    expect(readdirSync(join(home, "contexts"))).toEqual(["work"]);
    expect(existsSync(join(place.home, ".chibi"))).toBe(false);
  });
});

describe("mail", () => {
  test("a message comes once, before the next prompt of its context, and hooks see it", async () => {
    const log = logger(["pre_send_message", "post_send_message", "pre_message"]);
    const sent = await ask([call("send_message", { to: "b", content: "hi there" }), done], ["--context", "a"]);
    expect(results(sent.bodies[1])).toEqual(["Message delivered to 'b' via local inbox"]);
    const letter = { from: "a", to: "b", content: "hi there", context_name: "a" };
    expect(heard(log, "pre_send_message")).toEqual([letter]);
    expect(heard(log, "post_send_message")).toEqual([
      { ...letter, delivery_result: "Message delivered to 'b' via local inbox" },
    ]);
    const { bodies } = await ask([done], ["--context", "b"], ["go", "again"]);
    const block = "--- INBOX MESSAGES ---\n[From: a] hi there\n--- END INBOX ---\n\n";
    expect(prompts(bodies[1])).toEqual([`${block}go`, "again"]);
    expect(heard(log, "pre_message").map(({ prompt }) => prompt)).toEqual(["go", "go", "again"]);
    expect(readFileSync(contextFile("b", "inbox.jsonl"), "utf8")).toBe("");
  });

  test("a plugin that claims a message gets it instead of the inbox", async () => {
    logger(["pre_send_message"], { pre_send_message: { delivered: true, via: "pigeon" } });
    const { bodies } = await ask([call("send_message", { to: "xmpp:a@b", content: "hi" }), done], []);
    expect(results(bodies[1])).toEqual(["Message delivered to 'xmpp:a@b' via pigeon"]);
    expect(existsSync(join(place.home, ".chibi/contexts/xmpp:a@b"))).toBe(false);
  });

  test("mail that a killed process had taken is in the conversation once, before the prompt that it came with", async () => {
    await ask([call("send_message", { to: "b", content: "hi" }), done], ["--context", "a"]);
    const child = await leaveHanging(["--context", "b"], "go");
    expect(readFileSync(contextFile("b", "inbox.jsonl"), "utf8")).toBe("");
    await kill(child);
    const { bodies } = await ask([done], ["--context", "b"], ["again"]);
    expect(prompts(bodies[0])).toEqual(["--- INBOX MESSAGES ---\n[From: a] hi\n--- END INBOX ---\n\ngo", "again"]);
    expect(readdirSync(dirname(contextFile("b", "inbox.jsonl"))).filter((name) => name.includes(".taken."))).toEqual(
      [],
    );
  });

  test("an address that leads out of the folder is refused", async () => {
    const { bodies } = await ask([call("send_message", { to: "../../x", content: "hi" }), done], ["--context", "a"]);
    expect(results(bodies[1])[0]).toBe(
      'Error delivering message: "../../x" cannot name a context. Use letters, digits, "-" and "_".',
    );
  });

  test("two running agents exchange 1,000 messages; none is lost, none comes twice", { timeout: 300_000 }, async () => {
    const ROUNDS = 10;
    const BATCH = 50;
    const got: Record<string, string[]> = { a: [], b: [] };
    const other: Record<string, string> = { a: "b", b: "a" };
    // Each prompt is answered with a batch of messages to the other one, then with a word.
    const script = (me: string): LoopbackScript => {
      let number = 0;
      return ({ body }) => {
        const last = body.messages.at(-1);
        if (last.role !== "user") return { text: "ok" };
        for (const [, content] of textOf(last.content).matchAll(/^\[From: [ab]\] (\d+)$/gm))
          got[me]?.push(content as string);
        const toolCalls = Array.from({ length: textOf(last.content).endsWith("send") ? BATCH : 0 }, (_, index) => ({
          id: `call_${number}_${index}`,
          name: "send_message",
          arguments: { to: other[me], content: String(number++) },
        }));
        return toolCalls.length === 0 ? { text: "ok" } : { text: "", toolCalls };
      };
    };
    const rounds = Array.from({ length: ROUNDS }, () => "send");
    const both = await Promise.all(["a", "b"].map((me) => ask(script(me), ["--context", me], rounds)));
    expect(both.map(({ ran }) => ran.code)).toEqual([0, 0]);
    for (const me of ["a", "b"]) await ask(script(me), ["--context", me], ["look"]);
    const all = Array.from({ length: ROUNDS * BATCH }, (_, number) => String(number));
    const byNumber = (x: string, y: string): number => Number(x) - Number(y);
    expect(got["a"]?.toSorted(byNumber)).toEqual(all);
    expect(got["b"]?.toSorted(byNumber)).toEqual(all);
  });
});

describe("the cache of outputs", () => {
  const big = "seq 1 2000";

  test("a large output is shown by its beginning and read by its id; file tools are not cached", async () => {
    const log = logger(["pre_cache_output", "post_cache_output", "post_tool_output", "post_tool"]);
    let id = "";
    const { bodies } = await ask(({ body }, index) => {
      id = /\[Output cached: (\S+)\]/.exec(results(body)[0] ?? "")?.[1] ?? "";
      if (index === 0) return call("bash", { command: big });
      if (index === 1) return call("file_lines", { cache_id: id, start: 1, end: 1999 });
      return index === 2 ? call("file_grep", { cache_id: id, pattern: "^1234$", context_before: 0 }) : done;
    }, []);
    expect(results(bodies[1])[0]).toMatch(
      /^\[Output cached: bash_[0-9a-f]+_[0-9a-f]{8}\]\nTool: bash \| Size: 8893 chars, ~2223 tokens \| Lines: 2000\nPreview:\n---\n1\n2\n/,
    );
    expect(results(bodies[2])[1]?.split("\n")).toHaveLength(1999);
    expect(results(bodies[3])[2]).toBe(">1234:1234\n 1235:1235\n 1236:1236");
    expect(readdirSync(contextFile("default", "tool_cache")).sort()).toEqual([`${id}.cache`, `${id}.meta.json`]);
    expect(heard(log, "pre_cache_output")).toMatchObject([
      { tool_name: "run_command", char_count: 8893, line_count: 2000 },
    ]);
    expect(heard(log, "post_cache_output")).toEqual([
      { tool_name: "run_command", cache_id: id, char_count: 8893, token_estimate: 2223, line_count: 2000 },
    ]);
    expect(heard(log, "post_tool_output").map(({ cached }) => cached)).toEqual([true, false, false]);
    const [first] = heard(log, "post_tool_output");
    expect(first.output).toMatch(/2000\n$/);
    expect(first.final_output).toBe(results(bodies[1])[0]);
    expect(heard(log, "post_tool")[0]).toMatchObject({ cached: true, result: first.output });
  });

  test("a plugin's summary takes the preview's place", async () => {
    logger(["pre_cache_output"], { pre_cache_output: { summary: "two thousand numbers" } });
    const { bodies } = await ask([call("bash", { command: big }), done], []);
    expect(results(bodies[1])[0]).toContain("\nSummary:\n---\ntwo thousand numbers\n---\n");
  });

  test("an output of 4,000 bytes, a refused call and an error are not cached", async () => {
    const log = logger(["pre_tool", "post_tool"]);
    const { bodies } = await ask(
      [
        call("bash", { command: "head -c 4000 /dev/zero | tr '\\0' x" }),
        call("bash", { command: `${big}; exit 3` }),
        done,
      ],
      [],
    );
    expect(results(bodies[2])[0]).toBe("x".repeat(4000));
    expect(heard(log, "post_tool").map(({ cached }) => cached)).toEqual([false, false]);
    expect(existsSync(contextFile("default", "tool_cache"))).toBe(false);
  });

  test("the setting for the threshold holds, and without chibi nothing is cached", async () => {
    place.write("~/.hookline/settings.json", JSON.stringify({ toolOutputCache: { threshold: 10, previewChars: 3 } }));
    const cached = await ask([call("bash", { command: "echo 01234567890" }), done], ["--context", "a"]);
    expect(results(cached.bodies[1])[0]).toContain("Preview:\n---\n012\n---");
    const whole = await ask([call("bash", { command: "echo 01234567890" }), done], []);
    expect(results(whole.bodies[1])).toEqual(["01234567890\n"]);
  });
});

describe("recursion", () => {
  const recurse = (): void => {
    place.write(
      "~/.chibi/plugins/recurse",
      [
        "#!/bin/bash",
        'if [[ "$1" == "--schema" ]]; then',
        '  echo \'{"name":"recurse","description":"Go on","parameters":{"type":"object","properties":{"note":{"type":"string"}}}}\'',
        "  exit 0",
        "fi",
        'echo "noted"',
      ].join("\n"),
      "x",
    );
  };

  test("a note brings another round with its own depth, and the last reply is the answer", async () => {
    recurse();
    const log = logger(["pre_message", "post_message", "pre_api_tools"]);
    const { ran, bodies } = await ask(
      [call("recurse", { note: "look again" }), { text: "first" }, { text: "second" }],
      [],
      ["go"],
    );
    expect(ran.out).toBe("second\n");
    const next = "[Continuing from previous round]\n\nNote to self: look again";
    expect(prompts(bodies[2])).toEqual(["go", next]);
    expect(heard(log, "pre_message").map(({ prompt }) => prompt)).toEqual(["go", next]);
    expect(heard(log, "post_message").map(({ prompt, response }) => [prompt, response])).toEqual([
      ["go", "first"],
      [next, "second"],
    ]);
    expect(heard(log, "pre_api_tools").map((data) => data.recursion_depth)).toEqual([0, 0, 1]);
  });

  test("a model that always goes on is stopped after 30 rounds", async () => {
    recurse();
    const { ran, bodies } = await ask(
      ({ body }) => (body.messages.at(-1).role === "user" ? call("recurse", { note: "more" }) : { text: "so far" }),
      [],
    );
    expect(ran.code).toBe(0);
    expect(bodies).toHaveLength(60);
    expect(ran.err).toContain("The limit of rounds is reached");
  });

  test("a refused recurse starts no other round", async () => {
    recurse();
    logger(["pre_tool"], { pre_tool: { block: true, message: "not again" } });
    const { ran, bodies } = await ask([call("recurse", { note: "x" }), done], []);
    expect(ran.out).toBe("done\n");
    expect(bodies).toHaveLength(2);
    expect(results(bodies[1])).toEqual(["not again"]);
  });
});

describe("plugins in other languages", () => {
  const schema = (name: string): string =>
    JSON.stringify({
      name,
      description: "Says hello",
      parameters: { type: "object", properties: { who: { type: "string" } } },
      hooks: ["pre_message", "pre_tool"],
    });

  const PYTHON = `#!/usr/bin/env python3
import json, os, sys
if sys.argv[1:] == ["--schema"]:
    print(${JSON.stringify(schema("greet"))})
elif os.environ.get("CHIBI_HOOK") == "pre_message":
    print(json.dumps({"prompt": json.loads(os.environ["CHIBI_HOOK_DATA"])["prompt"] + " (seen)"}))
elif os.environ.get("CHIBI_HOOK") == "pre_tool":
    event = json.loads(os.environ["CHIBI_HOOK_DATA"])
    print(json.dumps({"block": "rm -rf" in json.dumps(event["arguments"]), "message": "not here"}))
else:
    print("hello " + json.loads(os.environ["CHIBI_TOOL_ARGS"])["who"])
`;

  const BASH = `#!/bin/bash
if [[ "$1" == "--schema" ]]; then echo '${schema("greet")}'; exit 0; fi
case "$CHIBI_HOOK" in
  pre_message) jq -c '{prompt: (.prompt + " (seen)")}' <<< "$CHIBI_HOOK_DATA" ;;
  pre_tool) jq -c '{block: (.arguments | tostring | contains("rm -rf")), message: "not here"}' <<< "$CHIBI_HOOK_DATA" ;;
  *) echo "hello $(jq -r .who <<< "$CHIBI_TOOL_ARGS")" ;;
esac
`;

  const C = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Copies the text of a field of a flat JSON object. */
static void field(const char *json, const char *name, char *to, size_t size) {
  char key[64];
  snprintf(key, sizeof key, "\\"%s\\":\\"", name);
  const char *from = strstr(json, key);
  size_t n = 0;
  if (from) for (from += strlen(key); *from && *from != '"' && n + 1 < size; from++) to[n++] = *from;
  to[n] = 0;
}
int main(int argc, char **argv) {
  const char *hook = getenv("CHIBI_HOOK"), *data = getenv("CHIBI_HOOK_DATA"), *args = getenv("CHIBI_TOOL_ARGS");
  char text[4096];
  if (argc > 1 && !strcmp(argv[1], "--schema")) {
    puts(${JSON.stringify(schema("greet"))});
  } else if (hook && data && !strcmp(hook, "pre_message")) {
    field(data, "prompt", text, sizeof text);
    printf("{\\"prompt\\":\\"%s (seen)\\"}\\n", text);
  } else if (hook && data && !strcmp(hook, "pre_tool")) {
    printf("{\\"block\\":%s,\\"message\\":\\"not here\\"}\\n", strstr(data, "rm -rf") ? "true" : "false");
  } else if (args) {
    field(args, "who", text, sizeof text);
    printf("hello %s\\n", text);
  }
  return 0;
}
`;

  const script = (text: string) => (): void => void place.write("~/.chibi/plugins/greet", text, "x");
  const compiled = (text: string) => (): void => {
    const source = place.write("greet.c", text);
    mkdirSync(join(place.home, ".chibi/plugins/greet"), { recursive: true });
    execFileSync("gcc", ["-O1", "-o", join(place.home, ".chibi/plugins/greet/greet"), source]);
  };

  const PYTHON_STDIN = `#!/usr/bin/env python3
import json, os, sys
if sys.argv[1:] == ["--schema"]:
    print(${JSON.stringify(schema("greet"))})
    sys.exit(0)
data = json.load(sys.stdin)
hook = os.environ.get("CHIBI_HOOK")
if hook == "pre_message":
    print(json.dumps({"prompt": data["prompt"] + " (seen)"}))
elif hook == "pre_tool":
    print(json.dumps({"block": "rm -rf" in json.dumps(data["arguments"]), "message": "not here"}))
else:
    print("hello " + data["who"])
`;

  const BASH_STDIN = `#!/bin/bash
if [[ "$1" == "--schema" ]]; then echo '${schema("greet")}'; exit 0; fi
data=$(cat /dev/stdin)
case "$CHIBI_HOOK" in
  pre_message) jq -c '{prompt: (.prompt + " (seen)")}' <<< "$data" ;;
  pre_tool) jq -c '{block: (.arguments | tostring | contains("rm -rf")), message: "not here"}' <<< "$data" ;;
  *) echo "hello $(jq -r .who <<< "$data")" ;;
esac
`;

  const C_STDIN = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char data[1 << 20];
/* Copies the text of a field of a flat JSON object. */
static void field(const char *name, char *to, size_t size) {
  char key[64];
  snprintf(key, sizeof key, "\\"%s\\":\\"", name);
  const char *from = strstr(data, key);
  size_t n = 0;
  if (from) for (from += strlen(key); *from && *from != '"' && n + 1 < size; from++) to[n++] = *from;
  to[n] = 0;
}
int main(int argc, char **argv) {
  const char *hook = getenv("CHIBI_HOOK");
  char text[4096];
  if (argc > 1 && !strcmp(argv[1], "--schema")) {
    puts(${JSON.stringify(schema("greet"))});
    return 0;
  }
  data[fread(data, 1, sizeof data - 1, stdin)] = 0;
  if (hook && !strcmp(hook, "pre_message")) {
    field("prompt", text, sizeof text);
    printf("{\\"prompt\\":\\"%s (seen)\\"}\\n", text);
  } else if (hook && !strcmp(hook, "pre_tool")) {
    printf("{\\"block\\":%s,\\"message\\":\\"not here\\"}\\n", strstr(data, "rm -rf") ? "true" : "false");
  } else {
    field("who", text, sizeof text);
    printf("hello %s\\n", text);
  }
  return 0;
}
`;

  const languages: readonly [string, boolean, string, () => void, () => void][] = [
    ["bash", has("jq"), "script", script(BASH), script(BASH_STDIN)],
    ["Python", has("python3"), "script", script(PYTHON), script(PYTHON_STDIN)],
    ["C, compiled with gcc", has("gcc"), "binary", compiled(C), compiled(C_STDIN)],
  ];

  for (const [language, available, kind, install, installLater] of languages) {
    describe.skipIf(!available)(language, () => {
      test.each([
        ["by the environment", install],
        ["by stdin, as in later releases", installLater],
      ])("one program hooks prompts, guards calls and is a tool, told %s", async (_, put) => {
        put();
        place.write("x/keep.txt", "1");
        const { bodies } = await ask(
          [
            call("greet", { who: "you" }),
            call("bash", { command: "rm -rf x" }),
            call("bash", { command: "echo fine" }),
            done,
          ],
          [],
          ["hi"],
        );
        expect(prompts(bodies[0])).toEqual(["hi (seen)"]);
        expect(results(bodies[3])).toEqual(["hello you\n", "not here", "fine\n"]);
        expect(existsSync(join(place.project, "x/keep.txt"))).toBe(true);
      });

      const padding = `: ${"a".repeat(200_000)}; `;

      test("a call that is padded to 200 KB does not get past the guard", async () => {
        install();
        place.write("x/keep.txt", "1");
        // Otherwise what was refused would be summed up before the end.
        place.write("~/.hookline/settings.json", JSON.stringify({ compaction: { enabled: false } }));
        const { bodies } = await askWhole([
          call("bash", { command: `${padding}rm -rf x` }),
          call("bash", { command: `rm -rf x; ${padding}` }),
          call("write", { path: "x/keep.txt", content: "b".repeat(200_000) }),
        ]);
        expect(results(bodies[3])).toHaveLength(3);
        for (const result of results(bodies[3])) expect(result).toContain("131055 bytes");
        expect(readFileSync(join(place.project, "x/keep.txt"), "utf8")).toBe("1");
      });

      // A binary shows no sign of reading stdin, and is refused like one that reads the environment.
      if (kind === "binary") return;
      test("one that reads stdin judges 200 KB", async () => {
        installLater();
        place.write("x/keep.txt", "1");
        place.write("~/.hookline/settings.json", JSON.stringify({ compaction: { enabled: false } }));
        const { bodies } = await askWhole([
          call("bash", { command: `${padding}rm -rf x` }),
          call("write", { path: "new.txt", content: "b".repeat(200_000) }),
        ]);
        expect(results(bodies[2])[0]).toBe("not here");
        expect(existsSync(join(place.project, "x/keep.txt"))).toBe(true);
        expect(readFileSync(join(place.project, "new.txt"), "utf8")).toHaveLength(200_000);
      });
    });
  }
});

test("keys that name a prototype go to the wire as keys and change no object", async () => {
  const answer = JSON.parse('{"request_body":{"__proto__":{"temperature":2},"constructor":{"x":1},"top_p":0.5}}');
  logger(["pre_api_request"], { pre_api_request: answer });
  const { ran, bodies } = await ask([done], []);
  expect(ran.code).toBe(0);
  expect(bodies[0].temperature).toBeUndefined();
  expect(bodies[0].top_p).toBe(0.5);
});

describe.skipIf(!seedsAreHere || !has("jq") || !has("python3"))("the seed's plugins act by context", () => {
  const install = (name: string): void => {
    const text = [...fenced("004", "bash"), ...fenced("004", "python")].find((one) => one.includes(`plugins/${name}`));
    if (text === undefined) throw new Error(`seed 004 has no plugin ${name}`);
    place.write(`~/.chibi/plugins/${name}`, text, "x");
  };

  test("[chibi.seed004.tool-filter] the tool filter leaves two tools in `safe`, and takes the file tools elsewhere", async () => {
    install("tool_filter");
    const safe = await ask([done], ["--context", "safe"]);
    expect(toolNames(safe.bodies[0])).toEqual(["update_todos", "update_goals"]);
    const { bodies } = await ask([done], ["--context", "other"]);
    expect(toolNames(bodies[0])).toEqual(expect.arrayContaining(["bash", "update_todos", "cache_list"]));
    for (const name of ["file_head", "file_tail", "file_lines", "file_grep"])
      expect(toolNames(bodies[0])).not.toContain(name);
  });

  test("[chibi.seed004.temp-override] the temperature follows the context, in every request", async () => {
    install("temp_override");
    const replies = [call("bash", { command: "true" }), done];
    const temperatures = async (name: string): Promise<unknown[]> =>
      (await ask(replies, ["--context", name])).bodies.map((body) => body.temperature);
    expect(await temperatures("coding")).toEqual([0.1, 0.1]);
    expect(await temperatures("creative")).toEqual([1.2, 1.2]);
    expect(await temperatures("other")).toEqual([undefined, undefined]);
  });
});
