import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A pi extension that misbehaves when the host's dice say so. */
const EXTENSION = `const dice = globalThis.soakDice;
const go = (wrong) => {
  switch (wrong) {
    case "throws": throw new Error("made by the soak");
    case "rejects": return Promise.reject(new Error("made by the soak"));
    case "never settles": return new Promise(() => {});
    case "throws late": setTimeout(() => { throw new Error("late, made by the soak"); }, 5); return undefined;
    case "answers junk": return { content: 7, input: [], block: { no: 1 }, messages: "none" };
    default: return undefined;
  }
};
export default function (pi) {
  for (const event of ["input", "context", "tool_result", "turn_end", "agent_end", "session_start", "session_shutdown"])
    pi.on(event, () => go(dice()));
  pi.on("tool_call", () => go(dice(["throws", "rejects", "never settles", "throws late"])));
}
`;

const HOOK = `const dice = globalThis.soakDice;
export default function (omp) {
  omp.on("tool_result", () => {
    if (dice(["throws"]) !== undefined) throw new Error("made by the soak");
    return undefined;
  });
}
`;

const HOOKS_YAML = `pre_tool_execution:
  - command: sh hooks/hook.sh
    timeout: 2
post_tool_execution:
  - command: sh hooks/hook.sh
    timeout: 2
`;

/**
 * Returns shell code that, in about one run of a hundred, crashes, hangs, floods or answers something invalid, and
 * records that in FAULTS.
 */
const wrongly = (faults: string): string => `n=$(od -An -N2 -tu2 /dev/urandom)
case $((n % 400)) in
  0) echo crash >> '${faults}'; kill -9 $$ ;;
  1) echo hang >> '${faults}'; sleep 3 ;;
  2) echo malformed >> '${faults}'; printf '{"action": [7'; exit 0 ;;
  3) echo flood >> '${faults}'; yes | head -c 10000000; exit 3 ;;
esac
`;

const PLUGIN = (faults: string): string => `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"watch","description":"d","hooks":["pre_tool","post_tool"]}' && exit
${wrongly(faults)}echo '{}'
`;

/** The options of the soak's host. */
export interface SoakOrder {
  readonly home: string;
  readonly project: string;
  /** A file to which hook programs append a line each time that they misbehave. */
  readonly faults: string;
  readonly url: string;
  readonly sessions: number;
  readonly seconds: number;
  /** The mean pause of a session between two prompts, in ms. */
  readonly restMs: number;
  readonly sampleMs: number;
}

/** Writes the home folder and the project of a soak. */
export function writePlace({ home, project, faults, url }: SoakOrder): void {
  const write = (path: string, text: string, mode = 0o600): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "model" }] };
  write(join(home, ".hookline/models.json"), JSON.stringify({ providers: { loop: provider } }));
  const settings = { retry: { baseDelayMs: 20 }, handlerTimeoutMs: 1000, toolCallTimeoutMs: 1000 };
  write(join(home, ".hookline/settings.json"), JSON.stringify(settings));
  write(join(project, ".pi/extensions/wrong.ts"), EXTENSION);
  write(join(project, ".omp/hooks/post/wrong.ts"), HOOK);
  write(join(project, ".jcli/hooks.yaml"), HOOKS_YAML);
  write(join(project, "hooks/hook.sh"), `cat > /dev/null\n${wrongly(faults)}echo '{}'\n`);
  write(join(project, ".hookline/plugins/watch"), PLUGIN(faults), 0o755);
  write(join(project, "notes.md"), "A file to read.\n".repeat(50));
}
