import type { CatalogRow, Dialect } from "@hookline/runtime/engine";
import { payloadOf } from "../packages/runtime/src/testing/sample.ts";
import { fieldTable, type ObjectSchema, sampleText } from "./event-fields.ts";
import { handlerOf } from "./event-handlers.ts";
import { sampleOf } from "./event-samples.ts";

/** The meaning of each kind of event. */
const KINDS: Readonly<Record<CatalogRow["kind"], string>> = {
  guard: "hooks judge a call; they may refuse or change it",
  gate: "hooks may prevent what would happen, or answer in its place",
  transform: "hooks may change what it is about, or add to it",
  redactor: "hooks may rewrite a text, such as to remove a secret",
  control: "hooks may make the agent go on",
  observe: "hooks are informed; what they answer is ignored",
  shutdown: "hooks are informed one after the other, and hookline waits for them; what they answer is ignored",
};

/** For each lane: its dialect, if the name does not say it, and a place for its hooks. */
const LANES: Readonly<Record<string, readonly [is: string | undefined, place: string]>> = {
  jcli: ["`jcli` is j-cli", "in `~/.jdata/agent/hooks.yaml`"],
  chibi: [undefined, "an executable file in `~/.chibi/plugins`"],
  claude: ["`claude` is Claude Code", "in `~/.claude/settings.json`"],
  "omp-hooks": ["`omp-hooks` are oh-my-pi's hooks", "a module in `.omp/hooks/pre`"],
  omp: ["`omp` are oh-my-pi's extensions", "a module in `.omp/extensions`"],
  pi: [undefined, "a module in `~/.pi/agent/extensions`"],
};

const STARTUP = "only at startup";
const QUIT = "only when hookline ends";
const FULL = "for the kind `full`";
const ROLLING = "for the kind `rolling`";
const MICRO = "for the kind `micro`";
const LARGE = "for the kinds `full` and `rolling`";
const WITH_CALLS = "if the reply had tool calls";

/** When an event of a dialect fires that does not fire each time. The key is the dialect, its name and the event. */
const WHEN: Readonly<Record<string, string>> = {
  "jcli session_start session.start": "not after a reload",
  "jcli session_end session.end": "not before a reload",
  "jcli post_tool_execution tool.after": "if the call succeeded",
  "jcli post_tool_execution_failure tool.after": "if the call failed or was refused",
  "jcli pre_micro_compact compact.before": MICRO,
  "jcli pre_auto_compact compact.before": LARGE,
  "jcli post_micro_compact compact.after": MICRO,
  "jcli post_auto_compact compact.after": LARGE,
  "chibi on_start session.start": STARTUP,
  "chibi on_end session.end": QUIT,
  "chibi pre_compact compact.before": FULL,
  "chibi post_compact compact.after": FULL,
  "chibi pre_rolling_compact compact.before": ROLLING,
  "chibi post_rolling_compact compact.after": ROLLING,
  "chibi pre_file_write tool.before": "for the tools `write` and `edit`",
  "chibi pre_shell_exec tool.before": "for the tool `bash`",
  "chibi pre_file_read tool.before": "for the tool `read` and a file outside of the session's folder",
  "chibi post_tool_batch turn.end": WITH_CALLS,
  "claude SessionStart session.start": "not after a reload",
  "claude SessionStart compact.after": LARGE,
  "claude PostToolUse tool.after": "if the call succeeded",
  "claude PostToolUseFailure tool.after": "if the call failed, but not if it was refused",
  "claude PostToolBatch turn.end": WITH_CALLS,
  "claude StopFailure agent.end": "if the run has failed for good",
  "claude PreCompact compact.before": LARGE,
  "claude PostCompact compact.after": LARGE,
  "claude SessionEnd session.end": "when hookline ends, and before a new or resumed session",
  "omp session_start session.start": STARTUP,
  "omp session_shutdown session.end": QUIT,
  "omp session_before_compact compact.before": LARGE,
  "omp session_compact compact.after": LARGE,
  "omp before_agent_start agent.before-start": "not if a hook's message starts the run",
  "omp tool_result tool.after": "not for a refused call",
  "omp tool_result (mergeOverrides) tool.after":
    "in place of the other with the setting `omp.mergeOverrides`; not for a refused call",
  "pi session_before_switch session.before-switch": "not for a fork",
  "pi session_switch session.switch": "not for a fork",
  "pi session_before_compact compact.before": LARGE,
  "pi session_compact compact.after": LARGE,
  "pi tool_result tool.after": "not for a refused call",
};

