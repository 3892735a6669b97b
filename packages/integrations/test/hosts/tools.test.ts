import { type AgentTool, namesIn } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { describe, expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { readRule } from "../../src/claude/hooks/rule.ts";
import { claudeTools } from "../../src/claude/tools.ts";
import { HOSTS } from "../../src/hosts.ts";
import { group, opened, settings } from "../claude/kit.ts";
import { argsOf, ENVELOPES, neededNames, PATCH } from "./agent-calls.ts";
import { hooksOf } from "./host-hooks.ts";

interface Payload {
  readonly tool: string;
  readonly toolCallId: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Asks a session's hooks about a call in a host; gives whether it was refused, and the host's words. */
async function ask(session: HookSession, name: string, tool: string, given: unknown) {
  const host = await (HOSTS[name] as () => Promise<import("../../../bridge/src/host/host.ts").BridgeHost>)();
  const [native = "", payload] = ENVELOPES[name] ?? [];
  const event = host.events[native];
  const call = event?.read(payload?.(tool, given), {});
  if (event === undefined || call === undefined) throw new Error(`no event ${native}`);
  const told: string[] = [];
  const hooks = { ...hooksOf(session), tell: (line: string) => void told.push(line) };
  try {
    const { stdout } = await event.ask(call, hooks);
    return { refused: /"(?:deny|block)"|"block":true|"refuse"/.test(stdout), stdout, told };
  } catch {
    // The daemon refuses what throws.
    return { refused: true, stdout: "", told };
  }
}

/** A session without hooks, to which a test adds its own. */
async function bare(): Promise<HookSession> {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  return runtime.open({ scene: { sessionId: "s", cwd: "/p" } });
}

async function toolsOf(name: string): Promise<readonly (readonly [string, AgentTool])[]> {
  return Object.entries((await HOSTS[name]?.())?.tools.tools ?? {});
}

const HOST_NAMES = Object.keys(HOSTS);
const NOTEBOOK = { oldText: "", newText: "b" };

describe("a call of a host's tool", () => {
  test.each(HOST_NAMES)("in %s is allowed exactly when the guard allows", async (name) => {
    let cells = 0;
    const wrong: unknown[] = [];
    for (const [tool, entry] of await toolsOf(name)) {
      const full = argsOf(entry);
      for (const isAllowed of [true, false]) {
        const session = await bare();
        session.on("tool.before", () => (isAllowed ? undefined : { decision: "deny", reason: "no" }));
        const { refused } = await ask(session, name, tool, full);
        cells += 1;
        if (refused === isAllowed) wrong.push([tool, isAllowed]);
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(2 * (await toolsOf(name)).length);
  });

  test.each(HOST_NAMES)("in %s is refused where a guard listens and lacks what the guard would judge", async (name) => {
    const guarded = await bare();
    guarded.on("tool.before", () => undefined);
    const free = await bare();
    const wrong: unknown[] = [];
    for (const [tool, entry] of await toolsOf(name)) {
      const full = argsOf(entry);
      const needed = neededNames(entry).filter(([, [own = ""]]) => Object.hasOwn(full, own));
      const broken = needed.flatMap(([, [own = ""]]): unknown[] => {
        const { [own]: value, ...others } = full;
        return [
          others,
          { ...others, otherwise: value },
          ...[7, null, { value }].map((one) => ({ ...others, [own]: one })),
        ];
      });
      const whole = needed.length === 0 ? [] : [undefined, null, {}, { input: full }, [full], 7];
      const text = needed.length === 0 || entry.kind === "patches" || name === "copilot" ? [] : [JSON.stringify(full)];
      for (const given of [...broken, ...whole, ...text]) {
        // A patch is one in whatever field it comes.
        if (entry.kind === "patches" && JSON.stringify(given ?? "").includes("Begin Patch") && !Array.isArray(given))
          continue;
        if (!(await ask(guarded, name, tool, given)).refused) wrong.push([tool, given]);
        if ((await ask(free, name, tool, given)).refused) wrong.push([tool, given, "without a guard"]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("the names of a tool", () => {
  const shown = (tool: string): string =>
    Object.entries(claudeTools.tools).find(([, entry]) => entry.tool === tool)?.[0] ?? tool;
  const kindOf = (one: string): string | undefined =>
    Object.hasOwn(claudeTools.tools, one) ? claudeTools.tools[one]?.kind : undefined;
  const isWide = (rule: string, one: string): boolean =>
    rule === "Edit" ? kindOf(one) === "writes" : ["reads", "searches"].includes(kindOf(one) ?? "");
  const isAgent = (one: string): boolean => one === "Agent" || one === "Task";

  test.each(HOST_NAMES)(
    "in %s start a hook, refuse and ask under each, and allow under the shown one",
    async (name) => {
      const tools = await toolsOf(name);
      const host = await HOSTS[name]?.();
      const pairs = tools.flatMap(([own, entry]) => [
        own,
        ...(entry.tool === undefined ? [] : [entry.tool, shown(entry.tool)]),
        ...(entry.aliases ?? []),
      ]);
      const names = [...new Set([...pairs, "Write", "Edit", "Nothing"])];
      const started = new Map<string, { readonly event: string; readonly by: Set<string> }>();
      const everStarted = new Set<string>();
      const groups = names.flatMap((one) => [
        group({ type: "prompt", prompt: `matcher ${one}\n$ARGUMENTS` }, one),
        group({ type: "prompt", prompt: `if ${one}\n$ARGUMENTS`, if: one }),
      ]);
      const all = group({ type: "prompt", prompt: "all\n$ARGUMENTS" });
      const complete = async ({ prompt }: { readonly prompt: string }) => {
        const [by = "", ...rest] = prompt.split("\n");
        const event = rest.join("\n");
        const known = started.get(event) ?? { event, by: new Set<string>() };
        known.by.add(by);
        everStarted.add(by);
        started.set(event, known);
        return { ok: true as const, text: '{"ok": true}' };
      };
      await using hooks = await opened(
        { "home/.claude/settings.json": settings({ PreToolUse: [all, ...groups] }) },
        { services: { llm: { complete } } },
      );
      // A matcher that is a mistake in Claude Code's words, such as "bash", is listed as never matching, and starts nothing.
      const filters = new Set(hooks.session.hooks().map(({ hook }) => hook.filter));
      const isListed = (one: string): boolean => filters.has(`tool_name: ${one}`) || filters.has(`tool_name: /${one}/`);
      let cells = 0;
      const wrong: unknown[] = [];
      const check = (cell: unknown, is: boolean, should: boolean): void => {
        cells += 1;
        if (is !== should) wrong.push({ cell, is, should });
      };
      for (const [own, entry] of tools) {
        started.clear();
        await ask(hooks.session, name, own, argsOf(entry));
        expect([own, started.size]).not.toEqual([own, 0]);
        for (const { event, by } of started.values()) {
          const told = JSON.parse(event) as { tool_name: string; tool_aliases: string[]; tool_input: object };
          const tool = entry.kind === "patches" ? told.tool_name : shown(entry.tool ?? own);
          // A call that another one implies has only its own tool's name.
          if (entry.implies !== undefined && told.tool_name !== tool) continue;
          expect(told.tool_name).toBe(tool);
          const has = new Set([tool, own, ...(entry.aliases ?? [])]);
          for (const one of names) {
            const isNamed = has.has(one);
            check([own, "matcher", one], by.has(`matcher ${one}`), isNamed && isListed(one));
            const [asAgent, asWide] = [isAgent(one) && [...has].some(isAgent), one === "Edit" || one === "Read"];
            const read = readRule(one, "if");
            if (read.ok) check([own, "if", one], by.has(`if ${one}`), isNamed || asAgent);
            for (const use of ["deny", "ask", "allow"] as const) {
              const rule = readRule(one, use);
              if (!rule.ok) continue;
              const held =
                rule.rule.holds(told as never, { cwd: "/p", folder: "/p", home: NO_HOME } as never) !== false;
              const compared = use === "allow" ? [tool] : [...has];
              const is = asWide ? compared.some((each) => isWide(one, each)) : compared.includes(one);
              check([own, use, one], held, is || (isAgent(one) && compared.some(isAgent)));
            }
          }
        }
      }
      expect(wrong).toEqual([]);
      const listed = namesIn(host?.tools as never, false);
      for (const { hook } of hooks.session.hooks()) {
        if (hook.fits === undefined) continue;
        const runs = listed.some(({ tool, aliases = [] }) => hook.fits?.(tool, aliases));
        const one = names.find((each) => [`tool_name: ${each}`, `tool_name: /${each}/`].includes(hook.filter ?? ""));
        if (one !== undefined) check(["listed", one], runs, everStarted.has(`matcher ${one}`));
      }
      expect(wrong).toEqual([]);
      expect(cells).toBeGreaterThan(2 * names.length * tools.length);
    },
  );
});

describe("a patch", () => {
  const CARRIERS: readonly (readonly [string, string, (patch: string) => unknown])[] = [
    ["codex", "apply_patch", (command) => ({ command })],
    ["codex", "apply_patch", (input) => ({ input })],
    ["codex", "toolsapply_patch", (command) => ({ command })],
    ["codex", "Bash", (patch) => ({ command: `apply_patch <<'EOF'\n${patch}\nEOF` })],
    ["copilot", "apply_patch", (patch) => patch],
    ["copilot", "apply_patch", (patch) => JSON.stringify({ input: patch })],
    ["copilot", "apply_patch", (patch) => JSON.stringify(patch)],
    ["opencode", "apply_patch", (patchText) => ({ patchText })],
    ["omp", "edit", (input) => ({ input })],
    ["gemini", "new_patcher", (diff) => ({ diff })],
    ["claude", "apply_patch", (patch) => patch],
  ];

  test.each(CARRIERS)("of %s's %s is judged file by file (%#)", async (name, tool, carry) => {
    const session = await bare();
    const asked: Payload[] = [];
    session.on("tool.before", (payload) => void asked.push(payload as Payload));
    expect((await ask(session, name, tool, carry(PATCH))).refused).toBe(false);
    const parts = asked.filter(({ toolCallId }) => toolCallId.includes("#"));
    expect(parts.map(({ toolCallId }) => toolCallId.replace(/^.*#/, "#"))).toEqual(["#1", "#2", "#3", "#4", "#5"]);
    expect(parts.map(({ tool: one, args }) => [one, args["path"], args["content"] ?? args["edits"]])).toEqual([
      ["write", "added.txt", "one\n"],
      ["edit", "changed.txt", [{ oldText: "keep\nold", newText: "keep\nnew" }]],
      ["write", "gone.txt", ""],
      ["write", "from.txt", ""],
      ["write", "to.txt", "b"],
    ]);
  });

  test.each(CARRIERS)(
    "of %s's %s is refused with one file, and when a hook rewrites one (%#)",
    async (name, tool, carry) => {
      const refusing = await bare();
      refusing.on("tool.before", ({ args }) =>
        args["path"] === "to.txt" ? { decision: "deny", reason: "not to.txt" } : undefined,
      );
      const { stdout } = await ask(refusing, name, tool, carry(PATCH));
      expect(stdout).toContain("not to.txt");
      const rewriting = await bare();
      rewriting.on("tool.before", ({ args }) =>
        args["path"] === "to.txt" ? { args: { ...args, content: "other" } } : undefined,
      );
      const rewritten = await ask(rewriting, name, tool, carry(PATCH));
      expect([rewritten.refused, rewritten.stdout]).toEqual([true, expect.stringContaining("cannot be rewritten")]);
    },
  );

  test("that leads out of the project is shown with the path that it has, from the folder that a command goes to", async () => {
    const session = await bare();
    const paths: unknown[] = [];
    session.on("tool.before", ({ tool, args }) => void (tool !== "bash" && paths.push(args["path"])));
    const patch = "*** Begin Patch\n*** Add File: ../../etc/x\n+x\n*** Delete File: /etc/y\n*** End Patch";
    await ask(session, "copilot", "apply_patch", patch);
    await ask(session, "codex", "Bash", { command: `cd "a b" && apply_patch <<'EOF'\n${patch}\nEOF` });
    expect(paths).toEqual(["../../etc/x", "/etc/y", "a b/../../etc/x", "/etc/y"]);
  });

  test.each(CARRIERS.filter(([, tool]) => tool === "apply_patch"))(
    "of %s's %s that cannot be read is refused where a guard listens, and passes where none does (%#)",
    async (name, tool, carry) => {
      const guarded = await bare();
      guarded.on("tool.before", () => undefined);
      const free = await bare();
      for (const text of [
        "",
        "no patch",
        PATCH.replace("*** End Patch", ""),
        PATCH.replace("+one", "one"),
        PATCH.replace("-old", "?old"),
        PATCH.replace("*** Begin Patch", "*** Begin"),
        `${PATCH}\n*** Add File: behind.txt\n+x`,
      ]) {
        expect([text, (await ask(guarded, name, tool, carry(text))).refused]).toEqual([text, true]);
        expect([text, (await ask(free, name, tool, carry(text))).refused]).toEqual([text, false]);
      }
    },
  );
});

test("a patch is applied in the folders that its command goes to, or refused if they are not certain", async () => {
  const session = await bare();
  const paths: unknown[] = [];
  session.on("tool.before", ({ tool, args }) => void (tool !== "bash" && paths.push(args["path"])));
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\nEOF";
  const folders = ["cd a && cd 'b c' && ", "cd a; cd /b;\n/usr/bin/", "cd a && cd .. && ", "mkdir -p a && cd a; ls; "];
  for (const before of folders) await ask(session, "codex", "Bash", { command: `${before}${patch}` });
  await ask(session, "opencode", "bash", { command: `cd b && ${patch}`, workdir: "/a" });
  expect(paths).toEqual(["a/b c/x", "/b/x", "a/../x", "a/x", "/a/b/x"]);
  for (const before of [
    "pushd a && ",
    "cd a || true; ",
    "cd $A && ",
    "(cd a) && ",
    "cd ~ && ",
    "eval b; cd a; ",
    "if true; then cd a; fi; ",
  ]) {
    const { refused, stdout } = await ask(session, "codex", "Bash", { command: `${before}${patch}` });
    expect([before, refused, stdout]).toEqual([before, true, expect.stringContaining("its folder is not certain")]);
  }
});

describe("a guard is asked what a call does, whatever the call looks like:", () => {
  test.each([
    ["codex", "local_exec", { command: "rm x" }, "bash", { command: "rm x" }],
    ["codex", "thread_wait", { path: "x" }, "write", { path: "x" }],
    ["opencode", "run_command", { cmd: "rm x" }, "bash", { command: "rm x" }],
    ["copilot", "write_bash", { shellId: "1", input: "rm x" }, "bash", { command: "rm x" }],
    ["omp", "hub", { op: "start", application: "bash", args: "-c rm" }, "bash", { command: "bash '-c rm'" }],
    ["gemini", "read_many_files", { include: ["x"] }, "read", { path: "x" }],
    ["copilot", "grep", { pattern: "a", paths: ["x"] }, "grep", { pattern: "a", path: "x" }],
    ["omp", "edit", { input: "a", paths: ["x"] }, "edit", { input: "a", path: "x" }],
    ["gemini", "edit_all", { file_paths: ["x"] }, "write", { file_paths: ["x"], path: "x" }],
    ["claude", "NotebookEdit", { notebook_path: "x", new_source: "b" }, "edit", { path: "x", edits: [NOTEBOOK] }],
    ["qwen", "notebook_edit", { notebook_path: "x", new_source: "b" }, "edit", { path: "x", edits: [NOTEBOOK] }],
    [
      "gemini",
      "web_fetch",
      { url: "http://x", prompt: "of http://y" },
      "fetch",
      { url: "http://x", prompt: "of http://y" },
    ],
  ])("%s %s %j as %s", async (name, own, given, tool, args) => {
    const session = await bare();
    const asked: unknown[] = [];
    session.on("tool.before", (call) => void asked.push([call.tool, call.args]));
    expect((await ask(session, name, own, given)).refused).toBe(false);
    expect(asked).toContainEqual([tool, args]);
  });

  test("a rewritten path goes back into the list that the agent sent", async () => {
    const session = await bare();
    session.on("tool.before", ({ args }) => ({ args: { ...args, path: "y" } }));
    const { stdout } = await ask(session, "gemini", "read_many_files", { include: ["x"] });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { tool_input: { include: ["y"] } } });
  });
});

test.each(HOST_NAMES)("a tool that %s is not known to have is judged by its arguments, and told once", async (name) => {
  const session = await bare();
  const asked: unknown[] = [];
  session.on("tool.before", ({ tool, args, aliases }) => void asked.push([tool, args, aliases]));
  const tool = "brandnew";
  expect((await ask(session, name, tool, { cmd: "rm x", z: 1 })).told).toHaveLength(1);
  await ask(session, name, tool, { filePath: "a.txt", content: "b" });
  await ask(session, name, tool, { z: 1 });
  expect(asked).toEqual([
    ["bash", { command: "rm x", z: 1 }, [tool]],
    ["write", { path: "a.txt", content: "b" }, [tool]],
    [tool, { z: 1 }, [tool]],
  ]);
});

describe("a call that is not as a host would write it", () => {
  test.each(HOST_NAMES)("in %s is refused where a guard listens, if its tool has no name", async (name) => {
    const session = await bare();
    session.on("tool.before", () => undefined);
    for (const tool of ["", 7, null, {}, ["Bash"], undefined])
      expect([tool, (await ask(session, name, tool as string, {})).refused]).toEqual([tool, true]);
  });

  test.each(HOST_NAMES)("in %s is judged however large it is", async (name) => {
    const session = await bare();
    session.on("tool.before", ({ args }) =>
      JSON.stringify(args).includes("at the end") ? { decision: "deny", reason: "no" } : undefined,
    );
    const lines = "+a line of a patch\n*** Begin Patch\n".repeat(100_000);
    const [tool = "", entry] =
      (await toolsOf(name)).find(([, one]) => one.kind === "writes") ??
      (await toolsOf(name)).find(([, one]) => one.kind === "patches") ??
      [];
    const full = argsOf(entry as AgentTool);
    const grow = (value: string): string =>
      value === PATCH ? value.replace("+one", `+one\n${lines}+at the end`) : `${value}${lines}at the end`;
    const grown = Object.fromEntries(
      Object.entries(full).map(([key, value]) => [key, typeof value === "string" ? grow(value) : value]),
    );
    expect((await ask(session, name, tool, grown)).refused).toBe(true);
  });
});

test.each(HOST_NAMES)(
  "every tool by which %s starts a sub-agent or gives it work is asked about, and refused",
  async (name) => {
    const session = await bare();
    const prompts: string[] = [];
    let tasks = 0;
    session.on("tool.before", ({ tool }) => void (tool === "task" && tasks++));
    session.on("agent.spawn", ({ prompt }) => {
      prompts.push(prompt);
      return { cancel: true, reason: "no sub-agents" };
    });
    const starting = (await toolsOf(name)).filter(([, { starts }]) => starts !== undefined);
    // Codex puts a namespace in front of the names.
    const named = starting.flatMap(([tool, entry]) =>
      (name === "codex" ? ["", "collaboration", "multi_agent_v1"] : [""]).map(
        (space) => [`${space}${tool}`, entry] as const,
      ),
    );
    for (const [tool, { starts = { prompt: "", type: "", otherwise: "" } }] of named) {
      const one = { [starts.prompt]: `of ${tool}` };
      const { refused, stdout } = await ask(
        session,
        name,
        tool,
        "list" in starts ? { [starts.list ?? ""]: [one] } : one,
      );
      expect([tool, refused, stdout]).toEqual([tool, true, expect.stringContaining("no sub-agents")]);
    }
    expect(prompts).toEqual(named.map(([tool]) => `of ${tool}`));
    // Guards in the words of Claude Code know no moment but the call of a tool.
    expect(tasks).toBe(named.length);
  },
);

const FETCHES: readonly (readonly [host: string, tool: string, args: object, urls: readonly string[]])[] = [
  ["omp", "read", { path: "https://a.test/x" }, ["https://a.test/x"]],
  ["omp", "read", { path: "www.a.test:raw" }, ["https://www.a.test:raw"]],
  ["omp", "read", { path: "https://a.test/x;y" }, ["https://a.test/x;y", "https://a.test/x"]],
  ["omp", "read", { path: "src/www.a.test" }, []],
  ["omp", "grep", { pattern: "x", path: "HTTP:/a.test/x" }, ["HTTP://a.test/x"]],
  [
    "omp",
    "grep",
    { pattern: "x", path: "a, https://a.test/x,y;www.b.test" },
    ["https://a.test/x,y", "https://www.b.test"],
  ],
  [
    "gemini",
    "web_fetch",
    { prompt: "see HTTP://a.test/(x) and https://b.test/'y" },
    ["HTTP://a.test/(x)", "https://b.test/'y"],
  ],
];

test.each(FETCHES)("the addresses in %s's %s of %j are judged as fetches", async (name, tool, args, urls) => {
  const session = await bare();
  const asked: unknown[] = [];
  session.on("tool.before", (call) => {
    if (call.tool === "fetch") asked.push(call.args["url"]);
    return { decision: call.args["url"] === urls.at(-1) && call.tool === "fetch" ? "deny" : undefined };
  });
  expect([(await ask(session, name, tool, args)).refused, asked]).toEqual([urls.length > 0, urls]);
});
