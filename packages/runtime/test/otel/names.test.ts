import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/otel/instrument.ts";
import { CONVENTIONS, GEN_AI, METRICS, OPERATIONS, PROVIDERS } from "../../src/otel/names.ts";
import registry from "./registry.json" with { type: "json" };

// registry.json holds the parts of the registry that are used here, at the commit that it names, without its prose.
const attributes = new Map(registry.registry.attributes.map((attribute) => [attribute.key, attribute]));

function membersOf(key: string): readonly string[] {
  const type = attributes.get(key)?.type;
  if (typeof type !== "object") throw new Error(`${key} has no members`);
  return type.members;
}

describe("the names of telemetry are those of the GenAI conventions", () => {
  test("at the commit and the schema that the code names", () => {
    expect(registry).toMatchObject({
      repository: CONVENTIONS.repository,
      commit: CONVENTIONS.commit,
      schema_url: CONVENTIONS.schemaUrl,
    });
  });

  test.each(Object.values(GEN_AI))("attribute %s", (key) => {
    expect(attributes.has(key)).toBe(true);
  });

  test("each attribute of the shortened registry is used, so it contains no more than is needed", () => {
    expect([...attributes.keys()].sort()).toEqual([...Object.values(GEN_AI)].sort());
  });

  test.each(Object.values(OPERATIONS))("operation %s", (name) => {
    expect(membersOf(GEN_AI.operation)).toContain(name);
  });

  test.each(Object.values(PROVIDERS))("provider %s", (name) => {
    expect(membersOf(GEN_AI.provider)).toContain(name);
  });

  test.each(Object.values(METRICS).filter(({ name }) => name.startsWith("gen_ai.")))("metric $name", (metric) => {
    const known = registry.registry.metrics.find(({ name }) => name === metric.name);
    expect(known).toMatchObject({ unit: metric.unit, instrument: "histogram" });
  });
});

test("the scope has the package's version", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(VERSION).toBe((JSON.parse(text) as { readonly version: string }).version);
});