/** Events that only sub-agents fire. */
const OF_SUB_AGENTS: readonly string[] = ["agent.spawned", "agent.done"];

const LAST = "the last one counts";

/** The rule by which several answers become one value, by the name of the field's fold. */
const FOLDS: Readonly<Record<string, string>> = {
  first: "the first one counts",
  collect: "all are used",
  concat: "all lists are joined",
  any: "true if one is",
  strictest: "the strictest counts",
  union: "every name that one of them lists",
  meet: "the names that all of them list",
};

/** An event of a dialect. */
interface Spelling {
  readonly dialect: string;
  readonly lane: string;
  readonly name: string;
  /** When it fires, if it does not fire each time. */
  readonly when: string | undefined;
}

/** Returns the page of one event. `event` and `answer` are the schemas of its fields and of those of its answer. */
export function eventPage(
  row: CatalogRow,
  tables: readonly Dialect[],
  { event, answer }: Readonly<Record<"event" | "answer", ObjectSchema>>,
): string {
  const spellings = spell(row.name, tables);
  const sample = sampleOf(row.name);
  const shown = fieldTable(row.name, event, "in");
  return [
    `# ${row.name}`,
    "",
    `\`${row.name}\` is one of [hookline's events](README.md), on which hooks run. It fires ${lower(row.fires)}`,
    "",
    ...(sample === undefined
      ? []
      : [
          `A [guard](../guards.md) (a hook in hookline's own format) for it, as \`${row.name === "project.trust" ? "~/" : ""}.hookline/guards/NAME.ts\`; \`hookline hooks test\` runs its cases:`,
          "",
          `\`\`\`ts\n${sample}\`\`\``,
          "",
        ]),
    "These rows apply to guards and to handlers of the library; [their meaning](README.md#the-first-table-of-a-page). Hooks of another agent keep that agent's rules.",
    "",
    "| | |",
    "|---|---|",
    `| kind | ${row.kind}: ${KINDS[row.kind]} |`,
    `| several answers | ${answersOf(row)} |`,
    `| later hooks see | ${fedTo(row)} |`,
    `| order | ${orderOf(row)} |`,
    `| sub-agents | ${agentsOf(row, tables)} |`,
    `| a matcher is tested on | ${row.subject === undefined ? "no field" : `\`${row.subject}\``} |`,
    `| a handler that fails | ${policy(row)} |`,
    `| time limit | ${row.timeoutMs === undefined ? "none, unless the handler has a `timeoutMs`; after 5 s without an answer [`HOOK_SLOW`](../errors.md) is reported" : `${row.timeoutMs} ms`} |`,
    `| since | ${row.since} |`,
    "",
    ...(shown.length === 0
      ? ["The event has no fields."]
      : ["A field with `?` may be absent.", "", ...shown.slice(0, -1)]),
    "",
    ...fieldTable(row.name, answer, "out"),
    "A sample of the event:",
    "",
    `\`\`\`json\n${sampleText(row)}\n\`\`\``,
    "",
    ...(sample === undefined
      ? [
          "A handler in a program that [embeds the library](../../guide/embed.md):",
          "",
          `\`\`\`js\nsession.on("${row.name}", (event) => undefined);\n\`\`\``,
          "",
        ]
      : []),
    ...dialectPart(spellings),
    `[JSON Schema](../schemas/${row.name}.json)`,
    "",
  ].join("\n");
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function informs({ kind }: CatalogRow): boolean {
  return kind === "observe" || kind === "shutdown";
}

