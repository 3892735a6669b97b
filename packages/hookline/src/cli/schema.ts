import { didYouMean, nearest } from "@hookline/ground";
import { EXIT, type Io, jsonText, plainJson } from "@hookline/ground/system";
import { HooklineError } from "@hookline/runtime";
import { type CatalogRow, catalog, type Lane, traceSchema } from "@hookline/runtime/engine";
import { sampleEvent, samplePayload } from "@hookline/runtime/testing";
import { toJsonSchema } from "@valibot/to-json-schema";
import type { Arguments } from "../start/args.ts";
import { FILE_SCHEMAS } from "./file-schemas.ts";

const DRAFT = "http://json-schema.org/draft-07/schema#";

/**
 * `hookline schema [EVENT|FILE|trace]`: prints the JSON Schema of an event and of its answers, or of a file of
 * hookline's; without a word, of all events.
 */
export async function showSchema(args: Arguments, io: Io): Promise<number> {
  const [event] = args.words;
  if (event === undefined) {
    const definitions = Object.fromEntries([...catalog.values()].map((row) => [row.name, schemaOf(row)]));
    io.out(jsonText({ $schema: DRAFT, title: "hookline's events", definitions }));
    return EXIT.fine;
  }
  if (event === "trace") {
    io.out(jsonText({ $schema: DRAFT, title: "trace line", ...convert(traceSchema()) }));
    return EXIT.fine;
  }
  const file = Object.hasOwn(FILE_SCHEMAS, event) ? FILE_SCHEMAS[event] : undefined;
  if (file !== undefined) {
    io.out(jsonText(file()));
    return EXIT.fine;
  }
  const row = catalog.get(event);
  io.out(jsonText({ $schema: DRAFT, ...(row === undefined ? await dialectSchema(event, io) : schemaOf(row)) }));
  return EXIT.fine;
}

function schemaOf(row: CatalogRow): object {
  const { name, fires } = row;
  const event = { ...convert(row.payload()), examples: [plainJson(samplePayload(name as never))] };
  return {
    title: name,
    description: fires,
    type: "object",
    properties: { event, answer: convert(row.answer()) },
  };
}

function convert(schema: ReturnType<CatalogRow["payload"]>): object {
  const { $schema: _, ...rest } = toJsonSchema(schema as never, { errorMode: "ignore" });
  return rest;
}

/** Infers the schema of a dialect's own event from a sample, because such an event has none. */
async function dialectSchema(event: string, io: Io): Promise<object> {
  const { formats: dialects } = await import("@hookline/integrations");
  const lanes = dialects.flatMap((dialect) => dialect.lanes);
  const { lane, row } = find(event, lanes);
  const scene = { sessionId: "sample", cwd: io.cwd, messages: () => [], systemPrompt: () => "", context: "default" };
  const sample = plainJson(
    sampleEvent(row, { ...scene, summary: "", todos: "", goals: "", recursionDepth: 0 }),
  ) as object;
  const fires = catalog.get(row.of)?.fires ?? "";
  return {
    title: `${lane.id}:${row.name}`,
    description: `${fires} The catalog's event is ${row.of}.`,
    type: "object",
    properties: { event: { ...inferred(sample), examples: [sample] } },
  };
}

function find(event: string, lanes: readonly Lane[]): { lane: Lane; row: Lane["rows"][number] } {
  for (const lane of lanes) {
    const row = lane.rows.find(({ name }) =>
      [`${lane.id}:${name}`, `${lane.id.split("-")[0]}:${name}`].includes(event),
    );
    if (row !== undefined) return { lane, row };
  }
  const names = [
    ...catalog.keys(),
    ...Object.keys(FILE_SCHEMAS),
    "trace",
    ...lanes.flatMap(({ id, rows }) => rows.map(({ name }) => `${id}:${name}`)),
  ];
  const same = names.find((name) => name.endsWith(`:${event}`));
  throw new HooklineError("UNKNOWN_EVENT", { event, guess: didYouMean(same ?? nearest(event, names)) });
}

/** Returns the simplest schema that a value matches. */
function inferred(value: unknown): object {
  if (Array.isArray(value))
    return value.length === 0 ? { type: "array" } : { type: "array", items: inferred(value[0]) };
  if (typeof value !== "object" || value === null) return { type: value === null ? "null" : typeof value };
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inferred(field)])),
  };
}
