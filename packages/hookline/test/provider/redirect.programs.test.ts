import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../../ground/src/error/version.ts";
import { APIS } from "../../src/provider/pi-ai.ts";
import { Workplace } from "../support/cli.ts";

/** The built program's clients, one for each API, against servers that send requests elsewhere or repeat what they got. */

const SECRETS = ["key-0123456789abcdef", "first-header-secret", "second-header-secret"];

let place: Workplace;
let servers: Server[] = [];

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
  place.remove();
});

interface Heard {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
}

async function serve(answer: (heard: Heard, nth: number) => { status: number; location?: string; body?: string }) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { status, location, body } = answer(request as Heard, heard.push(request as Heard));
      response.writeHead(status, {
        "content-type": "application/json",
        ...(location !== undefined && { location }),
      });
      response.end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function models(api: string, baseUrl: string): void {
  const headers = { "X-First": SECRETS[1] };
  const model = {
    id: "m",
    name: "m",
    headers: { "X-Second": `Token ${SECRETS[2]}` },
    contextWindow: 1000,
    maxTokens: 100,
  };
  const provider = { api, baseUrl, apiKey: SECRETS[0], headers, models: [model] };
  place.write("~/.hookline/models.json", JSON.stringify({ providers: { own: provider } }));
}

/** Everything that a run wrote to its streams, trace, session and state. */
async function everything(...flags: string[]) {
  const args = ["--model", "own/m", "--trace", "trace.jsonl", "--trace-payloads", ...flags, "-p", "hello"];
  const ran = await place.run(args);
  const sessions = join(place.home, ".hookline");
  const files = readdirSync(sessions, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "models.json")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  return {
    ran,
    text: [ran.out, ran.err, ...files, readFileSync(join(place.project, "trace.jsonl"), "utf8")].join("\n"),
  };
}

describe.each(APIS.map((api) => [api]))("%s", (api) => {
  test.each([302, 307])(
    "a redirect to another origin by %i is not followed, and the error says where it led",
    async (status) => {
      const elsewhere = await serve(() => ({ status: 200, body: "{}" }));
      const own = await serve(() => ({ status, location: `${elsewhere.url}/taken` }));
      models(api, own.url);
      const { ran } = await everything();
      expect(own.heard.length).toBeGreaterThan(0);
      expect(elsewhere.heard).toEqual([]);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain(`${own.url} redirects to ${elsewhere.url}`);
    },
  );

  test("a redirect within the origin is followed with the key", async () => {
    const own = await serve((_, nth) =>
      nth === 1 ? { status: 307, location: "/moved" } : { status: 400, body: '{"error":{"message":"seen"}}' },
    );
    models(api, own.url);
    const { ran } = await everything();
    expect(own.heard.map(({ url }) => url).slice(0, 2)).toEqual([expect.not.stringContaining("/moved"), "/moved"]);
    expect(own.heard[1]?.headers).toMatchObject({ "x-first": SECRETS[1] });
    expect(JSON.stringify(own.heard[1]?.headers)).toContain(SECRETS[0]);
    expect(ran.err).toContain("seen");
  });

  test("a server that repeats key and headers in its error tells nobody about them", async () => {
    const own = await serve(({ headers }) => {
      const message = `refused: ${JSON.stringify(headers)}`;
      return { status: 401, body: JSON.stringify({ type: "error", error: { type: "authentication_error", message } }) };
    });
    models(api, own.url);
    place.write(
      "~/.pi/agent/extensions/seen.ts",
      `export default (pi) => pi.on("before_provider_headers", (event) => { throw new Error("headers: " + JSON.stringify(event.headers)); });`,
    );
    for (const mode of ["text", "json"]) {
      const { ran, text } = await everything("--mode", mode);
      expect(ran.code).toBe(1);
      expect(text).toContain("refused: ");
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
  });
});

test("a client over RPC is shown models without their headers", async () => {
  models("openai-completions", "http://127.0.0.1:9");
  const stdin = `${JSON.stringify({ type: "get_state" })}\n${JSON.stringify({ type: "get_available_models" })}\n`;
  const ran = await place.run(["--mode", "rpc", "--model", "own/m"], { stdin });
  expect(ran.out).toContain('"id":"m"');
  for (const secret of SECRETS) expect(ran.out).not.toContain(secret);
});

test.each(APIS.map((api) => [api]))("a request over %s names the agent, and no other program", async (api) => {
  const own = await serve(() => ({ status: 400, body: '{"error":{"message":"seen"}}' }));
  models(api, own.url);
  await everything();
  const [request] = own.heard;
  expect(request?.headers["user-agent"]).toBe(`hookline/${VERSION}`);
  expect(JSON.stringify(request?.headers)).not.toMatch(/stainless|openai|claude-cli|sdk|genai|pi-coding|\bpi\//i);
});

test("a key of another program's sign-in is refused, and nothing is sent", async () => {
  const own = await serve(() => ({ status: 400 }));
  models("anthropic-messages", own.url);
  const path = "~/.hookline/models.json";
  const text = readFileSync(join(place.home, path.slice(2)), "utf8");
  place.write(path, text.replace(SECRETS[0] as string, "sk-ant-oat01-0123456789"));
  const { ran } = await everything();
  expect(ran.code).toBe(1);
  expect(ran.err).toContain("belongs to the sign-in of another program");
  expect(own.heard).toEqual([]);
});
