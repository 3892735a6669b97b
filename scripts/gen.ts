import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { type CatalogRow, catalog, type Dialect, traceSchema } from "@hookline/runtime/engine";
import { toJsonSchema } from "@valibot/to-json-schema";
import { CODES } from "../packages/ground/src/error/codes.ts";
import { FILE_SCHEMAS } from "../packages/hookline/src/cli/file-schemas.ts";
import { LIMITS } from "../packages/hookline/src/provider/limits.ts";
import { SETTINGS, wanted } from "../packages/hookline/src/settings/rows.ts";
import { agentHooksPage } from "./agent-hooks-page.ts";
import { commandLine } from "./command-line.ts";
import { deviations } from "./deviations.ts";
import { fieldTable, type ObjectSchema, sampleText } from "./event-fields.ts";
import { handlerOf } from "./event-handlers.ts";
import { sampleOf } from "./event-samples.ts";
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
    files.set(`docs/reference/schemas/${row.name}.json`, json(schemaOf(row)));
    files.set(`docs/reference/events/${row.name}.md`, eventPage(row, tables));
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

function schemaOf(row: CatalogRow): unknown {
  return {
    $schema: DRAFT,
    title: row.name,
    description: row.fires,
    type: "object",
    properties: { event: convert(row.payload()), answer: convert(row.answer()) },
  };
}

function eventPage(row: CatalogRow, tables: readonly Dialect[]): string {
  const { event, answer } = (schemaOf(row) as { properties: Readonly<Record<"event" | "answer", ObjectSchema>> })
    .properties;
  const spellings = spell(row.name, tables);
  const sample = sampleOf(row.name);
  return [
    `# ${row.name}`,
    "",
    row.fires,
    "",
    ...(sample === undefined
      ? []
      : [
          `A [guard](../guards.md) for it, as \`.hookline/guards/NAME.ts\`; \`hookline hooks test\` runs its cases:`,
          "",
          `\`\`\`ts\n${sample}\`\`\``,
          "",
        ]),
    "| | |",
    "|---|---|",
    `| kind | ${row.kind} |`,
    `| how answers become one | ${row.kind === "observe" || row.kind === "shutdown" ? "answers are ignored" : `\`${row.fold.name}\``} |`,
    `| later hooks see | ${
      Object.entries(row.feeds)
        .map(([field, feed]) => `\`${field}\`: ${feed}`)
        .join(", ") || "the original"
    } |`,
    `| schedule | ${row.schedule} |`,
    `| sub-agents | ${row.agents === "all" ? "fire it too" : "never fire it"} |`,
    `| a matcher is tested on | ${row.subject === undefined ? "nothing" : `\`${row.subject}\``} |`,
    `| a failing library handler | ${policy(row)} |`,
    `| time limit | ${row.timeoutMs === undefined ? "none; named after 5 s" : `${row.timeoutMs} ms`} |`,
    `| since | ${row.since} |`,
    "",
    ...fieldTable(event, "in"),
    ...fieldTable(answer, "out"),
    "A sample, in hookline's words:",
    "",
    `\`\`\`json\n${sampleText(row)}\n\`\`\``,
    "",
    ...(sample === undefined
      ? ["A handler of the library:", "", `\`\`\`js\nsession.on("${row.name}", (event) => undefined);\n\`\`\``, ""]
      : []),
    "In the dialects:",
    "",
    ...(spellings.length === 0
      ? ["none has this event."]
      : spellings.map(({ lane, name, note }) => `- ${lane}: \`${name}\`${note}`)),
    "",
    ...handlers(spellings),
    `[JSON Schema](../schemas/${row.name}.json)`,
    "",
  ].join("\n");
}

/** Returns a sample handler for the event in each dialect that has it; handlers with the same text are shown once. */
function handlers(spellings: readonly { readonly lane: string; readonly name: string }[]): string[] {
  const lanes = new Map<string, Set<string>>();
  for (const { lane, name } of spellings) {
    const shown = [...lanes.values()].some((others) => others.has(lane));
    const [language, text] = handlerOf(lane, name) ?? [];
    if (text === undefined || shown) continue;
    const block = `\`\`\`${language}\n${text}\n\`\`\``;
    lanes.set(block, (lanes.get(block) ?? new Set()).add(lane));
  }
  return [...lanes].flatMap(([block, names]) => [`${[...names].join(" and ")}:`, "", block, ""]);
}

