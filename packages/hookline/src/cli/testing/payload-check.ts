import { didYouMean, type Fields, nearest } from "@hookline/ground";
import { plainJson } from "@hookline/ground/system";
import type { Scene } from "@hookline/runtime";
import { catalog } from "@hookline/runtime/engine";
import { sampleEvent } from "@hookline/runtime/testing";
import { toJsonSchema } from "@valibot/to-json-schema";
import { faultsOf } from "../../tool/check.ts";
import type { Schema } from "../../tool/json-schema.ts";
import type { EventTarget } from "../target.ts";

/**
 * Returns problems with the event fields that a person gives. Each has the nearest name or the expected type. A
 * dialect's event has no schema, so its fields are compared with a sample. An unknown field is accepted if no field of
 * the sample has a similar name, because some fields occur only in some events.
 */
export function payloadProblems(target: EventTarget, given: Fields, whole: Fields, scene: Scene): string[] {
  return target.kind === "catalog" ? catalogProblems(target.event, given, whole) : laneProblems(target, given, scene);
}

function catalogProblems(event: string, given: Fields, whole: Fields): string[] {
  const row = catalog.get(event);
  if (row === undefined) return [];
  const schema = toJsonSchema(row.payload() as never, { errorMode: "ignore" }) as Fields;
  const known = Object.keys((schema["properties"] ?? {}) as Fields);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const faults = faultsOf(plainJson(whole), schema as Schema).filter(({ at }) => {
    const [, name = ""] = at.split("/");
    // Only faults in the given fields count: a sample may hold values that JSON cannot express.
    return Object.hasOwn(given, name);
  });
  return [
    ...unknown.map((name) => unknownField(event, name, known)),
    ...faults.map(({ at, message }) => `"${at.slice(1).replaceAll("/", ".")}" ${message}`),
  ];
}

function laneProblems({ lane, event }: Extract<EventTarget, { kind: "lane" }>, given: Fields, scene: Scene): string[] {
  const row = lane.rows.find(({ name }) => name === event);
  if (row === undefined) return [];
  const sample = sampleEvent(row, scene) as Fields;
  const names = Object.keys(sample);
  return Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(sample, name)) {
      const near = nearest(name, names);
      return near === undefined || Object.hasOwn(given, near) ? [] : [unknownField(`${lane.id}:${event}`, name, names)];
    }
    const [is, expected] = [kindOf(value), kindOf(sample[name])];
    return is === expected || expected === "nothing" ? [] : [`"${name}" must be ${expected}, and is ${is}`];
  });
}

function unknownField(event: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `${event} has no field "${name}". ${near === undefined ? `It has ${known.join(", ")}.` : didYouMean(near).trim()}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as string] ?? "an object";
}
