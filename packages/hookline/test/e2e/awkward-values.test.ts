import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS } from "../../src/provider/limits.ts";
import { Workplace } from "../support/cli.ts";
import { startLoopback } from "../support/loopback.ts";

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

const call = (args: string): string =>
  `{"replies":[{"toolCalls":[{"name":"bash","arguments":${args}}]},{"text":"went on"}]}`;

function session(): string {
  const top = join(place.home, ".hookline/sessions");
  const [file = ""] = readdirSync(top, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl"));
  return readFileSync(join(top, file), "utf8");
}

const thrower = "{ toJSON() { throw new Error('no'); } }";

test.each([
  ["a BigInt in details", "pi.on('tool_result', () => ({ details: { n: 10n } }))", "details.n (a bigint)"],
  ["a throwing toJSON", `pi.on('tool_result', () => ({ details: ${thrower} }))`, "details (an object)"],
  [
    "a BigInt for a text",
    "pi.on('tool_result', () => ({ content: [{ type: 'text', text: 10n }] }))",
    "the result is withheld",
  ],
  ["a getter that throws", "pi.on('tool_result', () => ({ details: { get x() { throw new Error('no'); } } }))", ""],
  [
    "a message with a BigInt",
    "pi.on('tool_result', () => pi.sendMessage({ customType: 'x', content: 'c', display: true, details: { n: 10n } }))",
    "BigInt",
  ],
])("%s of a hook is refused by the hook's name, and the run goes on", async (_, body, named) => {
  place.write("s.json", call('{"command":"echo kept-output"}'));
  for (const folder of ["~/.pi/agent/extensions", "~/.omp/agent/hooks/pre"]) {
    place.write(`${folder}/odd.ts`, `export default (pi) => { ${body}; };`);
    const ran = await place.run(["--script", "s.json", "-p", "go"]);
    expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
    expect(ran.err).toContain("odd.ts");
    expect(ran.err).toContain(named);
    expect(session()).toContain(named.includes("withheld") ? "The result is withheld" : "kept-output");
    place.remove();
    place = new Workplace();
    place.write("s.json", call('{"command":"echo kept-output"}'));
  }
});

/** Inputs of the agent other than answers: code of a hook with `%s` in it, and the required message. */
const INPUTS: readonly (readonly [what: string, body: string, said: string])[] = [
  ["an argument", "pi.on('tool_call', (e) => { e.input.n = 10n; })", "input.n (a bigint) cannot be written as JSON"],
  ["an argument that throws", `pi.on('tool_call', (e) => { e.input.n = ${thrower}; })`, "input.n (an object)"],
  ["a symbol", "pi.on('tool_call', (e) => { e.input.n = Symbol('s'); })", "could not be cloned"],
  [
    "a message of a request",
    "pi.on('context', (e) => { e.messages.push({ role: 'user', content: 10n }); })",
    "messages must be a list of messages",
  ],
  [
    "arguments in a message of a request",
    "pi.on('context', (e) => { e.messages.push({ role: 'assistant', content: [{ type: 'toolCall', id: '1', name: 'x', arguments: { n: 10n } }] }); })",
    "arguments.n (a bigint) cannot be written as JSON",
  ],
  [
    "the same with the system prompt",
    "pi.on('context_with_system', (e) => { e.messages.push({ role: 'assistant', content: [{ type: 'toolCall', id: '1', name: 'x', arguments: { n: 10n } }] }); })",
    "arguments.n (a bigint) cannot be written as JSON",
  ],
  [
    "a block without its text",
    "pi.on('context', (e) => ({ messages: [...e.messages, { role: 'user', content: [{ type: 'text' }] }] }))",
    "messages on context",
  ],
  ["a request's body", "pi.on('before_provider_request', (e) => ({ ...e.payload, n: 10n }))", "payload.n (a bigint)"],
  ["a header", "pi.on('before_provider_headers', (e) => { e.headers.x = 10n; })", "headers.x (a bigint)"],
  [
    "an entry",
    "pi.on('turn_start', () => { pi.appendEntry('x', { n: 10n }); })",
    "data.n (a bigint) cannot be written as JSON",
  ],
  [
    "an entry's type",
    "pi.on('turn_start', () => { pi.appendEntry(10n, {}); })",
    "appendEntry needs a type that is text",
  ],
  ["a session's name", "pi.on('turn_start', () => { pi.setSessionName(10n); })", "needs a name that is text"],
  ["names of tools", "pi.on('turn_start', () => { pi.setActiveTools(10n); })", "needs a list of names of tools"],
  [
    "a person's words",
    "pi.on('turn_start', () => { pi.sendUserMessage([{ type: 'text', text: 10n }]); })",
    "sendUserMessage needs text or a list of blocks",
  ],
  ["what is thrown", "pi.on('turn_start', () => { throw 10n; })", "failed (10)"],
  [
    "what is thrown and throws",
    "pi.on('turn_start', () => { throw new Proxy({}, { get() { throw 1; } }); })",
    "cannot be shown",
  ],
];

test.each(INPUTS)("%s is refused by name; the run, its events and its trace are whole", async (_, body, said) => {
  place.write("s.json", call('{"command":"echo kept-output"}'));
  place.write("~/.jdata/agent/hooks.yaml", "pre_llm_request:\n  - command: cat > stdin.txt; echo '{}'\n");
  place.write("~/.pi/agent/extensions/odd.ts", `export default (pi) => { ${body}; };`);
  const ran = await place.run(["--script", "s.json", "--mode", "json", "--trace", "trace.jsonl", "-p", "go"]);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(said)]);
  expect(ran.err).toContain("odd.ts");
  const events = ran.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(JSON.stringify(events)).toContain("went on");
  const trace = readFileSync(join(place.project, "trace.jsonl"), "utf8").trim().split("\n");
  expect(trace.map((line) => typeof JSON.parse(line)).every((kind) => kind === "object")).toBe(true);
  // A hook that is a program was given an event that it can read.
  expect(JSON.parse(readFileSync(join(place.project, "stdin.txt"), "utf8"))).toMatchObject({
    event: "pre_llm_request",
  });
});

