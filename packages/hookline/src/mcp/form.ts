import { cleanText } from "@hookline/ground";
import type { HostUi } from "@hookline/runtime";
import type { ElicitAnswer } from "./server.ts";

/** A server's question to the person. */
export interface Form {
  readonly server: string;
  readonly message: string;
  readonly schema: {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[] | undefined;
  };
  readonly signal: AbortSignal;
}

type Field = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | string[];

const ANSWER = "Answer";
const DECLINE = "Decline";
/** The choice with which the person leaves a field out. */
const NOTHING = "(leave it out)";

/** Asks the person for each field of a server's question, with the server's name. Esc cancels at any point. */
export async function askForm(ui: HostUi, { server, message, schema, signal }: Form): Promise<ElicitAnswer> {
  const from = `MCP server "${cleanText(server)}"`;
  const dialog = { signal };
  const chosen = await ui.select?.(`${from} asks: ${cleanText(message)}`, [ANSWER, DECLINE], dialog);
  if (chosen === undefined) return { action: "cancel" };
  if (chosen === DECLINE) return { action: "decline" };
  const content: Record<string, Value> = {};
  for (const [name, given] of Object.entries(schema.properties)) {
    const field = given as Field;
    const isNeeded = schema.required?.includes(name) === true;
    const said = await askField(ui, `${from}: ${titleOf(name, field)}`, { field, isNeeded, dialog });
    if (said === "cancelled") return { action: "cancel" };
    const value = said?.value ?? (field["default"] as Value | undefined);
    if (value !== undefined) content[name] = value;
  }
  return { action: "accept", content };
}

interface Asked {
  readonly field: Field;
  readonly isNeeded: boolean;
  readonly dialog: { readonly signal: AbortSignal };
}

type FieldAnswer = { readonly value: Value } | undefined | "cancelled";

async function askField(ui: HostUi, title: string, { field, isNeeded, dialog }: Asked): Promise<FieldAnswer> {
  const choices = choicesOf(field);
  if (choices !== undefined) {
    const names = [...choices.keys(), ...(isNeeded ? [] : [NOTHING])];
    const chosen = await ui.select?.(title, names, dialog);
    if (chosen === undefined) return "cancelled";
    return choices.has(chosen) ? { value: choices.get(chosen) as Value } : undefined;
  }
  const standing = field["default"] === undefined ? undefined : cleanText(String(field["default"]));
  for (let problem = ""; ; ) {
    const text = await ui.input?.(problem === "" ? title : `${title} (${problem})`, standing, dialog);
    if (text === undefined) return "cancelled";
    if (text.trim() === "" && (!isNeeded || field["default"] !== undefined)) return undefined;
    const value = typedOf(text, field);
    if (value !== undefined && text.trim() !== "") return { value };
    problem = text.trim() === "" ? "it needs an answer" : `it must be ${wordFor(field)}`;
  }
}

/** Returns the allowed values of a field by label; undefined if any value is allowed. */
function choicesOf({ type, enum: values, enumNames, oneOf }: Field): ReadonlyMap<string, Value> | undefined {
  if (type === "boolean")
    return new Map([
      ["Yes", true],
      ["No", false],
    ] as const);
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return new Map(values.map((value, at) => [cleanText(String(names[at] ?? value)), String(value)]));
  }
  if (!Array.isArray(oneOf)) return undefined;
  return new Map(oneOf.map(({ const: value, title = value }: Field) => [cleanText(String(title)), String(value)]));
}

function typedOf(text: string, { type }: Field): Value | undefined {
  if (type === "array") return text.split(",").map((one) => one.trim());
  if (type !== "number" && type !== "integer") return text;
  const amount = Number(text);
  return Number.isFinite(amount) && (type === "number" || Number.isInteger(amount)) ? amount : undefined;
}

function wordFor({ type }: Field): string {
  return type === "integer" ? "a whole number" : "a number";
}

function titleOf(name: string, { title, description, type, items }: Field): string {
  const allowed = type === "array" ? (items as Field | undefined)?.["enum"] : undefined;
  const from = Array.isArray(allowed) ? ` (some of ${allowed.join(", ")}, with commas between them)` : "";
  const says = typeof description === "string" ? ` (${description})` : "";
  return cleanText(`${typeof title === "string" ? title : name}${says}${from}`);
}
