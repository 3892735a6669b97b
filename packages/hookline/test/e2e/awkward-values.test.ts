import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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
  ["a BigInt for a text", "pi.on('tool_result', () => ({ content: [{ type: 'text', text: 10n }] }))", "BigInt"],
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
    expect(session()).toContain("kept-output");
    place.remove();
    place = new Workplace();
    place.write("s.json", call('{"command":"echo kept-output"}'));
  }
});

test("a tool whose result has no JSON fails by name, and the run goes on", async () => {
  place.write("s.json", call("{}").replace('"bash"', '"odd"'));
  place.write(
    "~/.pi/agent/extensions/tool.ts",
    `export default (pi) => pi.registerTool({ name: "odd", label: "odd", description: "odd", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "x" }], details: { n: 10n } }) });`,
  );
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  expect(session()).toContain("The result of odd cannot be stored: it holds a BigInt");
});

const nested = (depth: number): string => `{"command":"touch ran","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;

test.each([300, 20_000])(
  "arguments that the model nests %i levels deep are refused by name, and nothing is lost",
  async (depth) => {
    const toolCalls = [{ name: "bash", argumentsRaw: nested(depth) }];
    place.write("s.json", JSON.stringify({ replies: [{ toolCalls }, { text: "went on" }] }));
    const ran = await place.run(["--script", "s.json", "-p", "go"]);
    expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
    expect(session()).toContain("nested more than 256 levels deep");
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
    expect(session()).toContain("nested more than 256 levels deep");
  },
);

test("a handler that registers itself at each event ends, and is named", async () => {
  place.write("s.json", '{"replies":[{"text":"went on"}]}');
  place.write(
    "~/.omp/agent/hooks/pre/again.ts",
    "export default (pi) => { const again = () => { pi.on('turn_start', again); }; pi.on('turn_start', again); };",
  );
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect([ran.code, ran.out]).toEqual([0, "went on\n"]);
  expect(ran.err).toContain("again.ts has 1000 handlers of turn_start");
});
