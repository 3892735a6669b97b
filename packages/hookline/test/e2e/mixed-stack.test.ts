import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackReply, startLoopback } from "../support/loopback.ts";

/** A module of one dialect that notes its name, and answers tool calls and results as told. */
const module = (name: string, body: string): string => `import { appendFileSync } from "node:fs";
const note = (what) => appendFileSync("heard.txt", "${name} " + what + "\\n");
export default (pi) => {
${body}
};
`;
const guard = (name: string, answer: string): string =>
  module(name, `  pi.on("tool_call", (event) => { note(event.input.command); return ${answer}; });`);

describe("hooks and extensions of oh-my-pi and extensions of pi in one run", () => {
  let place: Workplace;
  let server: Loopback | undefined;

  beforeEach(() => {
    place = new Workplace();
  });

  afterEach(async () => {
    await server?.close();
    server = undefined;
    place.remove();
  });

  /** Runs a prompt whose reply calls the shell once; gives what the model was told of it, and who heard what. */
  async function run(command: string): Promise<{ result: string; heard: string[] }> {
    const replies: LoopbackReply[] = [{ toolCalls: [{ name: "bash", arguments: { command } }] }, { text: "done" }];
    server = await startLoopback(replies);
    const model = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
    const { code, err } = await place.run([...model, "-p", "go"]);
    expect(`${code} ${err}`).toMatch(/^0 /);
    const content = server.requests[1]?.body.messages.find(({ role }: any) => role === "tool").content;
    const heard = join(place.project, "heard.txt");
    return {
      result: typeof content === "string" ? content : content.map(({ text }: any) => text).join(""),
      heard: existsSync(heard) ? readFileSync(heard, "utf8").trim().split("\n") : [],
    };
  }

  test("they are asked in the order of their lanes, and all judge what runs", async () => {
    place.write("~/.omp/agent/hooks/pre/a.ts", guard("hook", "undefined"));
    place.write("~/.omp/agent/extensions/b.ts", guard("extension", '({ input: { command: "echo other" } })'));
    place.write("~/.pi/agent/extensions/c.ts", guard("pi", "undefined"));
    const { result, heard } = await run("echo first");
    expect(result).toContain("other");
    expect(heard).toEqual(["hook echo first", "extension echo first", "pi echo other", "hook echo other"]);
  });

  test("a denial of any of them stays one, whatever the others say", async () => {
    place.write("~/.omp/agent/hooks/pre/a.ts", guard("hook", "({ block: false })"));
    place.write("~/.omp/agent/extensions/b.ts", guard("extension", '({ block: true, reason: "not here" })'));
    place.write(
      "~/.pi/agent/extensions/c.ts",
      module("pi", '  pi.on("tool_result", () => ({ isError: false, content: [{ type: "text", text: "fine" }] }));'),
    );
    const { result, heard } = await run("touch made.txt");
    expect(result).toContain("not here");
    expect(existsSync(join(place.project, "made.txt"))).toBe(false);
    expect(heard).toEqual(["hook touch made.txt", "extension touch made.txt"]);
  });

  test("a hook that fails closes its guard, and the report names it", async () => {
    place.write(
      "~/.omp/agent/hooks/pre/a.ts",
      module("hook", '  pi.on("tool_call", () => { throw new Error("boom"); });'),
    );
    place.write("~/.pi/agent/extensions/c.ts", guard("pi", "undefined"));
    const { result, heard } = await run("touch made.txt");
    expect(result).toContain("boom");
    expect(heard).toEqual([]);
    expect(existsSync(join(place.project, "made.txt"))).toBe(false);
  });

  test("results pass through all of them, field by field", async () => {
    const adds = (text: string): string =>
      `  pi.on("tool_result", (event) => ({ content: [...event.content, { type: "text", text: "${text}" }] }));`;
    place.write("~/.omp/agent/hooks/post/a.ts", module("hook", adds("+hook")));
    place.write("~/.omp/agent/extensions/b.ts", module("extension", adds("+extension")));
    place.write("~/.pi/agent/extensions/c.ts", module("pi", adds("+pi")));
    const { result } = await run("echo x");
    expect(result.replaceAll("\n", "")).toBe("x+hook+extension+pi");
  });
});
