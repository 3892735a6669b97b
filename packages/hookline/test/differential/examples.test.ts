import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { expectAlike, runApart } from "./compare.ts";
import { example, exampleFolder, exampleNames, LACKING } from "./examples.ts";
import { type Case, type Observed, observe } from "./observe.ts";
import { describeWithPeer, IS_NEWER } from "./peer.ts";
import { hookline } from "./programs.ts";

declare const note: (...values: unknown[]) => void;

const call = (name: string, args: Readonly<Record<string, unknown>>, id = "t1") => ({
  toolCalls: [{ name, id, arguments: args }],
});
const done = { text: "all done here" };

/** The results of tools as the model got them, and whether they were errors in the session. */
function results({ entries }: Observed): [string, boolean][] {
  return entries
    .filter(({ message }) => message?.role === "toolResult")
    .map(({ message }) => [message.content.map(({ text }: any) => text).join(""), message.isError]);
}

function lastPrompt({ requests }: Observed): string {
  const { content } = requests.at(-1).messages.findLast(({ role }: any) => role === "user");
  return typeof content === "string" ? content : content.map(({ text }: any) => text).join("");
}

function git(folder: string, ...args: readonly string[]): void {
  const own = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"];
  execFileSync("git", [...own, ...args], { cwd: folder, stdio: "ignore" });
}

const tool = async (name: string, replies: Case["replies"], more: Partial<Case> = {}, named: readonly string[] = []) =>
  (await expectAlike({ prompts: ["go"], extensions: [name], replies, ...more }, named)).hookline;