/** Says how several answers become one, from the name of the row's fold. */
function answersOf(row: CatalogRow): string {
  if (informs(row)) return "are ignored";
  const [, ends, fields = ""] = /^(?:halt\(([^,]+), )?record\(([^)]*)\)/.exec(row.fold.name) ?? [];
  const names = new Map<string, string[]>();
  for (const field of fields.split(", ")) {
    const [name = "", fold = ""] = field.split(": ");
    names.set(fold, [...(names.get(fold) ?? []), `\`${name}\``]);
  }
  const others = names.get("last") ?? [];
  names.delete("last");
  const parts = [...names].map(([fold, of]) => `${of.join(", ")}: ${FOLDS[fold] ?? fold}`);
  if (others.length === 1) parts.push(`${others[0]}: ${LAST}`);
  else if (others.length > 1) parts.push(`${names.size === 0 ? "each field" : "each other field"}: ${LAST}`);
  if (ends === undefined) return parts.join("; ");
  const ending =
    ends === "deny"
      ? '`decision: "deny"`'
      : ends
          .split("|")
          .map((name) => `\`${name}\``)
          .join(" or ");
  return `${parts.join("; ")}. After an answer with ${ending}, ${row.schedule === "series" ? "no further hook is asked" : "no later answer counts"}`;
}

function fedTo(row: CatalogRow): string {
  const fed = Object.keys(row.feeds).map((name) => `\`${name}\``);
  return fed.length === 0
    ? "the event as it fired"
    : `${fed.join(", ")} as earlier hooks have left ${fed.length === 1 ? "it" : "them"}; the rest as it fired`;
}

function orderOf({ schedule }: CatalogRow): string {
  switch (schedule) {
    case "series":
      return "one hook after the other";
    case "all":
      return "one hook after the other; all are asked";
    case "parallel":
      return "all hooks at the same time";
  }
}

function agentsOf(row: CatalogRow, tables: readonly Dialect[]): string {
  if (OF_SUB_AGENTS.includes(row.name)) return "hooks are asked in sub-agents only";
  if (row.agents === "all") return "hooks are asked in sub-agents too";
  const others = tables.flatMap(({ lanes }) =>
    lanes.flatMap(({ id, rows }) =>
      rows.filter(({ of, agents }) => of === row.name && agents === "all").map(({ name }) => `\`${name}\` of ${id}`),
    ),
  );
  return `hooks are not asked in sub-agents${others.length === 0 ? "" : `, except for ${others.join(", ")}`}`;
}

/** Says what a failure of a handler means. */
function policy(row: CatalogRow): string {
  if (row.kind === "guard") return "refuses the call, and is reported";
  if (row.closed) return "withholds the text, and is reported";
  const left = "changes nothing, and is reported";
  if (row.withhold === undefined) return informs(row) ? "is reported" : left;
  const held = row.withhold(payloadOf(row) as Readonly<Record<string, unknown>>, "");
  const what = "halt" in held ? "the session is refused" : "stop" in held ? "nothing is sent" : "the text is withheld";
  return `${left}; with [\`redact: true\`](../../explanation/failure-policy.md), ${what}`;
}

/** Returns the part about dialects: their names for the event, and a sample hook for each. */
function dialectPart(spellings: readonly Spelling[]): string[] {
  if (spellings.length === 0)
    return ["No [dialect](../dialects.md), the hook format of another agent, has this event.", ""];
  const are = [...new Set(spellings.map(({ lane }) => lane))].flatMap((lane) => LANES[lane]?.[0] ?? []);
  return [
    `The event's names in the [dialects](../dialects.md), the hook formats of other agents${are.length === 0 ? "" : ` (${are.join(", ")})`}:`,
    "",
    ...spellings.map(({ lane, name, when }) => `- ${lane}: \`${name}\`${when === undefined ? "" : `, ${when}`}`),
    "",
    ...handlers(spellings),
  ];
}

