import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackScript, startLoopback } from "../support/loopback.ts";
import { has } from "../support/seeds.ts";

/** Hooks of all four dialects in one agent, through the command line and a real endpoint. */
describe("hooks of all dialects", () => {
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

  async function ask(script: LoopbackScript, prompts: readonly string[]): Promise<{ ran: Ran; bodies: any[] }> {
    server = await startLoopback(script);
    const endpoint = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
    const ran = await place.run([...endpoint, "-p", ...prompts]);
    return { ran, bodies: server.requests.map(({ body }) => body) };
  }

  const textOf = (content: any): string =>
    typeof content === "string" ? content : content.map((part: any) => part.text).join("");
  const prompts = (body: any): string[] =>
    body.messages.filter((message: any) => message.role === "user").map((message: any) => textOf(message.content));
  const plugin = (name: string, hooks: readonly string[], body: string): void => {
    const schema = JSON.stringify({ name, description: "A plugin", hooks });
    place.write(
      `~/.chibi/plugins/${name}`,
      `#!/bin/bash\nif [[ "$1" == "--schema" ]]; then echo '${schema}'; exit 0; fi\n${body}\n`,
      "x",
    );
  };

  test("[together.cap.1] ask for five retries at most, together, and then the reply is kept", async () => {
    const yaml = ["stop:", "  - command: |", "      cat > /dev/null; echo x >> $HOME/asked"];
    yaml.push('      [ $(($(wc -l < $HOME/asked) % 2)) = 1 ] && echo \'{"retry_feedback":"from jcli"}\' || echo "{}"');
    place.write("~/.jdata/agent/hooks.yaml", `${yaml.join("\n")}\n`);
    place.write(
      "~/.omp/agent/extensions/more.ts",
      `let n = 0;
export default (omp) => omp.on("session_stop", () => (n++ % 2 === 1 ? { continue: true, additionalContext: "from omp" } : undefined));
`,
    );
    const { ran, bodies } = await ask([{ text: "done", repeat: true }], ["go"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toBe("done\n");
    expect(bodies).toHaveLength(6);
    expect(prompts(bodies[5])).toEqual(["go", "from jcli", "from omp", "from jcli", "from omp", "from jcli"]);
    expect(ran.err).toContain("Hooks asked for 6 retries in this turn; the limit is 5, so no more are granted");
  });

  test("[together.stop.1] feedback of two dialects at once is one retry with both texts", async () => {
    place.write(
      "~/.jdata/agent/hooks.yaml",
      `stop:\n  - command: |\n      cat > /dev/null; [ -e $HOME/once ] && echo "{}" || { touch $HOME/once; echo '{"retry_feedback":"run the tests"}'; }\n`,
    );
    place.write(
      "~/.omp/agent/extensions/more.ts",
      `let n = 0;
export default (omp) => omp.on("session_stop", () => (n++ === 0 ? { continue: true, additionalContext: "write the docs" } : undefined));
`,
    );
    const { bodies } = await ask([{ text: "done", repeat: true }], ["go"]);
    expect(bodies).toHaveLength(2);
    expect(prompts(bodies[1])).toHaveLength(2);
    expect(prompts(bodies[1])[1]).toMatch(/^run the tests\s+write the docs$/);
  });

  const stamps = (version: string): string =>
    `pre_send_message:\n  - command: 'cat > /dev/null; echo "{\\"user_input\\":\\"jcli ${version}\\"}"'\n`;

  test.skipIf(!has("jq"))(
    "[together.reload.1] are loaded anew; the old ones of the one that changed are gone, the others stay",
    async () => {
      const hooks = place.write("~/.jdata/agent/hooks.yaml", stamps("1"));
      place.write("~/next.yaml", stamps("2"));
      plugin("stamp", ["pre_message"], `jq -c '{prompt: (.prompt + " > chibi")}' <<< "$CHIBI_HOOK_DATA"`);
      place.write(
        "~/.omp/agent/hooks/pre/stamp.ts",
        'export default (omp) => omp.on("before_agent_start", () => ({ message: { customType: "s", content: "omp", display: true } }));',
      );
      place.write(
        "~/.pi/agent/extensions/stamp.ts",
        'export default (pi) => pi.on("context", ({ messages }) => ({ messages: messages.map((m) => m.role === "user" ? { ...m, content: JSON.parse(JSON.stringify(m.content).replace(/chibi(?! > pi)/, "chibi > pi")) } : m) }));',
      );
      const { ran, bodies } = await ask(
        [{ text: "done", repeat: true }],
        ["one", `!!cp $HOME/next.yaml ${hooks}`, "/reload", "two"],
      );
      expect(ran.code).toBe(0);
      expect(prompts(bodies[0])).toEqual(["jcli 1 > chibi > pi", "omp"]);
      expect(prompts(bodies[1])).toEqual(["jcli 1 > chibi > pi", "omp", "jcli 2 > chibi > pi", "omp"]);
    },
  );

  test.skipIf(!has("jq"))(
    "[together.load.1] run although others cannot be loaded, and those are named with their places",
    async () => {
      place.write("~/.jdata/agent/hooks.yaml", `${stamps("1")}pre_tool_execution:\n  - typ: nonsense\n`);
      plugin("stamp", ["pre_message"], `jq -c '{prompt: (.prompt + " > chibi")}' <<< "$CHIBI_HOOK_DATA"`);
      place.write("~/.chibi/plugins/broken", "#!/bin/bash\nexit 3\n", "x");
      place.write("~/.omp/agent/hooks/pre/broken.ts", "export default (omp => {");
      place.write("~/.pi/agent/extensions/broken.ts", 'throw new Error("boom");');
      place.write(
        "~/.pi/agent/extensions/good.ts",
        'export default (pi) => pi.on("input", ({ text }) => ({ action: "transform", text: text + "!" }));',
      );
      const { ran, bodies } = await ask([{ text: "done", repeat: true }], ["--allow-broken-hooks", "go"]);
      expect(ran.code).toBe(0);
      expect(prompts(bodies[0])).toEqual(["jcli 1 > chibi"]);
      const { sources } = JSON.parse((await place.run(["hooks", "list", "--json"])).out);
      const broken = sources
        .filter(({ state }: any) => state === "broken")
        .map(({ dialect, path }: any) => [dialect, path]);
      const home = place.home;
      expect(broken).toEqual(
        expect.arrayContaining([
          ["chibi", `${home}/.chibi/plugins/broken`],
          ["omp", `${home}/.omp/agent/hooks/pre/broken.ts`],
          ["pi", `${home}/.pi/agent/extensions/broken.ts`],
        ]),
      );
      expect(
        sources
          .filter(({ state }: any) => state === "runs")
          .map(({ dialect }: any) => dialect)
          .sort(),
      ).toEqual(["chibi", "jcli", "pi"]);
    },
  );
});
