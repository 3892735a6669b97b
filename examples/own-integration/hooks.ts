import { join } from "node:path";
import {
  answerOnly,
  type Call,
  type Candidate,
  type Dialect,
  type Found,
  field,
  HookFailure,
  halt,
  isObject,
  isString,
  type Lane,
  last,
  readJson,
  record,
  row,
  type Scan,
  type Source,
  type Surroundings,
} from "@hookline/runtime/dialect";
import { acmeTools } from "./tools.ts";

/** The input of a hook of Acme, on stdin. */
interface AcmeCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Its answer, on stdout: `refuse` is the reason to refuse the call, `args` change it. */
interface AcmeAnswer {
  readonly refuse?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

const beforeTool = row<"tool.before", AcmeCall, AcmeAnswer, AcmeAnswer>({
  name: "beforeTool",
  of: "tool.before",
  kind: "guard",
  schedule: "series",
  subject: "tool",
  fold: halt(
    { name: "refused", by: ({ refuse }: AcmeAnswer) => refuse !== undefined, keep: answerOnly },
    record<AcmeAnswer>({ refuse: last(), args: last() }),
  ),
  read: field<AcmeAnswer>({ refuse: isString, args: isObject }),
  failed: ({ message }) => ({ refuse: `The hook failed: ${message}` }),
  timeoutMs: 5000,
  view: {
    get: ({ tool, args }) => ({ tool: acmeTools.name(tool), args: acmeTools.args(tool, args) }),
    put: ({ refuse, args }, { tool, args: before }) => {
      if (refuse !== undefined) return { decision: "deny", reason: refuse };
      return args === undefined ? undefined : { args: acmeTools.putArgs(tool, args, before) };
    },
  },
});

const lane: Lane = { id: "acme", isolate: false, live: false, rows: [beforeTool] };

/** Finds the programs that `.acme/hooks.json` names: `{ "beforeTool": ["./check.sh"] }`, the person's, then the project's. */
function discover({ cwd, home, files }: Scan): Found {
  const places = [
    { folder: home, tier: "user" },
    { folder: cwd, tier: "project" },
  ] as const;
  const candidates = places.flatMap(({ folder, tier }): Candidate[] => {
    const path = `${folder}/.acme/hooks.json`;
    const text = files.read(path);
    if (text === undefined) return [];
    const about = { lane: "acme", source: { path, tier, dialect: "acme" } };
    const read = programsIn(new TextDecoder().decode(text));
    if (typeof read === "string") return [{ ...about, state: "broken", reason: read, files: [path], definition: [] }];
    const commands = read.map((program) => join(folder, program));
    const what = { files: [path, ...commands], commands, events: ["beforeTool"], onFailure: "refuses the call" };
    return [{ ...about, ...what, state: "runs", definition: commands }];
  });
  return { searched: places.map(({ folder }) => `${folder}/.acme/hooks.json`), candidates, diagnostics: [] };
}

/** The programs of a hook file, or what is wrong with it. */
function programsIn(text: string): readonly string[] | string {
  const read = readJson(text);
  if (!read.ok) return read.problem;
  const { beforeTool = [] } = isObject(read.value) ? (read.value as { readonly beforeTool?: unknown }) : {};
  const isList = Array.isArray(beforeTool) && beforeTool.every((one): one is string => typeof one === "string");
  return isList ? beforeTool : '"beforeTool" is not a list of programs';
}

/** Acme's hooks. */
export const acme: Dialect = {
  id: "acme",
  about: {
    label: "Acme",
    ranks: { acme: 5 },
    settings: {},
    folders: { home: ".acme", project: ".acme" },
    movedBy: [],
    variables: [],
    mistaken: [["project", ".acme/hook.json", ".acme/hooks.json"]],
  },
  lanes: [lane],
  discover,
  load({ source, definition }, instance, around) {
    for (const command of definition as readonly string[])
      instance.on({
        event: "beforeTool",
        timeoutMs: 5000,
        run: (shown: AcmeCall, call: Call) => ask(command, source, shown, call, around),
      });
  },
};

async function ask(
  command: string,
  { tier }: Source,
  shown: AcmeCall,
  { signal }: Call,
  { transports, scene }: Surroundings,
): Promise<unknown> {
  const report = await transports.process.run({
    command: { file: command, args: [] },
    cwd: scene.cwd,
    tier,
    env: {},
    stdin: JSON.stringify(shown),
    timeoutMs: 5000,
    signal,
    label: `Acme hook ${command}`,
  });
  if (report.status !== "exited") throw new HookFailure("exited", `it ${report.status}`);
  if (report.exitCode !== 0) throw new HookFailure("exited", `it ended with ${report.exitCode}`);
  if (report.stdout.trim() === "") return undefined;
  const read = readJson(report.stdout);
  if (!read.ok) throw new HookFailure("exited", `its answer is not JSON: ${read.problem}`);
  return read.value;
}