function policy(row: CatalogRow): string {
  switch (row.kind) {
    case "guard":
      return "refuses";
    case "observe":
    case "shutdown":
      return "is reported";
    case "gate":
    case "transform":
    case "redactor":
    case "control":
      return "changes nothing and is reported";
  }
}

function spell(event: string, tables: readonly Dialect[]): { lane: string; name: string; note: string }[] {
  return tables.flatMap((dialect) =>
    dialect.lanes.flatMap((lane) =>
      lane.rows
        .filter((row) => row.of === event)
        .map((row) => ({
          lane: lane.id,
          name: row.name,
          note: row.when === undefined ? "" : " (at some of these moments)",
        })),
    ),
  );
}

function eventIndex(rows: ReadonlyMap<string, CatalogRow>): string {
  const lines = [...rows.values()].map((row) => `| [${row.name}](${row.name}.md) | ${row.kind} | ${row.fires} |`);
  return [
    "# Events",
    "",
    `hookline has ${rows.size} events.`,
    "",
    "| event | kind | fires |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

function errors(): string {
  const lines = Object.entries(CODES).map(
    ([code, row]) => `| \`${code}\` | ${row.kind} | ${row.severity} | ${piped(row.message)} | ${piped(row.hint)} |`,
  );
  return [
    "# Errors and diagnostics",
    "",
    "Codes of kind `caller` are thrown as `HooklineError`; all others are reported as diagnostics.",
    "",
    "| code | kind | severity | message | what to do |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

function settings(): string {
  const lines = Object.entries(SETTINGS).map(([key, row]) => {
    const usual = row.default === undefined ? "" : `\`${JSON.stringify(row.default)}\``;
    return `| \`${key}\` | ${piped(wanted(row))} | ${usual} | ${row.project === undefined ? "nothing" : `${row.project.adds}: ${row.project.because}`} | ${piped(row.says)} |`;
  });
  return [
    "# Settings",
    "",
    'Settings are in `settings.json` of hookline\'s home and in `.hookline/settings.json` of a project. A dot in a name is a level of the file: `compaction.microAt` is `{ "compaction": { "microAt": 60 } }`. A project cannot set anything that touches your hooks: the table says what it may add, and why that is safe. Anything else that it sets is reported and not used. An unknown name is reported with the nearest one, and a wrong value with what it must be; the rest of the file counts.',
    "",
    "`/etc/hookline/settings.json` holds the same settings for everybody on a machine. It counts only if root owns the file and its folder, and nobody else may write to them. Its values override yours, and its lists are added to yours.",
    "",
    "If your file or the machine's cannot be read, an unattended run exits with 1, and the screen asks you: otherwise the guards that the file closes would silently be open. The same applies to a wrong value of `required`, `failClosed`, `chibi.guardFailure`, or of a setting of guards that a project may tighten.",
    "",
    "| setting | what it may be | default | what a project may add | what it says |",
    "|---|---|---|---|---|",
    ...lines,
    "",
    "## Limits without a setting",
    "",
    "These limits apply to what a model sends, with every provider. A call over one of them is refused: the model is told which limit it was and what to do, and the run continues. A reply that is too large ends its request; what has arrived is kept, and none of its calls run.",
    "",
    "| of a reply | at most | over it |",
    "|---|---|---|",
    `| levels of one call's arguments | ${LIMITS.depth} | the call is refused |`,
    `| characters of one call's arguments | ${LIMITS.arguments} (8 Mi) | the call is refused |`,
    `| calls | ${LIMITS.calls} | the calls after them are refused |`,
    `| texts, thoughts and calls | ${LIMITS.blocks} | the reply is ended |`,
    `| characters of all of them | ${LIMITS.reply} (32 Mi) | the reply is ended |`,
    "",
  ].join("\n");
}

function piped(text: string): string {
  return text.replaceAll("|", "\\|");
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
  if (check && stale.length > 0) process.exitCode = 1;
}
