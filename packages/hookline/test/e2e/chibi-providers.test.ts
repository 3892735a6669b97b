import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { type Loopback, startLoopback } from "../support/loopback.ts";

/** The place of runs that show the effect of a plugin's `pre_api_request` with several providers' protocols. */
let place: Workplace;
let server: Loopback;

beforeEach(async () => {
  place = new Workplace();
  server = await startLoopback(() => ({ text: "done" }));
  const answer = {
    request_body: { temperature: 0.2, top_p: 0.5, stop: ["HALT"], tool_choice: "none", x_custom: 7, max_tokens: 55 },
  };
  const schema = { name: "a", description: "a", parameters: { type: "object" }, hooks: ["pre_api_request"] };
  place.write(
    "~/.chibi/plugins/a",
    `#!/bin/sh\n[ "$1" = --schema ] && echo '${JSON.stringify(schema)}' && exit\necho '${JSON.stringify(answer)}'\n`,
    "x",
  );
});

afterEach(async () => {
  await server.close();
  place.remove();
});

async function run(api: string) {
  const base = api === "openai-completions" || api === "openai-responses" ? `${server.url}/v1` : server.url;
  const ran = await place.run(["--api", api, "--base-url", base, "--model", "test/m", "-p", "hello"], {
    env: { TEST_API_KEY: "k" },
  });
  const stats = JSON.parse((await place.run(["hooks", "stats", "--json"])).out);
  return { ran, body: server.requests[0]?.body, stats };
}

test("Anthropic's: every key has its place, and the unknown one is sent and named [chibi.edge.28]", async () => {
  const { ran, body, stats } = await run("anthropic-messages");
  expect(ran.code).toBe(0);
  expect(body).toMatchObject({
    temperature: 0.2,
    top_p: 0.5,
    stop_sequences: ["HALT"],
    tool_choice: { type: "none" },
    max_tokens: 55,
    x_custom: 7,
  });
  expect(body).not.toHaveProperty("stop");
  expect(ran.err).toMatch(/plugins\/a.*request_body\.x_custom.*sent unchanged, and the api "anthropic-messages"/);
  expect(ran.err).not.toContain("request_body.stop");
  expect(JSON.stringify(stats)).toContain('"edits":1');
});

test("the responses API has no stop: it is named, and the others arrive [chibi.edge.27]", async () => {
  const { ran, body } = await run("openai-responses");
  expect(ran.code).toBe(0);
  expect(body).toMatchObject({
    temperature: 0.2,
    top_p: 0.5,
    tool_choice: "none",
    max_output_tokens: 55,
    x_custom: 7,
  });
  expect(body).not.toHaveProperty("stop");
  expect(ran.err).toMatch(/plugins\/a.*request_body\.stop.*no effect.*"openai-responses" has no field for it/);
});

test("chat completions takes everything without a word", async () => {
  const { ran, body } = await run("openai-completions");
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(body).toMatchObject({ top_p: 0.5, stop: ["HALT"], tool_choice: "none", x_custom: 7 });
});
