import {
  type About,
  answerOnly,
  type Call,
  callLens,
  type Dialect,
  type Found,
  field,
  HookFailure,
  halt,
  isString,
  type Lane,
  last,
  ownSettings,
  record,
  row,
  type Scan,
  type SettingRows,
  type Source,
  type Surroundings,
} from "@hookline/runtime/dialect";

/** What a gate reads on stdin. */
interface Gated {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A gate's answer: a reason refuses the call. */
interface Verdict {
  readonly refused?: string;
}

/** The gates' names for the host's tools. */
const calls = callLens({ bash: { name: "shell", args: { command: "line" } } });

/**
 * One lane with one event: before a tool call, the gates are asked one after the other; the first refusal ends this.
 */
const gates: Lane = {
  id: "gates",
  isolate: false,
  live: false,
  rows: [
    row<"tool.before", Gated, Verdict, Verdict>({
      name: "gate",
      of: "tool.before",
      kind: "guard",
      schedule: "series",
      subject: "tool",
      fold: halt(
        { name: "refused", by: ({ refused }: Verdict) => refused !== undefined, keep: answerOnly },
        record<Verdict>({ refused: last() }),
      ),
      read: field<Verdict>({ refused: isString }),
      failed: ({ message }) => ({ refused: `The gate failed: ${message}` }),
      timeoutMs: 5000,
      view: {
        get: ({ tool, args }) => ({ tool: calls.name(tool), args: calls.args(tool, args) }),
        put: ({ refused }) => (refused === undefined ? undefined : { decision: "deny", reason: refused }),
      },
    }),
  ],
};

const settings = {
  shell: { type: "string", says: "the program that runs gates", default: "sh" },
} as const satisfies SettingRows;

const about: About = {
  label: "gates",
  ranks: { gates: 5 },
  settings,
  folders: { home: ".gates", project: ".gates" },
  movedBy: [],
  variables: [],
  mistaken: [["project", ".gate", ".gates"]],
};

/** Finds gates: the files in `.gates` of the home folder, then of the project. */
function discover({ cwd, home, files }: Scan): Found {
  const folders = [
    { path: `${home}/.gates`, tier: "user" },
    { path: `${cwd}/.gates`, tier: "project" },
  ] as const;
  const candidates = folders.flatMap(({ path, tier }) =>
    (files.list(path) ?? []).map(({ name }) => ({
      lane: "gates",
      source: { path: `${path}/${name}`, tier, dialect: "gates" },
      state: "runs" as const,
      files: [`${path}/${name}`],
      commands: [`sh ${path}/${name}`],
      events: ["gate"],
      onFailure: "refuses the call",
      definition: {},
    })),
  );
  return { searched: folders.map(({ path }) => path), candidates, diagnostics: [] };
}

/** A custom dialect: scripts that read a call on stdin and can refuse it with their exit code and output. */
export const gatesDialect: Dialect = {
  id: "gates",
  about,
  lanes: [gates],
  discover,
  load({ source, events = [] }, instance, around) {
    for (const event of events)
      instance.on({ event, timeoutMs: 5000, run: (gated: Gated, call: Call) => ask(source, gated, call, around) });
  },
};

async function ask(
  { path, tier }: Source,
  gated: Gated,
  { signal }: Call,
  { transports, scene, scan }: Surroundings,
): Promise<Verdict | undefined> {
  const { shell } = ownSettings(scan.settings, { id: "gates", rows: settings });
  const report = await transports.process.run({
    command: { file: shell, args: [path] },
    cwd: scene.cwd,
    tier,
    env: {},
    stdin: JSON.stringify(gated),
    timeoutMs: 5000,
    signal,
    label: `gate ${path}`,
  });
  if (report.status !== "exited") throw new HookFailure("exited", `it ${report.status}`);
  return report.exitCode === 0 ? undefined : { refused: report.stdout.trim() || "refused by a gate" };
}
