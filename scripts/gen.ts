import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GUARD_SETTINGS, type GuardSetting } from "@hookline/guards/settings";
import { dialects } from "@hookline/runtime/dialects";
import { type CatalogRow, catalog, type Dialect, type SettingRow, traceSchema } from "@hookline/runtime/engine";
import { toJsonSchema } from "@valibot/to-json-schema";
import { CODES } from "../packages/ground/src/error/codes.ts";
import { FILE_SCHEMAS } from "../packages/hookline/src/cli/file-schemas.ts";
import { LIMITS } from "../packages/hookline/src/provider/limits.ts";
import { SETTINGS, wanted } from "../packages/hookline/src/settings/rows.ts";
import { agentHooksPage } from "./agent-hooks-page.ts";
import { commandLine } from "./command-line.ts";
import { deviations } from "./deviations.ts";
import { type ObjectSchema, unsaid } from "./event-fields.ts";
import { eventIndex, eventPage, unworded } from "./event-page.ts";
import { facePages } from "./faces.ts";
import { DATA, freshPage, type Kept, PAGE } from "./fresh-page.ts";
import { HOSTS_PAGE, hostsPage } from "./hosts-page.ts";
import { limitsPage } from "./limits-page.ts";
import { matrix } from "./matrix.ts";
import { performancePages } from "./performance.ts";
import { askedSchema, headerSchema, momentSchema, shadowSchema } from "./recording-schema.ts";
import { replaySchema } from "./replay-schema.ts";
import { keptCard } from "./report-card.ts";
import { rowFieldsModule } from "./row-fields.ts";
import { root } from "./step.ts";
import { totalsPage } from "./totals.ts";

/** Returns all generated files: path → text. Folders that are entirely generated must contain nothing else. */
export function generate(
  rows: ReadonlyMap<string, CatalogRow> = catalog,
  tables: readonly Dialect[] = dialects,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const row of rows.values()) {
    const schema = schemaOf(row);
    files.set(`docs/reference/schemas/${row.name}.json`, json(schema));
    files.set(`docs/reference/events/${row.name}.md`, eventPage(row, tables, schema.properties));
  }
  files.set("docs/reference/schemas/trace-line.json", json(traceLineSchema()));
  files.set("docs/reference/schemas/recording.json", json(recordingSchema()));
  files.set("docs/reference/schemas/replay.json", json(replayResultSchema()));
  for (const [name, schema] of Object.entries(FILE_SCHEMAS))
    files.set(`packages/hookline/schemas/${name}.schema.json`, json(schema()));
  files.set("docs/reference/events/README.md", eventIndex(rows));
  files.set("docs/reference/dialects.md", matrix(rows, tables));
  files.set("docs/reference/errors.md", errors());
  files.set("packages/bridge/src/report/row-fields.ts", rowFieldsModule(rows, tables));
  for (const [path, text] of [...performancePages(), ...facePages()]) files.set(path, text);
  files.set("docs/reference/settings.md", settings());
  files.set(HOSTS_PAGE, hostsPage());
  files.set("docs/reference/limits.md", limitsPage());
  files.set("docs/reference/agent-hooks.md", agentHooksPage());
  files.set("docs/reference/requirements.md", totalsPage());
  files.set("docs/reference/report-card.md", keptCard());
  const license = readFileSync(join(root, "LICENSE"), "utf8");
  for (const name of ["runtime", "guards", "hookline", "conformance"]) files.set(`packages/${name}/LICENSE`, license);
  files.set(PAGE, freshPage(JSON.parse(readFileSync(join(root, DATA), "utf8")) as Kept));
  return files;
}

/** Returns the generated parts of files: path → part name → text. Each part is between two markers. */
function parts(): Map<string, Readonly<Record<string, string>>> {
  const files = new Map<string, Readonly<Record<string, string>>>();
  for (const { id } of dialects) files.set(`packages/integrations/src/${id}/README.md`, { deviations: deviations(id) });
  return files;
}

/** Returns the file with its generated parts; throws if a marker is missing. */
function withParts(path: string, of: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(root, path), "utf8");
  for (const [name, part] of Object.entries(of)) {
    const begin = `<!-- generated: ${name} -->\n`;
    const from = text.indexOf(begin);
    const to = text.indexOf("<!-- end -->", from);
    if (from < 0 || to < 0) throw new Error(`${path} has no place for its ${name}: add the markers.`);
    text = `${text.slice(0, from + begin.length)}${part}${text.slice(to)}`;
  }
  return text;
}

/** Folders that are entirely generated. */
const OWNED = ["docs/reference/schemas", "docs/reference/events", "packages/hookline/schemas", "api"];

const DRAFT = "http://json-schema.org/draft-07/schema#";

function convert(schema: ReturnType<CatalogRow["payload"]>): object {
  const { $schema: _, ...rest } = toJsonSchema(schema as never, { errorMode: "ignore" });
  return rest;
}

