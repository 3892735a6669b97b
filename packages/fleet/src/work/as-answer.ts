import { catalog } from "../kit.ts";

/** Converts the outcome of several hooks to the form of one hook's answer. A list of texts becomes one text. */
export function asAnswer(event: string, outcome: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = catalog.get(event)?.read;
  const said = Object.entries(outcome).filter(([, value]) => value !== undefined);
  const entries = said.map(([name, value]) => {
    const isText = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (!isText || read?.({ [name]: value } as never).ok === true) return [name, value];
    return [name, value.join("\n\n")];
  });
  return Object.fromEntries(entries);
}
