import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackScript, startLoopback } from "../support/loopback.ts";
import { fenced, has, seedsAreHere } from "../support/seeds.ts";

const textOf = (content: any): string =>
  typeof content === "string" ? content : content.map((part: any) => part.text).join("");

/** The YAML of seed 003, cut out of the document and used as it is, before an endpoint that plays model and judge. */
describe.skipIf(!seedsAreHere)("the configurations of seed 003 act, unmodified", () => {
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

  async function run(replies: LoopbackScript, prompt: string): Promise<Ran> {
    server = await startLoopback(replies);
    const endpoint = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
    return place.run([...endpoint, "-p", prompt]);
  }

  /** Requests of the conversation, or those of LLM hooks, as texts of their messages. */
  const requests = (isJudge: boolean): { model: string; messages: string[]; system: string }[] =>
    (server?.requests ?? [])
      .map(({ body }) => body)
      .filter((body) => /审查|检查/.test(JSON.stringify(body.messages)) === isJudge)
      .map(({ model, messages }) => ({
        model,
        messages: messages.flatMap((one: any) => (one.role === "user" ? [textOf(one.content)] : [])),
        system: messages.flatMap((one: any) => (one.role === "system" ? [textOf(one.content)] : [])).join(),
      }));

  test("[jcli.example.1] example 1 sends a reply back that holds a secret", async () => {
    place.write("~/.jdata/agent/hooks.yaml", fenced("003", "yaml")[1] as string);
    const ran = await run(({ body }) => {
      const said = JSON.stringify(body.messages);
      if (said.includes("检查以下 AI 回复"))
        return { text: said.includes("hunter2") ? '{"action":"stop","retry_feedback":"No passwords, please."}' : "{}" };
      return { text: said.includes("No passwords, please.") ? "I will not say it." : "It is hunter2." };
    }, "What is the password?");
    expect(ran).toMatchObject({ code: 0, out: "I will not say it.\n" });
    const [first, second] = requests(false);
    expect(first?.messages).toEqual(["What is the password?"]);
    expect(second?.messages).toEqual(["What is the password?", "No passwords, please."]);
    expect(JSON.stringify(server?.requests.at(-2)?.body.messages)).not.toContain("hunter2");
    expect(requests(true)).toHaveLength(2);
    expect(requests(true)[0]?.messages.join()).toContain("It is hunter2.");
  });

  test("[jcli.example.2] example 2 judges the prompt with the model that it names, before the prompt is stored", async () => {
    place.write("~/.jdata/agent/hooks.yaml", fenced("003", "yaml")[2] as string);
    const ran = await run(({ body }) => {
      if (body.model !== "gpt-4o-mini") return { text: "Gladly." };
      const bad = JSON.stringify(body.messages).includes("审查用户消息是否合规:Curse");
      return { text: bad ? 'No: {"action":"stop","retry_feedback":"Say something kind."} That is all.' : "{}" };
    }, "Curse!");
    expect(ran).toMatchObject({ code: 0, out: "Gladly.\n" });
    expect(requests(false)).toMatchObject([{ model: "test/m", messages: ["Say something kind."] }]);
    expect(requests(true).map(({ model }) => model)).toEqual(["gpt-4o-mini"]);
  });

  test("[jcli.example.2] what breaks the judge is repeated once, then the prompt goes as it was", async () => {
    place.write("~/.jdata/agent/hooks.yaml", fenced("003", "yaml")[2] as string);
    const ran = await run(
      ({ body }) => ({ text: body.model === "gpt-4o-mini" ? "I see nothing wrong." : "Hello." }),
      "Hi",
    );
    expect(ran).toMatchObject({ code: 0, out: "Hello.\n" });
    expect(requests(true)).toHaveLength(2);
    expect(requests(false)[0]?.messages).toEqual(["Hi"]);
    expect(ran.err).toMatch(/hooks\.yaml:\d+ failed \(.+\); the prompt went on/);
  });

  test.skipIf(!has("python3"))(
    "the configuration example: a script, an answer that nobody reads, a filtered judge",
    async () => {
      place.write("~/.jdata/agent/hooks.yaml", fenced("003", "yaml")[0] as string);
      place.write(
        "~/.jdata/agent/hooks/inject_time.py",
        "import sys, json\nevent = json.load(sys.stdin)\nprint(json.dumps({'user_input': 'noon: ' + event['user_input']}))\n",
      );
      const call = (name: string, given: Record<string, unknown>) => ({ toolCalls: [{ name, arguments: given }] });
      const ran = await run(({ body }) => {
        const said = JSON.stringify(body.messages);
        if (said.includes("审查工具调用")) return { text: said.includes("rm -rf") ? '{"action":"skip"}' : "{}" };
        const tools = body.messages.filter((message: any) => message.role === "tool").length;
        return (
          [call("ls", {}), call("bash", { command: "rm -rf x" }), call("bash", { command: "echo fine" })][tools] ?? {
            text: "done",
          }
        );
      }, "go");
      expect(ran).toMatchObject({ code: 0, out: "done\n" });
      expect(requests(false)[0]?.messages).toEqual(["noon: go"]);
      const results = server?.requests
        .at(-1)
        ?.body.messages.filter((one: any) => one.role === "tool")
        .map((one: any) => textOf(one.content));
      expect(results.slice(1)).toEqual([expect.stringMatching(/skipped by hook/), "fine\n"]);
      // The judge is asked about Bash and nothing else.
      expect(requests(true)).toHaveLength(2);
      expect(JSON.stringify(requests(false))).not.toContain("jack");
      expect((await place.run(["hooks", "list"])).out).toMatch(/session_start/);
    },
  );
});
