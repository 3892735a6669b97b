import { createHookRuntime } from "@hookline/runtime/session";
import { expect, onTestFinished, test } from "vitest";
import { HOSTS, type HostName } from "../../src/hosts.ts";
import { hooksOf } from "./host-hooks.ts";

type Args = unknown;
const claude = (tool_name: string) => (tool_input: Args) => ({ session_id: "s", tool_name, tool_input });
const extension = (toolName: string) => (input: Args) => ({ session: "s", event: { toolName, input } });

type Write = readonly [event: string, call: (args: Args) => object, path: string];

/** Per host: its event, a call of its tool that writes a file, and the arguments of one, with the path first. */
const WRITES: Readonly<Record<string, Write>> = {
  claude: ["PreToolUse", claude("Write"), "file_path"],
  codex: ["PreToolUse", claude("Write"), "path"],
  copilot: ["preToolUse", (toolArgs) => ({ sessionId: "s", toolName: "create", toolArgs }), "path"],
  cursor: ["preToolUse", claude("Write"), "path"],
  gemini: ["BeforeTool", claude("write_file"), "file_path"],
  omp: ["tool_call", extension("write"), "path"],
  opencode: [
    "tool.execute.before",
    (args) => ({ session: "s", event: { input: { tool: "write" }, output: { args } } }),
    "filePath",
  ],
  pi: ["tool_call", extension("write"), "path"],
  qwen: ["PreToolUse", claude("write_file"), "file_path"],
} satisfies Readonly<Record<HostName, Write>>;

/** Has one hook asked about a call in a host; gives the paths that it was shown. */
async function shownPath(name: string, args: Args): Promise<unknown[]> {
  const [native, call] = WRITES[name] ?? [];
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
  const shown: unknown[] = [];
  session.on("tool.before", ({ args }) => void shown.push(args["path"]));
  const host = await HOSTS[name]?.();
  const event = host?.events[native ?? ""];
  const read = event?.read(call?.(args), {});
  if (event === undefined || read === undefined) throw new Error(`no event ${native}`);
  await event.ask(read, hooksOf(session));
  return shown;
}

test.each(Object.keys(HOSTS))(
  "hooks in %s are shown the path that its tool takes, whatever else is given",
  async (name) => {
    const [, , path = ""] = WRITES[name] ?? [];
    const others = ["path", "file_path", "filePath"].filter((one) => one !== path);
    const decoys = Object.fromEntries(others.map((one) => [one, "/decoy"]));
    expect(await shownPath(name, { [path]: "/real", ...decoys })).toEqual(["/real"]);
    expect(await shownPath(name, { ...decoys, [path]: "/real" })).toEqual(["/real"]);
  },
);

test.each(Object.keys(HOSTS))(
  "arguments in %s that are no object are judged by nobody, so that the call is refused",
  async (name) => {
    for (const args of ["/real", ["/real"], 1]) await expect(shownPath(name, args)).rejects.toThrow();
  },
);