test.each([
  [
    "parameters with a BigInt",
    "parameters: { type: 'object', properties: { a: { minimum: 1n } } }",
    "parameters.properties.a",
  ],
  [
    "parameters that contain themselves",
    "parameters: loop",
    "parameters (an object) cannot be written as JSON: it contains itself",
  ],
  [
    "a label that is no text",
    "label: 10n, parameters: { type: 'object' }",
    'The tool "odd" has a label that is a bigint',
  ],
  [
    "guidelines that are no list",
    "promptGuidelines: 10n, parameters: { type: 'object' }",
    'The tool "odd" has promptGuidelines',
  ],
])("a tool with %s is refused where its module is loaded", async (_, fields, said) => {
  place.write("s.json", call("{}"));
  place.write(
    "~/.pi/agent/extensions/odd.ts",
    `const loop = {}; loop.self = loop; export default (pi) => { pi.registerTool({ name: "odd", description: "d", execute: async () => ({ content: [] }), ${fields} }); };`,
  );
  const ran = await place.run(["--script", "s.json", "-p", "go", "--allow-broken-hooks"]);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(said)]);
  expect(ran.err).toContain("odd.ts");
});

test.each([
  ["a provider's address", "pi.registerProvider('own', { baseUrl: 10n })", '"baseUrl" must be text'],
  ["a provider's models", "pi.registerProvider('own', { models: {} })", '"models" must be a list'],
  ["a flag", "pi.registerFlag('a', 10n)", 'The flag "a" needs a type'],
])("%s that cannot be used is refused where its module is loaded", async (_, body, said) => {
  place.write("s.json", call("{}"));
  place.write("~/.pi/agent/extensions/odd.ts", `export default (pi) => { ${body}; };`);
  const ran = await place.run(["--script", "s.json", "-p", "go", "--allow-broken-hooks"]);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(said)]);
});

test("a tool whose result has no JSON fails by name, and the run continues", async () => {
  place.write("s.json", call("{}").replace('"bash"', '"odd"'));
  place.write(
    "~/.pi/agent/extensions/tool.ts",
    `export default (pi) => pi.registerTool({ name: "odd", label: "odd", description: "odd", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "x" }], details: { n: 10n } }) });`,
  );
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  expect(session()).toContain("The result of odd cannot be stored: it contains a BigInt");
});

