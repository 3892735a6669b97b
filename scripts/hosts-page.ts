import { catalog } from "@hookline/runtime/engine";
import type { HostTable } from "../packages/bridge/src/host/host-table.ts";
import { HOSTS } from "../packages/integrations/src/hosts.ts";
import { type ActResult, type KeptRun, keptRuns } from "./hosts/results.ts";

/** Path of the page that says what works in which agent, relative to the root. */
export const HOSTS_PAGE = "docs/reference/hosts.md";

/** The rows of an agent's table: what a model or a hook does, and the acts of the matrix that show it. */
const ACTS: readonly (readonly [title: string, ...acts: string[]])[] = [
  ["run a command", "run"],
  ["run a command from code", "nested", "eval", "start"],
  ["type into a running program", "type"],
  ["write a file", "write"],
  ["edit a file", "edit", "edit-move", "edit-delete", "notebook"],
  ["patch files", "patch-add", "patch-change", "patch-move", "patch-move-to", "patch-delete"],
  ["read a file", "read"],
  ["search files", "search"],
  ["fetch a page", "fetch", "fetch-search"],
  ["call an MCP tool", "mcp"],
  ["start a sub-agent", "spawn", "spawn-background", "spawn-code", "spawn-more"],
  ["run a command in a sub-agent", "sub-agent"],
  ["a hook rewrites arguments", "rewrite"],
  ["a hook redacts a result", "redact"],
  ["a hook adds context", "context"],
  ["a hook sends the model back when it stops", "stop"],
  ["a guard that fails is reported", "guard fails"],
];

const hosts = await Promise.all(
  Object.values(HOSTS).map(async (load) => {
    const host = await load();
    return { host, table: await host.table() };
  }),
);

/** Returns the page: what was measured with models, and what the tables say of each moment. */
export function hostsPage(runs: readonly KeptRun[] = keptRuns()): string {
  const cells = runs.reduce((sum, { tried, models }) => sum + tried * models.length, 0);
  const wrong = runs.reduce((sum, { wrong, models }) => sum + wrong * models.length, 0);
  const names = [...new Set(runs.map(({ host }) => host))];
  const versions = new Set(runs.map(({ host, version }) => `${host} ${version}`)).size;
  const count = runs.reduce((sum, { models }) => sum + models.length, 0);
  return [
    "# Where your hooks hold",
    "",
    "What hooks can do inside Claude Code, Codex and seven other agents that ask them through [the bridge](../guide/bridge.md), and what is lost there. Read it before you rely on a guard in such an agent. `hookline bridge report AGENT` says the same about the hooks that you have.",
    "",
    "## What a model does",
    "",
    "Each agent offers its model other tools, and may choose them by the model's name.",
    "",
    `${names.length} agents in ${versions} versions were run ${count} times with a scripted model, each time under another model's name (\`m1\` is a name that no agent knows). In each run the model uses every tool that the agent offers it, while guards of five [dialects](dialects.md), which are agents' formats of hooks, are loaded. \`bridge report\` had predicted ${wrong === 0 ? "each" : `all but ${wrong}`} of the ${cells.toLocaleString("en")} outcomes. \`npm run hosts -- --write\` repeats the runs and writes this page.`,
    "",
    "What is lost, as the report says too:",
    "",
    ...names.flatMap((name) => lostIn(name, of(name))),
    "",
    "In the tables below, a column is a version of the agent and the models under whose names it behaved alike. The names in a cell are the agent's own tools that the model called.",
    "",
    "- *works*: the guards of all five dialects refused the act; in the last five rows, the hook had its effect",
    "- *lost*: the act happened although guards refuse it, or the hook had no effect",
    "- *partly lost*: some of these calls were refused, others happened",
    "- –: the agent offers this model no tool for it",
    "",
    ...names.flatMap((name) => [`### ${labelOf(name)}`, "", ...actTable(of(name)), ""]),
    "Claude Code and Cursor were not run: what the next tables say of them comes from their documentation.",
    "",
    "## Which events each agent asks about",
    "",
    "The first column is hookline's event; hooks of every dialect that listen to it, under its name there, are asked. **guard**: hooks are asked, and if hookline cannot answer, the agent is refused what it is about to do. asked: hooks are asked, and the agent goes on without an answer. –: no hook is asked.",
    "",
    row(["event", ...hosts.map(({ host }) => host.label)]),
    row(["---", ...hosts.map(() => "---")]),
    ...[...catalog.keys()].flatMap((moment) => {
      const shown = hosts.map(({ host }) => askedAt(moment, host) ?? "–");
      return shown.every((cell) => cell === "–") ? [] : [row([linkTo(moment), ...shown])];
    }),
    "",
    "The other [events](events/README.md) occur only in hookline itself.",
    "",
    "## What an agent does not show or take",
    "",
    "For each event: the fields that hooks do not get from this agent, or whose value in an answer has no effect or less; and the fields of an answer that the agent cannot carry out, so that they refuse the call or prompt. `decision:ask` is the value `ask` of the field `decision`. [The event's page](events/README.md) describes each field; an event without a row loses nothing.",
    "",
    ...hosts.flatMap((one) => [`### In ${one.host.label}`, "", ...lossTable(one), ""]),
  ].join("\n");

  function of(name: string): readonly KeptRun[] {
    return runs.filter(({ host }) => host === name);
  }
}

