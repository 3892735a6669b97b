import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processesWith, token } from "../../../runtime/test/process/programs.ts";
import { Workplace } from "../support/cli.ts";
import { Sitting } from "../support/sitting.ts";
import { FIXTURE } from "./kit.ts";
import { everythingOverHttp, serverPath } from "./peers.ts";

/** The built program with MCP servers, as its users start it. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  // A wait ends as soon as every server is ready; on a busy machine that takes long.
  place.write("~/.hookline/settings.json", JSON.stringify({ "mcp.waitMs": 120_000, "mcp.startTimeoutMs": 120_000 }));
});

afterEach(() => place.remove());

/** A file of servers. */
function config(servers: Readonly<Record<string, object>>): string {
  return JSON.stringify({ mcpServers: servers }, null, 2);
}

function own(mode = "good", mark = ""): object {
  return { command: process.execPath, args: [FIXTURE, mode, mark] };
}

/** A model that makes these calls, then speaks. */
function script(...calls: readonly string[]): void {
  place.write("s.yaml", `replies:\n  - toolCalls: [${calls.join(", ")}]\n  - text: done\n`);
}

interface Result {
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Runs the script without a person, and gives the results of its calls. */
async function go(...args: readonly string[]) {
  const ran = await place.run(["--mode", "json", "--script", "s.yaml", ...args, "go"]);
  const results = ran.out
    .split("\n")
    .filter((line) => line.startsWith('{"type":"message_end"') && line.includes('"toolResult"'))
    .map((line): Result => {
      const { message } = JSON.parse(line) as {
        message: { toolName: string; isError: boolean; content: { type: string; text?: string }[] };
      };
      const text = message.content.map((block) => block.text ?? `<${block.type}>`).join("");
      return { toolName: message.toolName, text, isError: message.isError };
    });
  return { ...ran, results };
}

const ECHO = "{ name: mcp__one__echo, arguments: { text: secret } }";

describe("real servers", () => {
  test.skipIf(serverPath("everything") === undefined)(
    "work over both transports, including the file server",
    async () => {
      await using http = await everythingOverHttp();
      place.write("data/a.txt", "in the file\n");
      place.write(
        "~/.hookline/mcp.json",
        config({
          std: { command: process.execPath, args: [serverPath("everything")] },
          http: { type: "http", url: http.url },
          files: { command: process.execPath, args: [serverPath("filesystem"), join(place.project, "data")] },
        }),
      );
      script(
        "{ name: mcp__std__get-sum, arguments: { a: 2, b: 3 } }",
        "{ name: mcp__http__get-sum, arguments: { a: 20, b: 30 } }",
        "{ name: mcp__std__get-tiny-image, arguments: {} }",
        `{ name: mcp__files__read_text_file, arguments: { path: ${join(place.project, "data/a.txt")} } }`,
        "{ name: mcp__files__read_text_file, arguments: { path: /etc/hostname } }",
      );
      const { results, code } = await go();
      expect(code).toBe(0);
      expect(results.map(({ text, isError }) => [text.slice(0, 60), isError])).toEqual([
        [expect.stringContaining("5"), false],
        [expect.stringContaining("50"), false],
        [expect.stringContaining("<image>"), false],
        ["in the file\n", false],
        [expect.stringContaining("denied"), true],
      ]);
    },
  );
});

const MODULE = `export default (api) => {
  api.on("tool_call", (event) => (event.toolName === "mcp__one__echo" ? { block: true, reason: "not that one" } : undefined));
};\n`;
const JCLI = `pre_tool_execution:
  - command: echo '{"action":"skip","retry_feedback":"not that one"}'
    filter: { tool_name: mcp__one__echo }
`;
const CHIBI = `#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name":"guard","description":"no","parameters":{"type":"object","properties":{}},"hooks":["pre_tool"]}'
elif printf %s "$CHIBI_HOOK_DATA" | grep -q '"tool_name":"mcp__one__echo"'; then
  echo '{"block":true,"message":"not that one"}'
fi
`;
const CLAUDE = JSON.stringify({
  hooks: {
    PreToolUse: [{ matcher: "mcp__one__.*", hooks: [{ type: "command", command: "echo not that one >&2; exit 2" }] }],
  },
});

describe("guards", () => {
  test.each<[string, string, string, "x"?]>([
    ["pi", "~/.pi/agent/extensions/g.ts", MODULE],
    ["omp", "~/.omp/agent/hooks/pre/g.ts", MODULE],
    ["j-cli", "~/.jdata/agent/hooks.yaml", JCLI],
    ["chibi", "~/.chibi/plugins/guard", CHIBI, "x"],
    ["Claude's settings", "~/.claude/settings.json", CLAUDE],
  ])("of %s refuse a server's tool", async (_, path, text, mode) => {
    place.write(path, text, mode);
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    script(ECHO);
    const { results } = await go();
    expect(results).toMatchObject([{ toolName: "mcp__one__echo", isError: true }]);
    expect(results[0]?.text).toContain("not that one");
  });

  test("redact a server's results, and change what it is sent", async () => {
    place.write(
      "~/.pi/agent/extensions/r.ts",
      `export default (pi) => {
  pi.on("tool_call", (event) => { event.input.text = "changed"; });
  pi.on("tool_result", (event) => ({ content: event.content.map((c) => ({ ...c, text: c.text.replace("echo", "****") })) }));
};\n`,
    );
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    script(ECHO);
    const { results } = await go();
    expect(results).toMatchObject([{ text: '**** {"text":"changed"}', isError: false }]);
  });

  test("also refuse on the screen", async () => {
    const files = { "~/.claude/settings.json": CLAUDE, "~/.hookline/mcp.json": config({ one: own() }) };
    const call = { name: "mcp__one__echo", arguments: { text: "secret" } };
    await using sitting = await Sitting.start({ files, replies: [{ toolCalls: [call] }, { text: "All done." }] });
    sitting.say("/one:greet Ann");
    await sitting.terminal.until(/not that one/);
    await sitting.terminal.until(/All done/);
  });
});

describe("a project's servers", () => {
  test("start only once they are approved, and again only while unchanged", async () => {
    place.write("made.sh", `touch started\nexec ${process.execPath} ${FIXTURE} good\n`);
    place.write(".mcp.json", config({ one: { command: "sh", args: ["made.sh"], env: { T: `$\{TOKEN:-none}` } } }));
    script("{ name: mcp__one__env, arguments: {} }");
    const before = await go();
    expect(before.results).toMatchObject([{ text: "Tool mcp__one__env not found", isError: true }]);
    expect(before.err).toContain("1 mcp waits for approval");
    const review = await place.run(["trust", "approve", "--yes"]);
    expect(review.out).toMatch(/starts its program[\s\S]*"variables": \[\s*"TOKEN"\s*\][\s\S]*touch started/);
    expect(existsSync(join(place.project, "started"))).toBe(false);
    const after = await place.run(["--mode", "json", "--script", "s.yaml", "go"], {
      env: { TOKEN: "tok", ANTHROPIC_API_KEY: "key", SECRET: "s" },
    });
    expect(after.out).toContain('\\"T\\":\\"tok\\"');
    expect(after.out).not.toMatch(/ANTHROPIC_API_KEY|SECRET/);
    place.write("made.sh", "touch changed\n");
    await go();
    expect(existsSync(join(place.project, "changed"))).toBe(false);
  });

  test("are listed with their state; a broken entry affects no other, and a dead server is named", async () => {
    place.write("~/.hookline/mcp.json", config({ good: own(), bad: { command: 1 }, dead: own("gone") }));
    const listed = await place.run(["mcp", "list"]);
    expect(listed.out).toMatch(/good +ready +16 tools.*\n {2}mcp__good__\w+, mcp__good__/);
    expect(listed.out).toMatch(/dead +failed .*exit code 3/);
    expect(listed.out).toMatch(/bad.*command must be text/);
    expect(listed.code).toBe(1);
    const json = JSON.parse((await place.run(["mcp", "list", "--json"])).out) as { servers: object[] };
    expect(json.servers).toHaveLength(3);
    const doctor = await place.run(["doctor"]);
    expect(doctor.out).toMatch(/BROKEN +MCP servers +dead: it ended with exit code 3/);
  });
});

describe("what servers ask and tell", () => {
  test("a question without a person is declined; a hook may answer it, and see the answer", async () => {
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    script("{ name: mcp__one__ask, arguments: {} }");
    expect((await go()).results[0]?.text).toBe('{"action":"decline"}');
    const answer = (name: string, content: object): string =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: name, action: "accept", content } });
    place.write("a.json", answer("Elicitation", { name: "Ann", size: "small", sure: true }));
    place.write("b.json", answer("ElicitationResult", { name: "Bob", size: "small", sure: true }));
    const cat = (file: string): object[] => [{ hooks: [{ type: "command", command: `tee -a seen < ${file}` }] }];
    place.write(
      "~/.claude/settings.json",
      JSON.stringify({ hooks: { Elicitation: cat("a.json"), ElicitationResult: cat("b.json") } }),
    );
    expect(JSON.parse((await go()).results[0]?.text ?? "")).toMatchObject({
      action: "accept",
      content: { name: "Bob", age: 7 },
    });
  });

  test("notifications and changes reach omp's and pi's modules, in order", async () => {
    const log = (event: string, pick: string): string =>
      `import { appendFileSync } from "node:fs";\nexport default (api) => api.on("${event}", (e) => appendFileSync("${event}", JSON.stringify(${pick}) + "\\n"));\n`;
    place.write("~/.omp/agent/hooks/pre/n.ts", log("mcp_notification", "[e.server, e.params.data]"));
    place.write("~/.pi/agent/extensions/c.ts", log("mcp_servers_change", "e.servers"));
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    script("{ name: mcp__one__notify, arguments: {} }");
    await go();
    const lines = (name: string): unknown[] =>
      readFileSync(join(place.project, name), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
    expect(lines("mcp_notification")).toEqual([
      ["one", 0],
      ["one", 1],
      ["one", 2],
    ]);
    expect(lines("mcp_servers_change").at(-1)).toMatchObject([{ name: "one", state: "ready" }]);
  });

  test("a handler of type mcp_tool calls a server, and its text is read like stdout [claude.case.101]", async () => {
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    const handler = { type: "mcp_tool", server: "one", tool: "decide", input: { path: `$\{tool_input.file_path}` } };
    place.write(
      "~/.claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Read", hooks: [handler] }] } }),
    );
    place.write("a.txt", "open\n");
    place.write("secret.txt", "closed\n");
    script("{ name: read, arguments: { path: a.txt } }", "{ name: read, arguments: { path: secret.txt } }");
    const { results } = await go();
    expect(results.map(({ text, isError }) => [text, isError])).toEqual([
      ["open\n", false],
      [expect.stringMatching(/secret\.txt is not to be read/), true],
    ]);
    const stats = await place.run(["hooks", "stats"]);
    expect(stats.out).toContain("PreToolUse");
  });

  test("a person's handler of type mcp_tool calls no server of the project", async () => {
    const calls = join(place.top, "calls");
    place.write(".mcp.json", config({ one: { ...own(), env: { CALLS: calls } } }));
    const handler = { type: "mcp_tool", server: "one", tool: "decide", input: { path: "secret" } };
    const hooks = { PreToolUse: [{ matcher: "Read", hooks: [handler] }] };
    place.write("~/.claude/settings.json", JSON.stringify({ hooks }));
    place.write("a.txt", "open\n");
    script("{ name: read, arguments: { path: a.txt } }", "{ name: mcp__one__notify, arguments: {} }");
    const { results, err } = await go("--trust-project");
    expect(err).toContain("belongs to the project, and the person's own hooks do not call it");
    expect(results.at(-1)).toMatchObject({ text: "told", isError: false });
    expect(readFileSync(calls, "utf8")).toBe("notify\n");
    // A project's handler may call it.
    place.write(".claude/settings.json", JSON.stringify({ hooks }));
    place.write("~/.claude/settings.json", "{}");
    expect((await go("--trust-project")).results[0]?.text).toContain("secret is not to be read");
  });

  test("a server's prompt is called by its name, and hooks are told of it", async () => {
    place.write("~/.hookline/mcp.json", config({ one: own() }));
    place.write("s.yaml", "replies:\n  - text: done\n");
    const hook = { type: "command", command: "cat > seen.json" };
    place.write("~/.claude/settings.json", JSON.stringify({ hooks: { UserPromptExpansion: [{ hooks: [hook] }] } }));
    const ran = await place.run(["--mode", "json", "--script", "s.yaml", "/one:greet Ann"]);
    expect(ran.out).toContain('"text":"Greet Ann."');
    expect(JSON.parse(readFileSync(join(place.project, "seen.json"), "utf8"))).toMatchObject({
      expansion_type: "mcp_prompt",
      command_name: "one:greet",
      command_source: "one",
    });
  });
});