const nested = (depth: number): string => `{"command":"touch ran","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;

test.each([300, 20_000])(
  "arguments that the model nests %i levels deep are refused by name, and nothing is lost",
  async (depth) => {
    const toolCalls = [{ name: "bash", argumentsRaw: nested(depth) }];
    place.write("s.json", JSON.stringify({ replies: [{ toolCalls }, { text: "went on" }] }));
    const ran = await place.run(["--script", "s.json", "-p", "go"]);
    expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
    expect(session()).toContain(`nested more than ${LIMITS.depth} levels deep`);
    expect(readdirSync(place.project)).not.toContain("ran");
  },
);

const overHttp = [
  ["openai-completions", "/v1"],
  ["anthropic-messages", ""],
  ["openai-responses", "/v1"],
  ["google-generative-ai", "/v1beta"],
] as const;

test.each(overHttp.flatMap((each) => [[...each, 1000] as const, [...each, 20_000] as const]))(
  "over %s%s as well, %i levels deep",
  async (api, path, depth) => {
    const toolCalls = [{ name: "bash", argumentsRaw: nested(depth) }];
    const server = await startLoopback([{ toolCalls }, { text: "went on" }]);
    const model = { id: "m", name: "m", contextWindow: 1_000_000, maxTokens: 100 };
    const provider = { api, baseUrl: server.url + path, apiKey: "k", models: [model] };
    place.write("~/.hookline/models.json", JSON.stringify({ providers: { own: provider } }));
    const ran = await place.run(["--model", "own/m", "-p", "go"]);
    await server.close();
    expect([ran.code, ran.out, ran.err]).toEqual([0, "went on\n", ""]);
    expect(session()).toContain(`nested more than ${LIMITS.depth} levels deep`);
  },
);

test("arguments of a call that are too long are refused by name, and nothing is lost", async () => {
  const argumentsRaw = `{"command":"touch ran"${" ".repeat(9 << 20)}}`;
  const toolCalls = [
    { name: "bash", argumentsRaw },
    { name: "bash", arguments: { command: "echo kept-output" } },
  ];
  place.write("s.json", JSON.stringify({ replies: [{ text: "kept-text", toolCalls }, { text: "went on" }] }));
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  expect(session()).toContain("The arguments of bash are longer than 8388608 characters");
  for (const kept of ["kept-text", "kept-output"]) expect(session()).toContain(kept);
  expect(readdirSync(place.project)).not.toContain("ran");
});

test("calls beyond the limit of one reply are refused by name, and the ones before them run", async () => {
  place.write("small.txt", "small");
  const toolCalls = Array.from({ length: 300 }, () => ({ name: "read", arguments: { path: "small.txt" } }));
  place.write("s.json", JSON.stringify({ replies: [{ toolCalls }, { text: "went on" }] }));
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  const results = session()
    .split("\n")
    .filter((line) => line.includes('"toolResult"'));
  expect(results).toHaveLength(300);
  const refused = results.map((line) => line.includes("A reply may have at most 256 calls"));
  expect(refused.indexOf(true)).toBe(256);
  expect(refused.lastIndexOf(false)).toBe(255);
});

test("a reply that is too large ends with an error that says so, and the part received is kept", async () => {
  const piece = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
  let left: () => void = () => {};
  const hungUp = new Promise<void>((resolve) => {
    left = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    response.once("close", left);
    response.writeHead(200, { "content-type": "text/event-stream" });
    // It never ends by itself.
    const more = (): void => void response.write(piece("kept-text ".repeat(100_000)), () => setImmediate(more));
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = { api: "openai-completions", baseUrl, apiKey: "k", models: [{ id: "m", name: "m" }] };
  place.write("~/.hookline/models.json", JSON.stringify({ providers: { own: provider } }));
  const ran = await place.run(["--model", "own/m", "-p", "go"]);
  await hungUp;
  server.close();
  expect(ran.code).toBe(1);
  expect(ran.err).toContain("The reply of own/m is larger than 33554432 characters");
  expect(session()).toContain("kept-text");
});

test.each(["~/.omp/agent/hooks/pre/again.ts", "~/.omp/agent/extensions/again.ts", "~/.pi/agent/extensions/again.ts"])(
  "a handler in %s that registers itself at each event ends, and is named",
  async (path) => {
    // Twelve turns: where an event does not see handlers that are added during it, their number doubles at each.
    const turns = Array.from({ length: 12 }, () => ({ toolCalls: [{ name: "ls", arguments: {} }] }));
    place.write("s.json", JSON.stringify({ replies: [...turns, { text: "went on" }] }));
    place.write(
      path,
      "export default (pi) => { const again = () => { pi.on('turn_start', again); }; pi.on('turn_start', again); };",
    );
    const ran = await place.run(["--script", "s.json", "-p", "go"]);
    expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
    expect(ran.err).toContain("again.ts has 1000 handlers for turn_start");
  },
);

test.each([
  ["where a module lies", "~/.pi/agent/extensions/odd.ts", undefined],
  [
    "where a module imports from",
    "~/.pi/agent/extensions/lib.pipe.ts",
    'import "./lib.pipe.ts"; export default () => {};',
  ],
])("a pipe %s is not waited for", async (_, path, importer) => {
  place.write("s.json", '{"replies":[{"text":"went on"}]}');
  if (importer !== undefined) place.write("~/.pi/agent/extensions/odd.ts", importer);
  else place.write("~/.pi/agent/extensions/good.ts", "export default (pi) => { pi.on('turn_start', () => {}); };");
  execFileSync("mkfifo", [join(place.home, path.slice(2))]);
  const ran = await place.run(["--script", "s.json", "-p", "go", "--allow-broken-hooks"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  expect(ran.err).toContain(`${path.split("/").at(-1)} could not be read: it is not a regular file`);
});
