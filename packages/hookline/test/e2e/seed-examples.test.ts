import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackReply, startLoopback } from "../support/loopback.ts";
import { fenced, has, seedsAreHere, unfenced } from "../support/seeds.ts";

/** The seeds' own examples, cut out of the documents and used as they are. */
describe.skipIf(!seedsAreHere)("the seeds' examples act, unmodified", () => {
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

  /** Runs one prompt against a real endpoint that answers so; gives the run and what the endpoint received. */
  async function ask(
    replies: readonly LoopbackReply[],
    args: readonly string[] = [],
    prompt = "go",
  ): Promise<{ ran: Ran; bodies: any[] }> {
    server = await startLoopback(replies);
    const ran = await place.run([
      "--api",
      "openai-completions",
      "--base-url",
      `${server.url}/v1`,
      "--model",
      "test/m",
      ...args,
      "-p",
      prompt,
    ]);
    return { ran, bodies: server.requests.map(({ body }) => body) };
  }

  const bash = (command: string): LoopbackReply => ({
    text: "",
    toolCalls: [{ name: "bash", arguments: { command } }],
  });
  const read = (path: string): LoopbackReply => ({ text: "", toolCalls: [{ name: "read", arguments: { path } }] });
  const done: LoopbackReply = { text: "done", repeat: true };
  const results = (body: any): string[] =>
    body.messages.filter((message: any) => message.role === "tool").map((message: any) => textOf(message.content));
  const textOf = (content: any): string =>
    typeof content === "string" ? content : content.map((part: any) => part.text).join("");
  const prompts = (body: any): string[] =>
    body.messages.filter((message: any) => message.role === "user").map((message: any) => textOf(message.content));

  describe("seed 000", () => {
    test("[omp.seed000.rm-rf-blocker] the rm -rf blocker refuses, and lets other commands run", async () => {
      place.write("~/.omp/agent/hooks/pre/rm-rf.ts", unfenced("000", "1. rm-rf blocker"));
      const { bodies } = await ask([bash("rm -rf /nothing-here"), bash("echo fine"), done]);
      expect(results(bodies[1])).toEqual(["rm -rf / blocked by safety policy"]);
      expect(results(bodies[2])[1]).toBe("fine\n");
    });

    test("[omp.seed000.redactor] the API-key redactor takes keys out of results", async () => {
      place.write("~/.omp/agent/hooks/post/redact.ts", unfenced("000", "2. API-key redactor"));
      place.write("keys.txt", "a sk-abcdefghijklmnopqrstuvwx b AKIAABCDEFGHIJKLMNOP c");
      const { bodies } = await ask([read("keys.txt"), done]);
      expect(results(bodies[1])[0]).toContain("a [REDACTED] b [REDACTED] c");
    });

    test("[omp.seed000.context-filter] the context filter loads, never matches, and the report says why", async () => {
      place.write("~/.omp/agent/hooks/pre/filter.ts", unfenced("000", "3. Context filter"));
      place.write("long.txt", "x".repeat(9000));
      const { ran, bodies } = await ask([read("long.txt"), done]);
      expect(ran.code).toBe(0);
      expect(results(bodies[1])[0]).not.toContain("truncated by context-filter");
      const listed = await place.run(["hooks", "list"]);
      expect(listed.out).toMatch(/filter\.ts/);
      expect(listed.out).toMatch(/role .*tool.*toolResult/);
    });
  });

  describe("seed 002", () => {
    const examples = (): string[] => fenced("002", "ts");

    test("[omp.seed002.block] unsafe bash is blocked without a screen", async () => {
      place.write("~/.omp/agent/hooks/pre/a.ts", examples()[1] as string);
      const { bodies } = await ask([bash("rm -rf x"), done]);
      expect(results(bodies[1])).toEqual(["rm -rf blocked (no UI)"]);
    });

    test("[omp.seed002.redact] tool output is redacted", async () => {
      place.write("~/.omp/agent/hooks/post/b.ts", examples()[2] as string);
      place.write("env.txt", "API_KEY=secret123 other");
      const { bodies } = await ask([read("env.txt"), done]);
      expect(results(bodies[1])[0]).toContain("API_KEY=[REDACTED] other");
    });

    test("[omp.seed002.context] debug messages are left out of each request", async () => {
      place.write("~/.omp/agent/hooks/pre/c.ts", examples()[3] as string);
      place.write(
        "~/.omp/agent/hooks/pre/d.ts",
        'export default (omp) => omp.on("before_agent_start", () => ({ message: { customType: "debug-only", content: "DEBUG", display: true } }));',
      );
      const { bodies } = await ask([done]);
      expect(JSON.stringify(bodies[0])).not.toContain("DEBUG");
    });

    test("[omp.seed002.command] the slash command begins a new session with its setup message", async () => {
      place.write("~/.omp/agent/hooks/pre/handoff.ts", examples()[4] as string);
      server = await startLoopback([done]);
      const ran = await place.run([
        "--api",
        "openai-completions",
        "--base-url",
        `${server.url}/v1`,
        "--model",
        "test/m",
        "-p",
        "/handoff",
        "go on",
      ]);
      expect(ran.code).toBe(0);
      expect(prompts(server.requests[0]?.body)).toEqual(["Continue from prior session summary.", "go on"]);
    });
  });

  describe("seed 003", () => {
    const python = has("python3");
    const scripts = (): string[] => fenced("003", "bash");

    test.skipIf(!python)("[jcli.example.3] example 3 stamps the prompt", async () => {
      const script = place.write("~/stamp.sh", scripts()[0] as string, "x");
      place.write("~/.jdata/agent/hooks.yaml", `pre_send_message:\n  - command: "bash ${script}"\n`);
      const { bodies } = await ask([done], [], "hello");
      expect(prompts(bodies[0])[0]).toMatch(/^\[\d\d:\d\d\] hello$/);
    });

    test.skipIf(!python)(
      "[jcli.example.3] a prompt with quotes breaks the script's JSON: the hook fails, the text goes as it was",
      async () => {
        const script = place.write("~/stamp.sh", scripts()[0] as string, "x");
        place.write("~/.jdata/agent/hooks.yaml", `pre_send_message:\n  - command: "bash ${script}"\n`);
        const { ran, bodies } = await ask([done], [], 'say "hi"');
        expect(prompts(bodies[0])).toEqual(['say "hi"']);
        expect(ran.err).toMatch(/hooks\.yaml:\d+ failed \(.+\); the prompt went on/);
      },
    );

    test.skipIf(!python)("[jcli.example.4] example 4 skips a dangerous command and no other", async () => {
      const script = place.write("~/guard.sh", scripts()[1] as string, "x");
      place.write("~/.jdata/agent/hooks.yaml", `pre_tool_execution:\n  - command: "bash ${script}"\n`);
      const { bodies } = await ask([bash("rm -rf x"), bash("echo fine"), done]);
      expect(results(bodies[1])[0]).toMatch(/skipped by hook/);
      expect(results(bodies[2])[1]).toBe("fine\n");
    });

    test("[jcli.config.3] the YAML examples load, and their LLM hooks judge through the endpoint", async () => {
      const [configuration, , , filtered] = fenced("003", "yaml");
      place.write("~/.jdata/agent/hooks.yaml", filtered ?? (configuration as string));
      server = await startLoopback((request) => {
        const said = JSON.stringify(request.body.messages);
        if (said.includes("审查工具调用")) return { text: said.includes("rm -rf") ? 'no: {"action":"skip"}' : "{}" };
        const tools = request.body.messages.filter((message: any) => message.role === "tool").length;
        return tools === 0 ? bash("rm -rf x") : done;
      });
      const ran = await place.run([
        "--api",
        "openai-completions",
        "--base-url",
        `${server.url}/v1`,
        "--model",
        "test/m",
        "-p",
        "go",
      ]);
      expect(ran.code).toBe(0);
      const last = server.requests.at(-1)?.body;
      expect(results(last)[0]).toMatch(/skipped by hook/);
      for (const example of fenced("003", "yaml")) {
        place.write("~/.jdata/agent/hooks.yaml", example);
        const { sources } = JSON.parse((await place.run(["hooks", "list", "--json"])).out);
        // The scripts that the examples name are not part of them: such a hook is listed as broken, and asked all the same.
        const odd = sources.filter(
          ({ dialect, state, reason }: any) =>
            dialect === "jcli" && state !== "runs" && !/^the (?:script|program) .* is /.test(reason),
        );
        expect(odd).toEqual([]);
      }
    });
  });

  describe.skipIf(!has("jq") || !has("python3"))("seed 004", () => {
    const plugin = (name: string): string => {
      const block = [...fenced("004", "bash"), ...fenced("004", "python")].find((text) =>
        text.includes(`plugins/${name}`),
      );
      if (block === undefined) throw new Error(`seed 004 has no plugin ${name}`);
      return block;
    };

    test("[chibi.seed004.logger] the logger logs the life of a run", async () => {
      place.write("~/.chibi/plugins/logger", plugin("logger"), "x");
      const { ran } = await ask([done]);
      expect(ran.code).toBe(0);
      const log = readFileSync(join(place.home, ".chibi/hook.log"), "utf8");
      for (const point of ["on_start", "pre_message", "post_message", "on_end"]) expect(log).toContain(point);
    });

    test("[chibi.seed004.context-injector] the prompt modifier puts the time before the prompt", async () => {
      place.write("~/.chibi/plugins/context_injector", plugin("context_injector"), "x");
      const { bodies } = await ask([done], [], "hello");
      expect(prompts(bodies[0])[0]).toMatch(/^\[\d{4}-\d\d-\d\dT[\d:.]+\]\nhello$/);
    });

    test("[chibi.seed004.safety-guard] the tool blocker blocks our shell under chibi's name", async () => {
      place.write("~/.chibi/plugins/safety_guard", plugin("safety_guard"), "x");
      place.write("x/keep.txt", "1");
      const { bodies } = await ask([bash("rm -rf x"), bash("echo fine"), done]);
      expect(results(bodies[1])).toEqual(["Blocked: rm -rf commands are not allowed"]);
      expect(results(bodies[2])[1]).toBe("fine\n");
      expect(existsSync(join(place.project, "x/keep.txt"))).toBe(true);
    });

    test("[chibi.seed004.tool-filter] the tool filter loads and leaves tools that it does not name", async () => {
      place.write("~/.chibi/plugins/tool_filter", plugin("tool_filter"), "x");
      const { bodies } = await ask([done]);
      const names = bodies[0].tools.map((tool: any) => tool.function.name);
      expect(names).toContain("bash");
      expect(names).not.toContain("file_head");
    });

    test("[chibi.seed004.temp-override] the temperature override leaves other contexts alone", async () => {
      place.write("~/.chibi/plugins/temp_override", plugin("temp_override"), "x");
      const { ran, bodies } = await ask([done]);
      expect(ran.code).toBe(0);
      expect(bodies[0].temperature).toBeUndefined();
    });
  });
});