/** Holds calls until the server `one` is ready. */
const READY = `const { promise: ready, resolve } = Promise.withResolvers();
export default (pi) => {
  pi.on("mcp_servers_change", ({ servers }) => {
    if (servers.some(({ name, state }) => name === "one" && state === "ready")) resolve();
  });
  pi.on("tool_call", () => ready);
};
`;

test("no server outlives the program, however it ends", async () => {
  const mark = token();
  place.write("~/.hookline/mcp.json", config({ one: own("good", mark), deaf: own("deaf", mark) }));
  place.write("~/.hookline/settings.json", JSON.stringify({ "mcp.waitMs": 300 }));
  place.write("~/.pi/agent/extensions/ready.ts", READY);
  const calls = ["{ name: bash, arguments: { command: 'true' } }", "{ name: mcp__one__hang, arguments: {} }"];
  place.write("s.yaml", `replies:\n${calls.map((call) => `  - toolCalls: [${call}]\n`).join("")}  - text: done\n`);
  const running = place.start(["--mode", "json", "--script", "s.yaml", "go"]);
  await running.says('"toolName":"mcp__one__hang"');
  expect(processesWith(mark).length).toBeGreaterThan(1);
  running.kill("SIGTERM");
  expect(await running.code).toBe(143);
  expect(processesWith(mark)).toEqual([]);
});
