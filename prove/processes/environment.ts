import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chibi } from "@hookline/runtime/dialects";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { call } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment, type Path } from "./experiment.ts";
import { folder, ground } from "./ground.ts";

/** The longest value of a variable whose name has this length, in bytes. */
const LIMIT = 131_055;

const plugin = (hook: string, body: string): string => `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"${hook}","description":"d","hooks":["${hook}"]}' && exit
${body}
`;
const PLUGINS: Readonly<Record<string, (log: string) => string>> = {
  guard: () =>
    plugin(
      "pre_tool",
      `case "$CHIBI_HOOK_DATA" in *FORBIDDEN*) echo '{"block":true,"message":"no"}';; *) echo '{}';; esac`,
    ),
  // Repeats the received prompt, which is empty if the data is missing.
  echo: () =>
    plugin(
      "pre_message",
      `printf '{"prompt":"%s"}' "$(printf %s "$CHIBI_HOOK_DATA" | sed 's/.*"prompt":"\\([^"]*\\)".*/\\1/')"`,
    ),
  watch: (log) => plugin("post_tool", `printf %s "$CHIBI_HOOK_DATA" > '${log}'`),
};

interface Guarded extends AsyncDisposable {
  readonly session: HookSession;
  readonly log: string;
}

async function withPlugins(path: Path): Promise<Guarded> {
  const home = folder();
  const plugins = join(home.path, ".chibi/plugins");
  const log = join(home.path, "seen");
  mkdirSync(plugins, { recursive: true });
  for (const [name, text] of Object.entries(PLUGINS)) {
    writeFileSync(join(plugins, name), text(log));
    chmodSync(join(plugins, name), 0o755);
  }
  const here = ground(path);
  const { transport } = here;
  const runtime = createHookRuntime({
    dialects: [chibi],
    home: home.path,
    env: {},
    transports: { process: transport },
  });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home.path } });
  if (session.hooks().length !== 3) throw new Error("the plugins were not loaded");
  return {
    session,
    log,
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await here[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function sizes(full: boolean): number[] {
  const some = [100, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, 200_000, 5_000_000];
  return full ? [...some, ...Array.from({ length: 200 }, () => LIMIT - 100 + Math.floor(Math.random() * 200))] : some;
}

/** R14: padding neither opens a guard nor empties a prompt, and observers are told that they see less. */
const paddingOpensNothing: Experiment = {
  id: "R14",
  paths: ALL,
  async run(tally, { path, full }) {
    await using here = await withPlugins(path);
    const { session, log } = here;
    for (const size of sizes(full)) {
      for (const pad of ["x", "\u6f22", "\u{1f600}"]) {
        // The events' other fields take some bytes, so each size is tried below and above the limit.
        const padding = pad.repeat(Math.max(0, Math.floor((size - 80) / Buffer.byteLength(pad))));
        const args = { pad: padding, command: "echo FORBIDDEN" };
        const who = { toolCallId: "c", tool: "bash" };
        const { decision } = (await session.emit("tool.before", { ...who, args })).answer;
        tally.trial(decision === "deny" ? undefined : `a forbidden call passed, padded to ${size} bytes`);
        const prompt = await session.emit("prompt.before", { text: padding });
        const text = prompt.answer.text ?? padding;
        tally.trial(text === padding ? undefined : `a prompt of ${size} bytes came to ${text.length} characters`);
        await session.emit("tool.done", { ...who, args, result: "", cached: false });
        tally.trial(observed(log, padding));
      }
    }
    const allowed = await session.emit("tool.before", { toolCallId: "c", tool: "bash", args: { command: "ls" } });
    tally.trial(allowed.answer.decision === undefined ? undefined : "a harmless call was refused");
    const full17 = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`V${i}`, "x".repeat(130_000)]));
    await using plain = ground(path);
    const { status, startError } = await plain.transport.run(call("true", { env: full17 }));
    const told = status === "exited" || startError?.code === "E2BIG";
    tally.trial(told ? undefined : `17 variables of 130 KB came to ${status} ${startError?.code ?? ""}`);
    tally.figure(`17 variables of 130 KB: ${startError?.code ?? status}`);
  },
};

/** Checks that an observer saw the whole event, or a shortened one and a sign of that. */
function observed(log: string, padding: string): string | undefined {
  if (!existsSync(log)) return "an observer was not told";
  const seen = JSON.parse(readFileSync(log, "utf8")) as { truncated?: boolean; arguments?: { pad?: string } };
  const whole = JSON.stringify(seen).includes(padding);
  return whole !== (seen.truncated === true)
    ? undefined
    : `an observer saw ${whole ? "all" : "less"} and was told otherwise`;
}

const SECRET = "canary";
const KEYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_API_KEY_2",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_OPENAI_API_KEY",
  "HF_TOKEN",
  "COPILOT_GITHUB_TOKEN",
  "COHERE_API_KEY",
  "TOGETHER_API_KEY",
];
const PROTOCOL = [
  "JCLI_HOOK_EVENT",
  "JCLI_CWD",
  "JCLI_HOOK_DIR",
  "CHIBI_HOOK",
  "CHIBI_HOOK_DATA",
  "CHIBI_TOOL_ARGS",
  "CHIBI_TOOL_NAME",
  "CHIBI_VERBOSE",
  "HOOKLINE_RECHECK",
];
const OTHERS = [
  "LD_CANARY",
  "NODE_OPTIONS",
  "PYTHONPATH",
  "GIT_DIR",
  "GITHUB_TOKEN",
  "NPM_TOKEN",
  "DATABASE_URL",
  "SSH_AUTH_SOCK",
  "EDITOR",
  "PROMPT_COMMAND",
  "BASH_ENV",
  "ENV",
  "HTTP_PROXY",
];

/**
 * R15: a project's programs see an allowlist, and no program sees provider keys or another conversation's variables.
 */
const environmentIsClean: Experiment = {
  id: "R15",
  paths: ALL,
  async run(tally, { path }) {
    const names = [...KEYS, ...PROTOCOL, ...OTHERS];
    const env = { PATH: process.env["PATH"], ...Object.fromEntries(names.map((name) => [name, SECRET])) };
    await using here = ground(path, { env: { ...env, NODE_OPTIONS: "", ENV: "" } });
    let project = 0;
    let keys = 0;
    for (const tier of ["project", "user", "session", "builtin"] as const) {
      const { stdout } = await here.transport.run(call({ file: "env", args: ["-0"] }, { tier }));
      const seen = new Set(stdout.split("\0").map((pair) => pair.slice(0, pair.indexOf("="))));
      for (const name of names) {
        const mayPass = tier !== "project" && OTHERS.includes(name);
        if (seen.has(name) && tier === "project") project += 1;
        if (seen.has(name) && KEYS.includes(name)) keys += 1;
        tally.trial(seen.has(name) && !mayPass ? `${name} reached a program of tier ${tier}` : undefined);
      }
    }
    tally.figure(`${names.length} canaries: ${project} seen by project hooks, ${keys} provider keys seen`);
  },
};

export const environment: readonly Experiment[] = [paddingOpensNothing, environmentIsClean];
