import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Workplace } from "../support/cli.ts";
import { type Loopback, startLoopback } from "../support/loopback.ts";

const demo = fileURLToPath(new URL("../../../../examples/demo", import.meta.url));

describe("one prompt through hooks of four dialects, over HTTP", () => {
  let place: Workplace;
  let server: Loopback;

  beforeEach(async () => {
    place = new Workplace();
    cpSync(demo, place.project, { recursive: true });
    const { replies } = parse(readFileSync(join(demo, "script.yaml"), "utf8"));
    server = await startLoopback(replies);
  });

  afterEach(async () => {
    await server.close();
    place.remove();
  });

  const ask = (api: string, base: string) =>
    place.run([
      "--trust-project",
      "--api",
      api,
      "--base-url",
      base,
      "--model",
      "test/some-model",
      "-p",
      "Fix add() in src/sum.js",
    ]);

  test("chat completions: the endpoint sees what the hooks made of prompt, tools, results and feedback", async () => {
    const ran = await ask("openai-completions", `${server.url}/v1`);
    expect(ran.err).not.toMatch(/error/i);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("I tested it by running add(2, 3), which gives 5.");
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(6);
    const user = (body: any) =>
      body.messages
        .filter((message: any) => message.role === "user")
        .map((message: any) => JSON.stringify(message.content));
    expect(user(bodies[0])[0]).toMatch(/\[\d{4}-\d\d-\d\d\] Fix add\(\) in src\/sum\.js/);
    const tools = bodies[0].tools.map((tool: any) => tool.function.name);
    expect(tools).toEqual(expect.arrayContaining(["read", "bash", "edit", "write", "grep", "ls"]));
    expect(tools).not.toContain("find");
    expect(JSON.stringify(bodies[0].messages[0])).toContain("House rules:");
    const results = (body: any) =>
      body.messages
        .filter((message: any) => message.role === "tool")
        .map((message: any) => JSON.stringify(message.content));
    expect(results(bodies[1])[1]).toContain("[key removed]");
    expect(JSON.stringify(bodies)).not.toContain("sk-4f9aQ2mZ81kLxT07bNcD");
    expect(results(bodies[1])[2]).toContain("[shortened]");
    expect(results(bodies[2])[3]).toContain("This project does not allow deleting from the root folder.");
    expect(user(bodies[4]).at(-1)).toContain("Say how the change was tested before you stop.");
    expect(readFileSync(join(place.project, "src/sum.js"), "utf8")).toContain("a + b");
  });

  test("anthropic messages: the same hooks act on another wire format", async () => {
    const ran = await ask("anthropic-messages", server.url);
    expect(ran.err).not.toMatch(/error/i);
    expect(ran.code).toBe(0);
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(6);
    expect(bodies[0].tools.map((tool: any) => tool.name)).not.toContain("find");
    expect(JSON.stringify(bodies[0].system)).toContain("House rules:");
    expect(JSON.stringify(bodies[0].messages)).toMatch(/\[\d{4}-\d\d-\d\d\] Fix add/);
    expect(JSON.stringify(bodies[1].messages)).toContain("[key removed]");
    expect(JSON.stringify(bodies)).not.toContain("sk-4f9aQ2mZ81kLxT07bNcD");
    expect(JSON.stringify(bodies[4].messages)).toContain("Say how the change was tested before you stop.");
  });

  test("without consent nothing of the project runs, and this is reported", async () => {
    await server.close();
    server = await startLoopback([{ text: "done" }]);
    const ran = await place.run([
      "--api",
      "openai-completions",
      "--base-url",
      `${server.url}/v1`,
      "--model",
      "test/m",
      "-p",
      "Fix add()",
    ]);
    expect(ran.code).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/House rules|\[\d{4}-/);
    expect(ran.err).toMatch(/has not been approved|have not been approved/);
    expect(ran.err).toContain("0 of 6 hooks run");
  });

  test("the demo's hooks are listed with their state and reason", async () => {
    const listed = await place.run(["hooks", "list", "--json"]);
    expect(listed.code).toBe(0);
    const { sources, summary } = JSON.parse(listed.out);
    expect(summary).toEqual({ found: 6, runs: 0, notRunning: 6 });
    expect(sources.map((source: any) => [source.dialect, source.state])).toEqual([
      ["jcli", "untrusted"],
      ["jcli", "untrusted"],
      ["chibi", "untrusted"],
      ["omp", "untrusted"],
      ["omp", "untrusted"],
      ["pi", "untrusted"],
    ]);
    const strict = await place.run(["hooks", "list", "--strict"]);
    expect(strict.code).toBe(1);
  });
});
