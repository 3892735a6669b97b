import { existsSync } from "node:fs";
import type { Place } from "../agent/program.ts";
import type { Dice } from "../stage/dice.ts";

/** Names that files of users and of projects may share. */
export const NAMES: readonly string[] = ["guard", "a", "lint"];

/** The command that every guard of these home folders refuses. */
export const DENIED = "rm victim";

/** A module for pi or omp that guards tool calls and listens to more events. */
export const GUARD = `export default function (pi) {
  pi.on("tool_call", (event) => (event.input?.command === "${DENIED}" ? { block: true, reason: "no" } : undefined));
  pi.on("tool_result", () => undefined);
  pi.on("session_start", () => undefined);
}
`;
/** A plugin for chibi that guards tool calls. */
export const PLUGIN = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"guard","description":"d","hooks":["pre_tool","post_tool","on_start"]}' && exit
case "$CHIBI_HOOK_DATA" in *"${DENIED}"*) echo '{"block":true}' ;; *) echo '{}' ;; esac
`;
/** A list of hooks for j-cli. */
export const HOOKS = `pre_tool_execution:
  - command: sh ~/bin/guard.sh
    timeout: 7
    on_error: abort
stop:
  - type: llm
    prompt: judge {{assistant_output}}
post_tool_execution:
  - command: sh ~/bin/guard.sh
`;
/** A hook folder for j-cli. */
export const FOLDER_HOOK = "events: [pre_tool_execution, stop]\ncommand: sh ~/bin/guard.sh\n";

/** Writes one kind of hook into a home folder. */
type Kind = (place: Place, name: string) => void;

/** Every place in a home folder from which a hook is loaded. */
const KINDS: Readonly<Record<string, Kind>> = {
  "pi extension": (at, name) => at.write(`~/.pi/agent/extensions/${name}.ts`, GUARD),
  "pi extension in a folder": (at, name) => at.write(`~/.pi/agent/extensions/${name}/index.ts`, GUARD),
  "pi settings": (at, name) => {
    at.write(`~/own/${name}.ts`, GUARD);
    at.write("~/own/pack/package.json", '{"name":"pack","pi":{"extensions":["./main.ts"]}}');
    at.write("~/own/pack/main.ts", GUARD);
    at.write("~/.pi/agent/settings.json", `{"extensions":["~/own/${name}.ts"],"packages":["../../own/pack"]}`);
  },
  "extension in hookline's folder": (at, name) => at.write(`~/.hookline/extensions/${name}.ts`, GUARD),
  "omp hook before": (at, name) => at.write(`~/.omp/agent/hooks/pre/${name}.ts`, GUARD),
  "omp hook behind": (at, name) => at.write(`~/.omp/agent/hooks/post/${name}.ts`, GUARD),
  "omp extension": (at, name) => at.write(`~/.omp/agent/extensions/${name}.ts`, GUARD),
  "omp settings": (at, name) => {
    at.write(`~/own/omp/${name}.ts`, GUARD);
    at.write("~/.omp/agent/settings.json", `{"extensions":["~/own/omp/${name}.ts"]}`);
  },
  "hook in Claude's folder": (at, name) => at.write(`~/.claude/hooks/pre/${name}.ts`, GUARD),
  "hook in Codex's folder": (at, name) => at.write(`~/.codex/hooks/pre-${name}.ts`, GUARD),
  "hooks.yaml": (at) => at.write("~/.jdata/agent/hooks.yaml", HOOKS),
  "HOOK.yaml": (at, name) => at.write(`~/.jdata/agent/hooks/${name}/HOOK.yaml`, FOLDER_HOOK),
  "hookline's hooks.yaml": (at) => at.write("~/.hookline/hooks.yaml", HOOKS),
  "chibi plugin": (at, name) => at.write(`~/.chibi/plugins/${name}`, PLUGIN, 0o755),
  "chibi plugin in a folder": (at, name) => {
    if (!existsSync(at.path(`~/.chibi/plugins/${name}`))) at.write(`~/.chibi/plugins/${name}/${name}`, PLUGIN, 0o755);
  },
  "plugin in hookline's folder": (at, name) => at.write(`~/.hookline/plugins/${name}`, PLUGIN, 0o755),
  "Claude's settings": (at) =>
    at.write(
      "~/.claude/settings.json",
      '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"sh ~/bin/guard.sh"}]}]}}',
    ),
};

const SETTINGS: readonly object[] = [
  {},
  { handlerTimeoutMs: 20_000 },
  { toolCallTimeoutMs: 9000, feedbackCap: 3 },
  { lanes: ["pi", "omp"], "chibi.guardFailure": "closed" },
];

/** Fills a home folder with hooks of some kinds and with settings; returns which. */
export function furnishHome(place: Place, chance: Dice): string {
  place.write("~/bin/guard.sh", `case "$(cat)" in *"${DENIED}"*) echo '{"action":"stop"}' ;; *) echo '{}' ;; esac\n`);
  const kinds = Object.keys(KINDS).filter(() => chance.chance(0.35));
  if (kinds.length === 0) kinds.push("pi extension");
  for (const kind of kinds) KINDS[kind]?.(place, chance.pick(NAMES));
  place.write("~/.hookline/settings.json", JSON.stringify(chance.pick(SETTINGS)));
  return kinds.join(", ");
}
