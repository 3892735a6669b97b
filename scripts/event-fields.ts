import { plainJson } from "@hookline/ground/system";
import type { CatalogRow } from "@hookline/runtime/engine";
import { payloadOf } from "../packages/runtime/src/testing/sample.ts";
import { RUN_SENTENCES, type Sentences } from "./event-sentences.ts";
import { TOOL_SENTENCES } from "./tool-sentences.ts";

/** Sentences by event. A field without one, and a sentence without a field, fail a test. */
const SENTENCES: Readonly<Record<string, Sentences>> = { ...RUN_SENTENCES, ...TOOL_SENTENCES };

/** The parts of a property in a JSON Schema that are shown. */
interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
}

/** The parts of an object's JSON Schema that are shown. */
export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

type Part = "in" | "out";

/** Returns the rows of a table of an event's fields: name, type, sentence. */
export function fieldTable(event: string, schema: ObjectSchema | undefined, part: Part): string[] {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.length === 0) return [];
  const rows = fields.map(([name, property]) => {
    const mark = schema?.required?.includes(name) ? "" : "?";
    const sentence = SENTENCES[event]?.[part]?.[name] ?? "";
    return `| \`${name}\`${mark} | ${kindOf(property).replaceAll("|", "\\|")} | ${sentence} |`;
  });
  const title = part === "in" ? "What a hook is shown" : "What it may answer";
  return [`| ${title} | type | meaning |`, "|---|---|---|", ...rows, ""];
}

/** Returns fields of events without a sentence, and sentences about fields that do not exist. */
export function unsaid(rows: ReadonlyMap<string, CatalogRow>): string[] {
  const namesOf = (event: string, part: Part): readonly string[] => {
    const row = rows.get(event);
    const schema = (part === "in" ? row?.payload() : row?.answer()) as { readonly entries?: object } | undefined;
    return Object.keys(schema?.entries ?? {});
  };
  const missing = [...rows.keys()].flatMap((event) =>
    (["in", "out"] as const).flatMap((part) =>
      namesOf(event, part)
        .filter((name) => SENTENCES[event]?.[part]?.[name] === undefined)
        .map((name) => `${event}: the field "${name}" has no sentence`),
    ),
  );
  const stray = Object.entries(SENTENCES).flatMap(([event, parts]) =>
    Object.entries(parts).flatMap(([part, sentences]) =>
      Object.keys(sentences)
        .filter((name) => !namesOf(event, part as Part).includes(name))
        .map((name) => `${event}: there is no field "${name}"`),
    ),
  );
  return [...missing, ...stray];
}

function kindOf({ type, enum: words, const: one, anyOf, items }: Property): string {
  if (words !== undefined) return words.map((word) => `\`${JSON.stringify(word)}\``).join(" or ");
  if (one !== undefined) return `\`${JSON.stringify(one)}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(" or ");
  if (type === "array" && items?.type !== undefined) return `list of ${items.type}s`;
  return type === "array" ? "list" : (type ?? "anything");
}

/** Values of samples for fields that mean something else in most other events. */
const OWN_VALUES: Readonly<Record<string, object>> = {
  "agent.stop": { stopHookActive: true },
  "tool.end": { result: { content: [{ type: "text", text: "README.md" }], details: {} } },
};

/** Returns a sample payload of an event, as JSON with hookline's own field names. */
export function sampleText(row: CatalogRow): string {
  return JSON.stringify(plainJson({ ...payloadOf(row), ...OWN_VALUES[row.name] }), null, 2);
}
