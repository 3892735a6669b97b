import { join } from "node:path";
import type { HostUi } from "@hookline/runtime";
import type { Io } from "../../../ground/src/io/io.ts";
import { openAgent } from "../../src/mode/open.ts";
import { readArguments } from "../../src/start/args.ts";
import type { Assembled } from "../../src/start/assemble.ts";
import { ActivityLog } from "../../src/tui/panel/activity-log.ts";
import type { Desk } from "../authors/desk.ts";

/** An agent with the scripted model in a desk's project, within this process, as a screen has it. */
export interface Running extends AsyncDisposable {
  readonly assembled: Assembled;
  readonly activity: ActivityLog;
  readonly env: Io["env"];
  /** Texts that commands have shown. */
  readonly shown: string[];
}

/** Starts an agent; `replies` is YAML below the script's `replies:`. */
export async function runAgent(
  desk: Desk,
  options: {
    readonly replies?: string;
    readonly args?: readonly string[];
    readonly ui?: HostUi;
    readonly env?: Record<string, string>;
  } = {},
): Promise<Running> {
  const { replies = '  - text: "Done."\n    repeat: true\n', args = [], ui, env: more } = options;
  desk.write("~/script.yaml", `replies:\n${replies}`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: desk.home, HOOKLINE_HOME: desk.hooklineHome, ...more };
  const io: Io = {
    env,
    cwd: desk.cwd,
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    out: () => {},
    err: () => {},
    readStdin: async () => "",
  };
  const activity = new ActivityLog();
  const { assembled, closeTrace } = await openAgent(
    { args: readArguments(["--script", join(desk.home, "script.yaml"), ...args]), io },
    { mode: "tui", person: { tell: () => {}, answer: () => {} }, watch: activity, ...(ui !== undefined && { ui }) },
  );
  const shown: string[] = [];
  assembled.agent.listen((event) => event.type === "command_output" && shown.push(event.text));
  return {
    assembled,
    activity,
    env,
    shown,
    async [Symbol.asyncDispose]() {
      await assembled.close();
      await closeTrace(0);
      desk.remove();
    },
  };
}