describeWithPeer("pi's examples", () => {
  // For the newest release, newest-examples.test.ts holds the result of each example.
  test.runIf(!IS_NEWER)("every one loads, or lacks a package", async () => {
    const place = new Workplace();
    const given = exampleNames().flatMap((name) => ["-e", join(exampleFolder(""), name)]);
    const { sources, diagnostics } = JSON.parse((await place.run(["hooks", "list", "--json", ...given])).out);
    place.remove();
    const failed = diagnostics.filter(({ code }: any) => code === "LOAD_FAILED").map(({ message }: any) => message);
    expect(failed).toHaveLength(Object.keys(LACKING).length);
    for (const [name, lacks] of Object.entries(LACKING))
      expect(failed.some((message: string) => message.includes(`${name}/`) && message.includes(`"${lacks}"`))).toBe(
        true,
      );
    expect(diagnostics.filter(({ code }: any) => code === "MISSING_EXPORT")).toEqual([]);
    expect(sources.filter(({ state }: any) => state === "runs")).toHaveLength(given.length / 2 - failed.length);
  });

  test("auto-commit-on-exit commits what is left", async () => {
    const ran = await tool(example("auto-commit-on-exit"), [done], {
      extensions: [
        example("auto-commit-on-exit"),
        (pi: any) =>
          pi.on("session_shutdown", async () => note((await pi.exec("git", ["log", "-1", "--format=%s"])).stdout)),
      ],
      files: { "a.txt": "a" },
      prepare(project) {
        git(project, "init");
        for (const [key, value] of [
          ["user.name", "n"],
          ["user.email", "e@x"],
        ] as const)
          git(project, "config", key, value);
      },
    });
    expect(ran.notes).toEqual([["[pi] all done here\n"]]);
  });

  test("bash-spawn-hook sets a variable for every command", async () => {
    const ran = await tool(example("bash-spawn-hook"), [call("bash", { command: "echo $PI_SPAWN_HOOK" }), done], {
      files: { "~/.profile": "" },
    });
    expect(results(ran)).toEqual([["1\n", false]]);
  });

  test("built-in-tool-renderer and minimal-mode leave the tools as they are", async () => {
    for (const name of ["built-in-tool-renderer", "minimal-mode"]) {
      const ran = await tool(example(name), [call("bash", { command: "echo hi" }), done]);
      expect(results(ran)).toEqual([["hi\n", false]]);
    }
  });

  test("claude-rules lists the project's rules in the system prompt", async () => {
    const ran = await tool(example("claude-rules"), [done], { files: { ".claude/rules/[[a]].md": "A" } }, [
      "effectivePrompt",
    ]);
    expect(ran.requests[0].messages[0].content).toContain("- .claude/rules/[[a]].md");
  });

  test("dynamic-resources brings a skill and a template", async () => {
    const ran = await tool(exampleFolder("dynamic-resources"), [done], { prompts: ["/dynamic"] });
    expect(ran.requests[0].messages[0].content).toContain("dynamic-resources");
    expect(lastPrompt(ran)).not.toBe("/dynamic");
  });

  test("dynamic-tools offers tools that a command has added", async () => {
    const ran = await tool(
      example("dynamic-tools"),
      [call("my_echo", { message: "yo" }), call("echo_session", { message: "hey" }, "t2"), done],
      { prompts: ["/add-echo-tool my_echo", "go"] },
    );
    expect(results(ran).map(([text]) => text)).toEqual(["[my_echo] yo", "[session] hey"]);
  });

  test("git-checkpoint notes the state of each turn", async () => {
    const ran = await tool(example("git-checkpoint"), [call("bash", { command: "echo b > a.txt" }), done], {
      files: { "a.txt": "a" },
      prepare(project) {
        git(project, "init");
        git(project, "add", "-A");
        git(project, "commit", "-m", "first");
      },
      results: ["a.txt"],
    });
    expect(ran.results).toEqual({ "a.txt": "b\n" });
  });

  test("git-merge-and-resolve tells the model of conflicts", async () => {
    const ran = await tool(
      example("git-merge-and-resolve"),
      [
        done,
        call("bash", {
          command:
            "git checkout --ours a.txt && git add a.txt && git -c user.name=n -c user.email=e@x commit -qm merged",
        }),
        done,
      ],
      {
        files: { "a.txt": "one\n" },
        prepare(project) {
          git(project, "init");
          git(project, "add", "a.txt");
          git(project, "commit", "-m", "first");
          git(project, "checkout", "-b", "other");
          writeFileSync(join(project, "a.txt"), "other\n");
          git(project, "commit", "-am", "other");
          git(project, "checkout", "main");
          writeFileSync(join(project, "a.txt"), "mine\n");
          git(project, "commit", "-am", "mine");
          try {
            git(project, "merge", "other");
          } catch {
            // It ends in the conflict that is wanted.
          }
        },
      },
    );
    expect(JSON.stringify(ran.requests.map(({ messages }) => messages))).toContain("a.txt:1-5 (ours 2, theirs 4)");
  });

  test("hello answers", async () => {
    expect(results(await tool(example("hello"), [call("hello", { name: "Bob" }), done]))).toEqual([
      ["Hello, Bob!", false],
    ]);
  });

  test("inline-bash runs what is in the text", async () => {
    expect(lastPrompt(await tool(example("inline-bash"), [done], { prompts: ["v is !{echo hi}"] }))).toBe("v is hi");
  });

  test("input-transform rewrites one text and answers another itself", async () => {
    const ran = await tool(example("input-transform"), [done], { prompts: ["?quick what", "ping"] });
    expect(lastPrompt(ran)).toBe("Respond briefly in 1-2 sentences: what");
    expect(ran.requests).toHaveLength(1);
  });

  test("notify writes to the terminal beside the answer", async () => {
    const { pi, hookline } = await expectAlike({ prompts: ["go"], extensions: [example("notify")], replies: [done] });
    for (const { err } of [pi, hookline]) expect(err).toContain("\u001b]777;notify;Pi;Ready for input\u0007");
  });

  test("permission-gate refuses dangerous commands where nobody can be asked", async () => {
    const ran = await tool(example("permission-gate"), [call("bash", { command: "rm -rf zzz" }), done]);
    expect(results(ran)).toEqual([["Dangerous command blocked (no UI for confirmation)", true]]);
  });

  test("plan-mode keeps commands from changing anything", async () => {
    const ran = await tool(
      exampleFolder("plan-mode"),
      [call("bash", { command: "rm x" }), call("bash", { command: "ls" }, "t2"), done],
      { args: ["--plan"], files: { "a.txt": "" } },
      ["toolsOfBranch"],
    );
    const [refused, listed] = results(ran);
    expect(refused?.[0]).toContain("Plan mode: command blocked (not allowlisted)");
    expect(listed).toEqual(["a.txt\n", false]);
  });

  test("pirate changes the prompt once it is switched on", async () => {
    const ran = await tool(example("pirate"), [done, done], { prompts: ["plain", "/pirate", "arr"] }, [
      "effectivePrompt",
    ]);
    const [plain, pirate] = ran.requests.map(({ messages }) => messages[0].content);
    expect(plain).not.toContain("PIRATE MODE");
    expect(pirate).toContain("PIRATE MODE");
  });

  test("preset takes model, tools and instructions from the command line's flag", async () => {
    const ran = await tool(
      example("preset"),
      [done],
      {
        args: ["--preset", "look"],
        models: [{ id: "m2" }],
        files: {
          ".pi/presets.json": JSON.stringify({
            look: { provider: "loop", model: "m2", tools: ["read"], instructions: "[[only look]]" },
          }),
        },
      },
      ["effectivePrompt", "toolsOfBranch"],
    );
    const [request] = ran.requests;
    expect(request.model).toBe("m2");
    expect(request.tools.map(({ function: { name } }: any) => name)).toEqual(["read"]);
    expect(request.messages[0].content).toContain("[[only look]]");
  });

  test("prompt-customizer adds a section about the tools that are there", async () => {
    const ran = await tool(example("prompt-customizer"), [done]);
    expect(ran.requests[0].messages[0].content).toContain("<tool_guidance>\n- Use `read` for file contents");
  });

  test("protected-paths keeps files from being written", async () => {
    const ran = await tool(example("protected-paths"), [call("write", { path: ".env", content: "x" }), done], {
      results: [".env"],
    });
    expect(results(ran)).toEqual([['Path ".env" is protected', true]]);
    expect(ran.results).toEqual({ ".env": undefined });
  });

  test("provider-payload writes down what is sent, where there is a folder for it", async () => {
    const ran = await tool(example("provider-payload"), [done], { files: { ".pi/x": "" }, record: false });
    expect(ran.code).toBe(0);
    const without = await tool(example("provider-payload"), [done], { record: false });
    expect(without.err).toContain("ENOENT");
  });

  test("question and questionnaire say that nobody can be asked", async () => {
    const options = [{ label: "a", value: "a" }];
    const one = await tool(example("question"), [call("question", { question: "?", options }), done]);
    const many = await tool(example("questionnaire"), [
      call("questionnaire", { questions: [{ id: "q", label: "Q", prompt: "?", options }] }),
      done,
    ]);
    for (const ran of [one, many])
      expect(results(ran)).toEqual([["Error: UI not available (running in non-interactive mode)", false]]);
  });

  test("reload-runtime loads everything again by its command, and its tool's text goes to the model", async () => {
    await tool(example("reload-runtime"), [done], { prompts: ["/reload-runtime", "go"] });
    const given = {
      prompts: ["go"],
      extensions: [example("reload-runtime")],
      replies: [call("reload_runtime", {}), done, done],
    };
    const { pi, hookline } = await (IS_NEWER ? runApart(given, "commandsOfTexts") : expectAlike(given));
    expect(lastPrompt(hookline)).toBe("/reload-runtime");
    if (IS_NEWER) expect(pi.events.filter(({ event }) => event.type === "session_start")).toHaveLength(2);
  });

  test("shutdown-command ends after the reply", async () => {
    const ran = await tool(example("shutdown-command"), [call("finish_and_exit", {}), done]);
    expect(results(ran)).toEqual([["Shutdown requested. Exiting after this response.", false]]);
  });

  test("ssh without its flag leaves the tools local", async () => {
    const ran = await tool(
      example("ssh"),
      [call("bash", { command: "echo local" }), call("read", { path: "a" }, "t2"), done],
      {
        files: { a: "text\n" },
      },
    );
    expect(results(ran).map(([text]) => text)).toEqual(["local\n", "text\n"]);
  });

  test("structured-output ends the run with its result", async () => {
    const ran = await tool(example("structured-output"), [
      call("structured_output", { headline: "H", summary: "S", actionItems: ["a"] }),
    ]);
    expect(results(ran)).toEqual([["Saved structured output: H", false]]);
    expect(ran.requests).toHaveLength(1);
  });

  test("subagent runs the same program again and reads what it says", async () => {
    const ran = await observe(hookline, {
      prompts: ["go"],
      extensions: [exampleFolder("subagent/index.ts")],
      replies: [call("subagent", { agent: "scout", task: "look" }), { text: "seen" }, done],
      files: { "~/.pi/agent/agents/scout.md": "---\nname: scout\ndescription: looks\n---\n[[look around]]\n" },
      record: false,
    });
    expect(results(ran)).toEqual([["seen", false]]);
    const [, inner] = ran.requests;
    expect(inner.messages[0].content).toContain("[[look around]]");
    expect(JSON.stringify(inner.messages)).toContain("Task: look");
  });

  test("tic-tac-toe plays the moves of one reply in their order", async () => {
    const play = (action: string, id: string) => ({ name: "tic_tac_toe", id, arguments: { action } });
    const ran = await tool(example("tic-tac-toe"), [
      { toolCalls: [play("move_right", "t1"), play("move_down", "t2"), play("play", "t3")] },
      done,
    ]);
    expect(results(ran)).toHaveLength(3);
  });

  test("todo keeps its list in the results", async () => {
    const ran = await tool(example("todo"), [
      call("todo", { action: "add", text: "one" }),
      call("todo", { action: "list" }, "t2"),
      done,
    ]);
    expect(results(ran).map(([text]) => text)).toEqual(["Added todo #1: one", "[ ] #1: one"]);
  });

  test("tool-override refuses to read secrets and writes down what was read", async () => {
    const ran = await tool(
      example("tool-override"),
      [call("read", { path: ".env" }), call("read", { path: "a" }, "t2"), done],
      { files: { ".env": "S=1", a: "text\n" } },
    );
    const [[denied, isError], [text]] = results(ran) as [[string, boolean], [string, boolean]];
    expect([denied.startsWith("Access denied: "), isError, text]).toEqual([true, false, "text\n"]);
  });

  test("truncated-tool fails where its program is absent", async () => {
    const ran = await tool(example("truncated-tool"), [call("rg", { pattern: "x" }), done], {
      env: { PATH: "/nowhere" },
    });
    expect(results(ran)[0]?.[0]).toContain("ripgrep failed");
    expect(results(ran)[0]?.[1]).toBe(true);
  });

  test("with-deps uses a package of its own folder", async () => {
    const ran = await tool(exampleFolder("with-deps"), [call("parse_duration", { duration: "2 days" }), done]);
    expect(results(ran)).toEqual([["2 days = 172800000 milliseconds", false]]);
  });
});
