import { join } from "node:path";
import type { Files } from "../../../packages/ground/src/file/files.ts";
import { answerOf } from "../../../packages/integrations/src/chibi/hooks/report.ts";
import { readSchema } from "../../../packages/integrations/src/chibi/hooks/schema.ts";
import { hostTool } from "../../../packages/integrations/src/in-process/contribute.ts";
import { readPrinted } from "../../../packages/integrations/src/jcli/hooks/bash.ts";
import { readHookFolder, readHooks } from "../../../packages/integrations/src/jcli/hooks/hooks-file.ts";
import { extract } from "../../../packages/integrations/src/jcli/hooks/llm.ts";
import { readRegistration } from "../../../packages/integrations/src/jcli/hooks/register.ts";
import { inToolOrder } from "../../../packages/integrations/src/omp/hooks/extension-api.ts";
import { packageModules } from "../../../packages/integrations/src/pi/hooks/packages.ts";
import { readSettings } from "../../../packages/integrations/src/pi/hooks/settings.ts";
import { failureOf, HookFailure } from "../../../packages/runtime/src/run/failure.ts";
import type { Chance } from "../../../prove/stage/chance.ts";
import { mangled, mutated } from "./mutate.ts";
import type { Target } from "./target.ts";

const ANSWERS = [
  { action: "stop", retry_feedback: "again", system_message: "careful" },
  { user_input: "b", inject_messages: [{ role: "user", content: "x" }], tool_arguments: '{"command":"ls"}' },
  { block: true, message: "No." },
  { request_body: { temperature: 0.3, messages: [{ role: "user", content: "x" }] }, include: ["a"], exclude: ["b"] },
];
const SCHEMA = [
  {
    name: "one",
    description: "d",
    parameters: { type: "object", properties: { a: { type: "string" } } },
    hooks: ["pre_tool"],
  },
  { name: "two", description: "d" },
];
const HOOKS = `pre_tool_execution:
  - type: bash
    command: "exit 0"
    timeout: 10
    retry: 1
    on_error: abort
    filter: { tool_name: Bash, tool_matcher: [Bash, Write], model_prefix: "gpt-" }
stop:
  - type: llm
    prompt: |
      Is it done? {{assistant_output}}
    model: small
`;
const FOLDER = `name: guard
description: Guards
event: [pre_tool_execution, stop]
type: bash
runtime: bash
command: |
  exit 0
`;
const REGISTRATION = {
  action: "register",
  event: "pre_tool_execution",
  type: "bash",
  command: "exit 0",
  timeout: 5,
  filter: {},
};
const SETTINGS = {
  extensions: ["a.ts", "!b.ts"],
  packages: ["npm:x@1", { source: "git:github.com/a/b", extensions: ["*.ts"] }],
};
const MANIFEST = { name: "x", pi: { extensions: ["./a.ts", "./sub"] } };
const TOOL = {
  name: "t",
  label: "T",
  description: "d",
  parameters: { type: "object", properties: {} },
  execute: undefined,
  promptSnippet: "s",
};

/** Checks that a decoder refuses data only with its own kind of error. */
function refused(work: () => unknown): string | undefined {
  try {
    work();
  } catch (thrown) {
    const { cause, message } = failureOf(thrown);
    const isOverLimit = thrown instanceof HookFailure && thrown.code === "OUTPUT_LIMIT";
    if (cause !== "bad" && !isOverLimit) throw thrown;
    if (message === "") return "refuses without saying why";
  }
  return undefined;
}

const json = (values: readonly unknown[], chance: Chance): string => {
  const text = JSON.stringify(mutated(chance.of(values), chance, false)) ?? "";
  return chance.below(2) === 0 ? text : mangled(text, chance);
};
const source = { path: "/p", tier: "user" } as const;
const rules = (chance: Chance) => ({ own: chance.below(2) === 0, lossy: chance.below(2) === 0 });

/** Makes a file system with a single file. */
function only(path: string, text: string): Files {
  return {
    read: (asked) => (asked === path ? Buffer.from(text) : undefined),
    stat: (asked) => (asked === path ? { kind: "file", size: text.length, mtimeMs: 0, mode: 0o600 } : undefined),
    list: () => undefined,
    real: (asked) => asked,
  };
}

/** Makes members of a tool from a module; any of them may be random. */
function tool(chance: Chance): unknown {
  const given = mutated(TOOL, chance, true);
  if (typeof given !== "object" || given === null || chance.below(3) === 0) return given;
  return { ...given, execute: () => ({ content: [] }) };
}

/** Checks that `work` throws only the error for a wrong definition. */
function complains(work: () => unknown): string | undefined {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !/^(A tool needs|The tool ")/.test(thrown.message)) throw thrown;
  }
  return undefined;
}

/** Decoders of each dialect besides those of its rows' answers. */
export const TEXTS: Readonly<Record<string, readonly Target[]>> = {
  jcli: [
    { name: "a command's output", try: (chance) => refused(() => readPrinted(json(ANSWERS, chance))) },
    { name: "a model's reply", try: (chance) => refused(() => extract(`Sure: ${json(ANSWERS, chance)}.`)) },
    {
      name: "hooks.yaml",
      async try(chance) {
        const { hooks, findings } = await readHooks(mangled(HOOKS, chance), rules(chance));
        return Array.isArray(hooks) && Array.isArray(findings) ? undefined : "gives no hooks and no findings";
      },
    },
    {
      name: "HOOK.yaml",
      async try(chance) {
        await readHookFolder(mangled(FOLDER, chance), rules(chance));
        return undefined;
      },
    },
    {
      name: "register_hook",
      try(chance) {
        const given = mutated(REGISTRATION, chance, false);
        if (typeof given === "object" && given !== null) readRegistration(given as never);
        return undefined;
      },
    },
  ],
  chibi: [
    { name: "a plugin's output", try: (chance) => refused(() => answerOf(json(ANSWERS, chance))) },
    {
      name: "--schema",
      try(chance) {
        const read = readSchema(json([SCHEMA, SCHEMA[0]], chance), source);
        if (!read.ok) return read.problem === "" ? "refuses without saying why" : undefined;
        const bad = read.entries.find(({ name, hooks }) => typeof name !== "string" || !Array.isArray(hooks));
        return bad && "gives an entry that is none";
      },
    },
  ],
  omp: [
    {
      name: "a tool",
      try: (chance) => complains(() => hostTool(tool(chance), () => ({}) as never)),
    },
    {
      name: "an older tool",
      try(chance) {
        const owner = { instance: { report: () => {} } } as never;
        return complains(() => inToolOrder(owner, tool(chance)));
      },
    },
  ],
  pi: [
    {
      name: "settings.json",
      try(chance) {
        readSettings(only("/s/settings.json", json([SETTINGS], chance)), "/s");
        return undefined;
      },
    },
    {
      name: "a package's manifest",
      try(chance) {
        packageModules(only(join("/p", "package.json"), json([MANIFEST], chance)), "/p", { source: "/p" });
        return undefined;
      },
    },
    {
      name: "a tool",
      try: (chance) => complains(() => hostTool(tool(chance), () => ({}) as never)),
    },
  ],
};