/** A line for what is lost in an agent; none if nothing is. */
function lostIn(name: string, runs: readonly KeptRun[]): readonly string[] {
  const lost = ACTS.flatMap(([title, ...acts]) => {
    const cells = new Set(runs.map((run) => cellOf(run.acts, acts)).filter((cell) => cell.includes("lost")));
    return cells.size === 0 ? [] : [`${title} (${[...cells].join(", ")})`];
  });
  return lost.length === 0 ? [] : [`- ${labelOf(name)}: ${lost.join("; ")}`];
}

/** An agent's table: a row for what a model or a hook does, a column for each version and group of models. */
function actTable(runs: readonly KeptRun[]): readonly string[] {
  const rows = ACTS.flatMap(([title, ...acts]) => {
    const cells = runs.map((run) => cellOf(run.acts, acts));
    return cells.every((cell) => cell === "–") ? [] : [row([title, ...cells])];
  });
  return [
    row(["version", ...runs.map(({ version }) => version)]),
    row(["---", ...runs.map(() => "---")]),
    row(["names of the models", ...runs.map(({ models }) => models.join(", "))]),
    ...rows,
  ];
}

function linkTo(moment: string): string {
  return `[\`${moment}\`](events/${moment}.md)`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function labelOf(name: string): string {
  return hosts.find(({ host }) => host.name === name)?.host.label ?? name;
}

/** Summarises the outcomes of similar acts. */
function cellOf(acts: KeptRun["acts"], names: readonly string[]): string {
  const found = names.flatMap((name): readonly ActResult[] => {
    const one = acts[name];
    return one === undefined ? [] : [one];
  });
  if (found.length === 0) return "–";
  const tools = [...new Set(found.flatMap(({ by }) => by ?? []))].map((tool) => `\`${tool}\``);
  const lost = found.some((one) => one.lost !== undefined);
  const some = found.some(({ works }) => works !== "");
  const said = lost ? (some ? "partly lost" : "lost") : "works";
  return [said, ...tools].join(" ");
}

/** Whether hooks are asked at a moment, and whether the agent waits for them if they cannot be. */
function askedAt(moment: string, { events }: (typeof hosts)[number]["host"]): string | undefined {
  const of = Object.values(events).filter(({ moments }) => (moments as readonly string[]).includes(moment));
  if (of.length === 0) return undefined;
  return of.some(({ guard }) => guard) ? "**guard**" : "asked";
}

/** A row for each moment of which an agent does not show or take all. */
function lossTable({ host, table }: { host: (typeof hosts)[number]["host"]; table: HostTable }): readonly string[] {
  const list = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(", ") || "–";
  const rows = [...catalog.keys()].flatMap((moment) => {
    const { untold = {}, loses = {}, always = {} } = table.cells[moment as keyof typeof table.cells] ?? {};
    const refuses = Object.entries(loses).flatMap(([field, why]) => (/\brefus(al|ed)\b/.test(why) ? [field] : []));
    const not = [...new Set([...Object.keys(untold), ...Object.keys(always), ...Object.keys(loses)])].filter(
      (field) => !refuses.includes(field),
    );
    if (askedAt(moment, host) === undefined || (refuses.length === 0 && not.length === 0)) return [];
    return [row([linkTo(moment), list(not), list(refuses)])];
  });
  if (rows.length === 0) return ["Nothing is lost."];
  return [
    row(["event", "missing, or without its full effect", "refuses instead"]),
    row(["---", "---", "---"]),
    ...rows,
  ];
}