/** Returns the schema of a line of the file that `--trace` writes. */
function traceLineSchema(): object {
  return {
    $schema: DRAFT,
    title: "trace line",
    description:
      "One dispatch: who was asked, what they answered and changed, what came of it. Without --trace-payloads each text, list and object stands as its type, its size and a digest.",
    ...convert(traceSchema()),
  };
}

/** Returns the schema of the output of `hookline replay --json`. */
function replayResultSchema(): object {
  return {
    $schema: DRAFT,
    title: "replay",
    description:
      "What a replay came to. The moments are those that were asked and those of notAsked; those that were asked are the same, each class and notJudged.",
    ...convert(replaySchema() as never),
  };
}

/** Returns the schema of a recording's lines. */
function recordingSchema(): object {
  const at = {
    type: "integer",
    minimum: 0,
    description: "The byte at which this line begins, counted as its header does.",
  };
  return {
    $schema: DRAFT,
    title: "recording",
    description:
      'One line of a recording. In a value {"$at": n} stands for the value on the line that begins at byte n, and {"$list": n, "keep": k, "push": […]} for the first k items of that list with more behind them. A member that is itself called $at or $list, with however many $, is written with one $ more.',
    oneOf: [
      { title: "header", ...convert(headerSchema()) },
      {
        title: "value",
        type: "object",
        properties: { at, value: {} },
        required: ["at", "value"],
        additionalProperties: false,
      },
      { title: "moment", ...convert(momentSchema()) },
      {
        title: "asked",
        description: "What was said to the `ask` of moment n.",
        type: "object",
        properties: { v: { const: 2 }, n: { type: "integer" }, asked: convert(askedSchema()) },
        required: ["v", "n", "asked"],
        additionalProperties: false,
      },
      {
        title: "shadow",
        description:
          "What a hook in shadow said about moment n, which lists it with the status `asked`. The shape is that of its values with their references resolved.",
        type: "object",
        properties: { v: { const: 2 }, n: { type: "integer" }, shadow: convert(shadowSchema()) },
        required: ["v", "n", "shadow"],
        additionalProperties: false,
      },
      {
        title: "end",
        type: "object",
        properties: { v: { const: 2 }, end: { const: true }, moments: { type: "integer" } },
        required: ["v", "end", "moments"],
        additionalProperties: false,
      },
    ],
  };
}

function schemaOf(row: CatalogRow) {
  return {
    $schema: DRAFT,
    title: row.name,
    description: row.fires,
    type: "object",
    properties: { event: convert(row.payload()) as ObjectSchema, answer: convert(row.answer()) as ObjectSchema },
  };
}

