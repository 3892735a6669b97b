import { type Call, patchOf, TASK, type Target, type Way, type Ways } from "./acts.ts";

type Arguments = Readonly<Record<string, unknown>>;

const call =
  (name: string, args: (target: Target) => Arguments, namespace?: string): Way =>
  (target) => ({ name, arguments: args(target), ...(namespace !== undefined && { namespace }) });

/** Returns a shell command that creates a file. */
const making = ({ name, command = `echo made > ${name}` }: Target): string => command;
const task = ({ name }: Target): string => `${TASK} ${name}`;
/** Returns a name for a sub-agent of this target; `STARTED` is that of the one that was allowed to start. */
const agentOf = ({ name }: Pick<Target, "name">): string => name.replace(/\W/g, "_");
const STARTED = "allowed_spawn_txt";

const PATCHES = ["patch-add", "patch-change", "patch-move", "patch-move-to", "patch-delete"] as const;

/** Returns the calls for all acts of a tool that takes a patch. */
const patches = (patch: (text: string) => Call): Ways =>
  Object.fromEntries(PATCHES.map((act) => [act, ({ path }: Target) => patch(patchOf(act, path))]));

/** Returns the last match of a pattern in what was sent to the model. */
function lastOf(heard: string, pattern: RegExp): string {
  return [...heard.matchAll(pattern)].at(-1)?.[1] ?? "";
}

const shell = "exec sh";
const sessionIn = ({ heard }: Target): number => Number(lastOf(heard, /session ID (\d+)/g));

/** Returns the arguments that start a sub-agent with Codex's newer group of tools. */
const CODEX_TASK = (target: Target): Arguments => ({
  message: task(target),
  fork_turns: "none",
  task_name: agentOf(target),
});

/** Calls of Codex's tools. In code mode a script makes them (`nestedInCodex`). */
export const codex: Ways = {
  run: call("exec_command", (target) => ({ cmd: making(target) })),
  type: [
    call("exec_command", () => ({ cmd: shell, tty: true, yield_time_ms: 250 })),
    call("write_stdin", (target) => ({ session_id: sessionIn(target), chars: `${making(target)}; exit\n` })),
  ],
  ...patches((text) => ({ name: "apply_patch", text })),
  mcp: call("echo", ({ name }) => ({ text: name }), "mcp__rig"),
  spawn: [
    [call("spawn_agent", (target) => ({ message: task(target) }), "multi_agent_v1")],
    [call("spawn_agent", CODEX_TASK, "collaboration")],
  ],
  "spawn-more": [
    [
      call(
        "send_input",
        (target) => ({ target: lastOf(target.heard, /agent_id\\*":\\*"([\w-]+)/g), message: task(target) }),
        "multi_agent_v1",
      ),
    ],
    [call("followup_task", (target) => ({ target: STARTED, message: task(target) }), "collaboration")],
  ],
};

/** Wraps a call in a script for Codex's code mode. */
export function nestedInCodex({ name, namespace, arguments: args, text }: Call, { heard }: Target): Call {
  const tool = namespace === undefined ? name : `${namespace}__${name}`;
  const given = JSON.stringify(text ?? args);
  const wait = name === "write_stdin" ? given.replace('"session_id":0', `"session_id":${sessionOf(heard)}`) : given;
  return { name: "exec", namespace: "functions", text: `text(await tools.${tool}(${wait}))` };
}

