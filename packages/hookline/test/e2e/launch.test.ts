import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { type Loopback, startLoopback } from "../support/loopback.ts";

// Tells when a run ends what of Node itself it has loaded.
const LOADED = `import { writeFileSync } from "node:fs";
export default (pi) => pi.on("agent_end", () => writeFileSync("loaded.json", JSON.stringify(process.moduleLoadList)));
`;

describe.each([
  ["openai-completions", "/v1"],
  ["openai-responses", "/v1"],
  ["anthropic-messages", ""],
])("a launch that asks over %s", (api, path) => {
  let place: Workplace;
  let server: Loopback;

  beforeEach(async () => {
    place = new Workplace();
    place.write("~/.pi/agent/extensions/loaded.ts", LOADED);
    server = await startLoopback([{ text: "Here I am.", repeat: true }]);
  });

  afterEach(async () => {
    await server.close();
    place.remove();
  });

  const run = (env: Readonly<Record<string, string>>) =>
    place.run(["--api", api, "--base-url", server.url + path, "--model", "test/m", "-p", "Are you there?"], { env });

  test("says the same without a cache, with an empty one and with a full one", async () => {
    const cache = join(place.top, "cache");
    const kept = () =>
      readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((file) => /hookline-\w+$/.test(file));
    for (const env of [
      { NODE_DISABLE_COMPILE_CACHE: "1" },
      { NODE_COMPILE_CACHE: cache },
      { NODE_COMPILE_CACHE: cache },
    ])
      expect(await run(env)).toEqual({ code: 0, out: "Here I am.\n", err: "" });
    expect(kept().length).toBeGreaterThan(0);
    const bodies = server.requests.map(({ body }) => ({ ...body, prompt_cache_key: "" }));
    expect(bodies).toHaveLength(3);
    for (const body of bodies) expect(JSON.stringify(body).length).toBe(JSON.stringify(bodies[0]).length);
  });

  test("does not load Node's second HTTP client", async () => {
    expect(await run({})).toMatchObject({ code: 0 });
    const loaded: string[] = JSON.parse(readFileSync(join(place.project, "loaded.json"), "utf8"));
    expect(loaded).toContain("NativeModule http");
    expect(loaded.filter((name) => /undici/.test(name))).toEqual([]);
  });
});