/** Returns a sample handler for the event in each dialect that has it; handlers with the same text are shown once. */
function handlers(spellings: readonly Spelling[]): string[] {
  const lanes = new Map<string, Set<string>>();
  for (const { lane, name } of spellings) {
    const isShown = [...lanes.values()].some((others) => others.has(lane));
    const [language, text] = handlerOf(lane, name) ?? [];
    if (text === undefined || isShown) continue;
    const block = `\`\`\`${language}\n${text}\n\`\`\``;
    lanes.set(block, (lanes.get(block) ?? new Set()).add(lane));
  }
  return [...lanes].flatMap(([block, names]) => {
    const places = [...names].flatMap((lane) => LANES[lane]?.[1] ?? []);
    return [
      `${[...names].join(" and ")}${places.length === 0 ? "" : `, ${places.join(" or ").replace(" or a module in", " or")}`}:`,
      "",
      block,
      "",
    ];
  });
}

function spell(event: string, tables: readonly Dialect[]): Spelling[] {
  return tables.flatMap((dialect) =>
    dialect.lanes.flatMap((lane) =>
      lane.rows
        .filter((row) => row.of === event)
        .map((row) => ({
          dialect: dialect.id,
          lane: lane.id,
          name: row.name,
          when:
            row.when === undefined
              ? undefined
              : (WHEN[`${dialect.id} ${row.name} ${event}`] ?? "but not each time that the event fires"),
        })),
    ),
  );
}

/** Returns rows of dialects that do not fire each time and have no words for when they do. */
export function unworded(tables: readonly Dialect[]): string[] {
  return tables.flatMap(({ id, lanes }) =>
    lanes.flatMap(({ rows }) =>
      rows
        .filter(({ name, of, when }) => when !== undefined && WHEN[`${id} ${name} ${of}`] === undefined)
        .map(({ name, of }) => `${id} ${name} ${of}: no words say when it fires`),
    ),
  );
}

/** Returns the list of all events, with what the pages have in common. */
export function eventIndex(rows: ReadonlyMap<string, CatalogRow>): string {
  const lines = [...rows.values()].map((row) => `| [${row.name}](${row.name}.md) | ${row.kind} | ${row.fires} |`);
  return [
    "# Events",
    "",
    `An event is something that happens in an agent, and on which hookline runs hooks: the person's, the project's, and those of a program that embeds the library. hookline has ${rows.size} events. Each has a page with its fields, what a hook may answer, a sample, and a hook for it in each [dialect](../dialects.md) (the hook format of another agent). Agents behind the [bridge](../../guide/bridge.md) fire [some of them](../hosts.md).`,
    "",
    "## Kinds",
    "",
    "| kind | means |",
    "|---|---|",
    ...Object.entries(KINDS).map(([kind, meaning]) => `| ${kind} | ${meaning} |`),
    "",
    "## All events",
    "",
    "| event | kind | fires |",
    "|---|---|---|",
    ...lines,
    "",
    "## The first table of a page",
    "",
    "It is about [guards](../guards.md) and handlers of the [library](../../guide/embed.md). Hooks of another agent keep that agent's rules among themselves; [Lanes and folds](../../explanation/lanes-and-folds.md) explains how their answers are joined with the others.",
    "",
    "| row | means |",
    "|---|---|",
    "| kind | what hooks may do, as above |",
    "| several answers | how the answers of several hooks become one, field by field |",
    "| later hooks see | whether a hook sees what hooks before it have changed |",
    "| order | whether hooks are asked one after the other or at the same time |",
    "| sub-agents | whether hooks are also asked about what sub-agents do |",
    "| a matcher is tested on | the field by which hooks of this event are chosen, such as by a guard's `tools` |",
    "| a handler that fails | what it means if a handler throws, answers something invalid or takes too long: see [What a failure means](../../explanation/failure-policy.md) |",
    "| time limit | how long one handler may take |",
    "| since | the version of hookline that had the event first |",
    "",
  ].join("\n");
}
