import { catalog } from "@hookline/runtime/engine";
import type { HostTable } from "../packages/bridge/src/host/host-table.ts";
import { HOSTS } from "../packages/integrations/src/hosts.ts";
import { type ActResult, type KeptRun, keptRuns } from "./hosts/results.ts";

/** Path of the page that says what works in which agent, relative to the root. */
export const HOSTS_PAGE = "docs/reference/hosts.md";

/** The columns of the first table: an action of a model or a hook, and the matrix's acts that test it. */
const COLUMNS: readonly (readonly [title: string, ...acts: string[]])[] = [
  ["run a command", "run"],
  ["run it in code", "nested", "eval", "start"],
  ["type into a program", "type"],
  ["write a file", "write"],
  ["edit a file", "edit", "edit-move", "edit-delete", "notebook"],
  ["patch files", "patch-add", "patch-change", "patch-move", "patch-move-to", "patch-delete"],
  ["read a file", "read"],
  ["search files", "search"],
  ["call an MCP tool", "mcp"],
  ["start a sub-agent", "spawn"],
  ["act in a sub-agent", "sub-agent"],
  ["arguments rewritten", "rewrite"],
  ["results redacted", "redact"],
  ["context added", "context"],
  ["sent back at a stop", "stop"],
  ["failing guard told", "guard fails"],
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
  const programs = new Set(runs.map(({ host }) => host)).size;
  const versions = new Set(runs.map(({ host, version }) => `${host} ${version}`)).size;
  const count = runs.reduce((sum, { models }) => sum + models.length, 0);
  return [
    "# Where your hooks hold",
    "",
    "Agents offer their models different tools, and choose them by the model's name. These tables say what becomes of your hooks in each agent behind [the bridge](../guide/bridge.md). `hookline bridge report AGENT` says it of your own hooks.",
    "",
    "## What a model does",
    "",
    `${programs} programs in ${versions} versions were run with a scripted model under several models' names, ${count} runs in all. In each run the model does everything that the agent offers it a tool for, while guards of five dialects are loaded: ${cells.toLocaleString("en")} cells. The report of \`bridge report\` was wrong in ${wrong}. \`npm run hosts -- --write\` runs them and writes this page.`,
    "",
    "*works*: the guards of all five dialects refused the act, or the hook did what it says. *lost*: the act happened; the report says so. –: the agent offers this model no tool for it, or no such guard exists.",
    "",
    row(["agent", "version", "models", ...COLUMNS.map(([title]) => title)]),
    row(["---", "---", "---", ...COLUMNS.map(() => "---")]),
    ...runs.map(({ host, version, models, acts }) =>
      row([labelOf(host), version, models.join(", "), ...COLUMNS.map(([, ...names]) => cellOf(acts, names))]),
    ),
    "",
    "Claude Code and Cursor were not run: what is said of them comes from their documentation.",
    "",
    "## What each moment offers",
    "",
    "What hooks can do at each moment, from the tables that also make the report. **works**: hooks are asked, and if hookline cannot answer, the agent is refused what it is about to do. works: hooks are asked, and the agent goes on without an answer. *not*: fields of the event or its answer that are missing or have less effect there; *refuses*: an answer that becomes a refusal. lost: no hook is asked.",
    "",
    row(["moment", ...hosts.map(({ host }) => host.label)]),
    row(["---", ...hosts.map(() => "---")]),
    ...[...catalog.keys()].flatMap((moment) => {
      const shown = hosts.map((one) => momentCell(moment, one));
      return shown.every((cell) => cell === "lost") ? [] : [row([`[\`${moment}\`](events/${moment}.md)`, ...shown])];
    }),
    "",
    "At all other moments of [the catalogue](events/README.md) no agent but hookline itself asks.",
    "",
  ].join("\n");
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

function momentCell(
  moment: string,
  { host, table }: { host: (typeof hosts)[number]["host"]; table: HostTable },
): string {
  const of = Object.values(host.events).filter(({ moments }) => (moments as readonly string[]).includes(moment));
  if (of.length === 0) return "lost";
  const { untold = {}, loses = {}, always = {} } = table.cells[moment as keyof typeof table.cells] ?? {};
  const refuses = Object.entries(loses).flatMap(([field, why]) => (/\brefus(al|ed)\b/.test(why) ? [field] : []));
  const not = [...new Set([...Object.keys(untold), ...Object.keys(always), ...Object.keys(loses)])].filter(
    (field) => !refuses.includes(field),
  );
  const list = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(", ");
  const said = of.some(({ guard }) => guard) ? "**works**" : "works";
  return [
    said,
    ...(refuses.length > 0 ? [`*refuses* ${list(refuses)}`] : []),
    ...(not.length > 0 ? [`*not* ${list(not)}`] : []),
  ].join("; ");
}