function errors(): string {
  const lines = Object.entries(CODES).map(
    ([code, row]) => `| \`${code}\` | ${row.kind} | ${row.severity} | ${piped(row.message)} | ${piped(row.hint)} |`,
  );
  return [
    "# Errors and diagnostics",
    "",
    "Every error and warning of hookline has a code, which stays the same while its text may change. Look up here what a code means and what to do.",
    "",
    "| kind | the cause | how it reaches you |",
    "|---|---|---|",
    "| caller | a mistake on the command line or in a program that [embeds the library](../guide/embed.md) | thrown as `HooklineError`, with the code in its `code` |",
    "| config | a file of hooks or settings | reported |",
    "| hook | a hook failed, or answered something that has no effect | reported |",
    "| engine | hookline or the machine, not the hook; a guard (a hook that can refuse a call) that cannot run for this cause refuses | reported |",
    "| policy | a rule of hookline was applied, such as [what a failure means](../explanation/failure-policy.md) or a limit | reported |",
    "",
    "What is reported is called a *diagnostic*: it appears on the screen or on stderr, and a program gets it from `onDiagnostic`. In braces are the parts that differ from case to case, such as `{path}`; `{problem}` says what is wrong, `{remedy}` what to do, and `{guess}` suggests the nearest name if there is one.",
    "",
    "| code | kind | severity | message | what to do |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

/** The effect of each setting without a default while it is not set. */
const UNSET: Readonly<Record<string, string>> = {
  lanes: "[the usual order](../explanation/lanes-and-folds.md#a-lane)",
  dialects: "all",
  toolCallTimeoutMs: "60000 for pi, 30000 for omp extensions, no limit for omp hooks",
  "compaction.threshold": "the model's context window less `compaction.reserveTokens`",
  "toolOutputCache.allowedPaths": "none",
  "chibi.linkDirectories": "none",
  failClosed: "none",
  required: "none",
  shadow: "none",
  packages: "none",
  "ttsr.disabledRules": "none",
  theme: "`light` or `dark`, by the variable `COLORFGBG`",
};

function usually(key: string, { default: usual }: SettingRow): string {
  if (usual !== undefined) return Array.isArray(usual) && usual.length === 0 ? "none" : `\`${JSON.stringify(usual)}\``;
  const unset = UNSET[key];
  if (unset === undefined) throw new Error(`The setting ${key} has no default: say in UNSET what holds without it.`);
  return unset;
}

/** Describes the values of a setting; those of guards have limits of their own. */
function valuesOf(key: string, row: SettingRow): string {
  const [, guard = "", name = ""] = key.split(".");
  const one = (GUARD_SETTINGS as Readonly<Record<string, Readonly<Record<string, GuardSetting>>>>)[guard]?.[name];
  if (Array.isArray(row.type) && row.type.length === 1) return `only ${row.type[0]}`;
  if (!key.startsWith("guards.") || one?.type !== "count") return wanted(row);
  return one.max === undefined ? "a whole number over 0" : `a whole number from 1 to ${one.max}`;
}

function settings(): string {
  const lines = Object.entries(SETTINGS).map(([key, row]) => {
    const project = row.project === undefined ? "nothing" : `${row.project.adds}: ${row.project.because}`;
    return `| \`${key}\` | ${piped(row.says)} | ${piped(valuesOf(key, row))} | ${usually(key, row)} | ${project} |`;
  });
  return [
    "# Settings",
    "",
    'Every setting of hookline, for those who run it or embed its hooks. Your settings are in `settings.json` of hookline\'s home (`~/.hookline`, or the folder that `HOOKLINE_HOME` names), a project\'s in `.hookline/settings.json`. A dot in a name is a level of the file: `compaction.microAt` is `{ "compaction": { "microAt": 60 } }`.',
    "",
    "A project cannot set anything that touches your hooks: the last column says what it may set, and why that is safe. Anything else that it sets is reported and not used. An unknown name is reported with the nearest one, and a wrong value with what it must be; the rest of the file counts.",
    "",
    "`/etc/hookline/settings.json` holds the same settings for everybody on a machine. It counts only if root owns the file and its folder, and nobody else may write to them. Its values override yours, and its lists are added to yours.",
    "",
    "If your file or the machine's cannot be read, a run without a person (`-p`) exits with 1, and the screen asks you: otherwise guards that the file makes stricter would silently let calls pass. The same applies to a wrong value of `required`, `failClosed`, `chibi.guardFailure`, or of a setting of [guards](guards.md) that a project may tighten.",
    "",
    "Some words that the table uses: a *lane* is the hooks of one [dialect](dialects.md), which is an agent's format of hooks (`claude`, `pi`, `omp` for oh-my-pi, `jcli`, `chibi`, `hookline`). Hooks of oh-my-pi have two forms, *hooks* and *extensions* ([the difference](../../packages/integrations/src/omp/README.md)). A hook *refuses* a call, and *redacts* a text ([what a failure means](../explanation/failure-policy.md)). A hook in [*shadow*](../guide/shadow.md) is asked, and its answer has no effect. A [*checkpoint*](../guide/undo.md) is a copy of a project's files. A *stream rule* (TTSR) stops a reply whose text matches its pattern.",
    "",
    "| setting | meaning | values | default | a project may set |",
    "|---|---|---|---|---|",
    ...lines,
    "",
    "## Limits without a setting",
    "",
    "These limits apply to what a model sends, with every provider. A call over one of them is refused: the model is told which limit it was and what to do, and the run continues. A reply that is too large ends its request; what has arrived is kept, and none of its calls run.",
    "",
    "| in one reply | at most | beyond that |",
    "|---|---|---|",
    `| levels of nesting in one call's arguments | ${LIMITS.depth} | the call is refused |`,
    `| characters in one call's arguments | ${LIMITS.arguments} (8 Mi) | the call is refused |`,
    `| calls | ${LIMITS.calls} | the calls after them are refused |`,
    `| texts, thoughts and calls together | ${LIMITS.blocks} | the reply is ended |`,
    `| characters of all texts, thoughts and calls | ${LIMITS.reply} (32 Mi) | the reply is ended |`,
    "",
  ].join("\n");
}

function piped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (import.meta.main) {
  const { values } = commandLine({
    name: "gen",
    says: "Writes the files that are generated from the rows.",
    options: { check: { type: "boolean", says: "write nothing, and fail if a file is stale" } },
  });
  const check = values.check === true;
  const files = generate();
  for (const [path, of] of parts()) files.set(path, withParts(path, of));
  const stale: string[] = [];
  for (const [path, text] of files) {
    const full = join(root, path);
    if (existsSync(full) && readFileSync(full, "utf8") === text) continue;
    stale.push(path);
    if (check) continue;
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  for (const folder of OWNED) {
    for (const name of existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []) {
      if (files.has(`${folder}/${name}`)) continue;
      stale.push(`${folder}/${name}`);
      if (!check) rmSync(join(root, folder, name));
    }
  }
  for (const path of stale) process.stderr.write(`${check ? "stale" : "written"}: ${path}\n`);
  process.stdout.write(`${files.size} generated files, ${stale.length} ${check ? "stale" : "written"}\n`);
  const missing = [...unsaid(catalog), ...unworded(dialects)];
  for (const problem of missing) process.stderr.write(`${problem}\n`);
  if ((check && stale.length > 0) || missing.length > 0) process.exitCode = 1;
}