function sessionOf(heard: string): string {
  return lastOf(heard, /session_id\\*":(\d+)/g) || "0";
}

/** Calls of Gemini CLI's tools. */
export const gemini: Ways = {
  run: call("run_shell_command", (target) => ({ command: making(target) })),
  write: call("write_file", ({ path }) => ({ file_path: path, content: "made\n" })),
  edit: call("replace", ({ path }) => ({
    file_path: path,
    instruction: "change it",
    old_string: "before",
    new_string: "after",
  })),
  read: call("read_file", ({ path }) => ({ file_path: path })),
  search: call("grep_search", ({ name }) => ({ pattern: `CONTENT-OF-.*${name}` })),
  // Gemini CLI has its model's service fetch pages, and refuses addresses of this machine. Nothing is fetched.
  fetch: call("web_fetch", ({ name }) => ({ prompt: `Sum up HTTP://1.1.1.1/pages/${name}` })),
  mcp: call("mcp_rig_echo", ({ name }) => ({ text: name })),
  spawn: call("invoke_agent", (target) => ({ agent_name: "generalist", prompt: task(target) })),
};

const qwenRead = call("read_file", ({ path }) => ({ file_path: path }));
const qwenTask =
  (inBackground: boolean) =>
  (target: Target): Arguments => ({
    description: "a task",
    prompt: task(target),
    subagent_type: "general-purpose",
    run_in_background: inBackground,
  });

/** Calls of Qwen Code's tools. Qwen changes only files that the model has read. */
export const qwen: Ways = {
  run: call("run_shell_command", (target) => ({ command: making(target), is_background: false })),
  write: call("write_file", ({ path }) => ({ file_path: path, content: "made\n" })),
  edit: [qwenRead, call("edit", ({ path }) => ({ file_path: path, old_string: "before", new_string: "after" }))],
  notebook: [
    qwenRead,
    call("notebook_edit", ({ path }) => ({ notebook_path: path, cell_id: "a", new_source: "after" })),
  ],
  read: qwenRead,
  search: call("grep_search", ({ name }) => ({ pattern: `CONTENT-OF-.*${name}` })),
  fetch: call("tool_call", ({ page }) => ({ name: "web_fetch", arguments: { url: page, prompt: "sum it up" } })),
  mcp: call("tool_call", ({ name }) => ({ name: "mcp__rig__echo", arguments: { text: name } })),
  spawn: call("agent", qwenTask(false)),
  "spawn-background": call("agent", qwenTask(true)),
  "spawn-more": call("tool_call", (target) => ({
    name: "send_message",
    arguments: { task_id: lastOf(target.heard, /task_id: ([\w-]+)/g), message: task(target) },
  })),
};

const copilotTask =
  (mode: "sync" | "background") =>
  (target: Target): Arguments => ({
    agent_type: "general-purpose",
    name: "helper",
    description: "a task",
    prompt: task(target),
    mode,
  });

/** Calls of Copilot CLI's tools. */
export const copilot: Ways = {
  run: call("bash", (target) => ({ command: making(target), description: "a step" })),
  write: call("create", ({ path }) => ({ path, file_text: "made\n" })),
  edit: call("edit", ({ path }) => ({ path, old_str: "before", new_str: "after" })),
  ...patches((text) => ({ name: "apply_patch", text })),
  read: call("view", ({ path }) => ({ path })),
  search: ["grep", "rg"].map((tool) => [
    call(tool, ({ name }) => ({ pattern: `CONTENT-OF-.*${name}`, output_mode: "content" })),
  ]),
  fetch: call("web_fetch", ({ page }) => ({ url: page })),
  mcp: call("rig-echo", ({ name }) => ({ text: name })),
  spawn: call("task", copilotTask("sync")),
  "spawn-background": call("task", copilotTask("background")),
  "spawn-more": call("write_agent", (target) => ({
    agent_id: lastOf(target.heard, /background with agent_id: ([\w-]+)/g),
    message: task(target),
  })),
};

const opencodeTask = (target: Target): Arguments => ({
  description: "a task",
  prompt: task(target),
  subagent_type: "general",
});

/** Calls of OpenCode's tools. */
export const opencode: Ways = {
  run: call("bash", (target) => ({ command: making(target), description: "a step" })),
  write: call("write", ({ path }) => ({ filePath: path, content: "made\n" })),
  edit: call("edit", ({ path }) => ({ filePath: path, oldString: "before", newString: "after" })),
  ...patches((patchText) => ({ name: "apply_patch", arguments: { patchText } })),
  read: call("read", ({ path }) => ({ filePath: path })),
  search: call("grep", ({ name }) => ({ pattern: `CONTENT-OF-.*${name}` })),
  fetch: call("webfetch", ({ page }) => ({ url: page, format: "text" })),
  mcp: call("rig_echo", ({ name }) => ({ text: name })),
  spawn: call("task", opencodeTask),
  "spawn-more": call("task", (target) => ({
    ...opencodeTask(target),
    task_id: lastOf(target.heard, /task id=\\*"(\w+)/g),
  })),
};

const piEdit = ({ path }: Target): Arguments => ({ path, edits: [{ oldText: "before", newText: "after" }] });

/** Calls of pi's tools; code mode is newer than pi 0.87. */
export const pi: Ways = {
  run: call("bash", (target) => ({ command: making(target) })),
  nested: call("codemode", (target) => ({ code: `return await tools.bash({ command: "${making(target)}" })` })),
  write: call("write", ({ path }) => ({ path, content: "made\n" })),
  edit: call("edit", piEdit),
  read: call("read", ({ path }) => ({ path })),
  mcp: call("codemode", ({ name }) => ({ code: `return await tools.mcp__rig__echo({ text: "${name}" })` })),
};

/** Makes an edit of oh-my-pi, which identifies a file by the tag that reading it returned. */
const lines =
  (operation: (target: Target) => string): Way =>
  (target) => {
    const tag = lastOf(target.heard, new RegExp(`\\[${target.name.replaceAll(".", "\\.")}#([0-9A-F]+)\\]`, "g"));
    return { name: "edit", arguments: { i: "edit", input: `[${target.name}#${tag}]\n${operation(target)}` } };
  };
const ompRead = call("read", ({ path }) => ({ i: "read", path }));

/** Calls of oh-my-pi's tools. */
export const omp: Ways = {
  run: call("bash", (target) => ({ i: "run", command: making(target) })),
  start: call("hub", (target) => ({
    i: "start",
    op: "start",
    name: agentOf(target),
    application: "sh",
    args: ["-c", making(target)],
  })),
  eval: call("eval", ({ name }) => ({
    language: "js",
    title: "a step",
    code: `require("node:fs").writeFileSync("${name}", "made")`,
  })),
  write: call("write", ({ path }) => ({ i: "write", path, content: "made\n" })),
  edit: [ompRead, lines(() => "PUT 1.=1:\n+after")],
  "edit-move": [ompRead, lines(({ name }) => `MV ${name}.moved`)],
  "edit-delete": [ompRead, lines(() => "REM")],
  read: ompRead,
  search: call("grep", ({ name }) => ({ i: "search", pattern: `CONTENT-OF-.*${name}`, path: "." })),
  fetch: call("read", ({ page }) => ({ i: "read", path: page })),
  "fetch-search": call("grep", ({ page }) => ({ i: "search", pattern: "ok", path: page })),
  // A tool of an MCP server is called by writing its arguments to a special path.
  mcp: call("write", ({ name }) => ({
    i: "echo",
    path: "xd://mcp__rig_echo",
    content: JSON.stringify({ text: name }),
  })),
  spawn: call("task", (target) => ({
    i: "start",
    context: "none",
    tasks: [{ name: agentOf(target), task: task(target) }],
  })),
  "spawn-code": call("eval", (target) => ({
    language: "js",
    title: "a step",
    code: `return await (await agent("${task(target)}")).wait()`,
  })),
  "spawn-more": call("hub", (target) => ({ i: "send", op: "send", to: STARTED, message: task(target) })),
};
