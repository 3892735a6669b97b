import { NOTE } from "../record.ts";

/** An extension's tools, whose words are the same in both programs: `probe` answers, `breaks` throws. */
const tools = (pi: any): void => {
  const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const tool = (name: string, execute: (id: string, given: any) => Promise<unknown>): void =>
    pi.registerTool({ name, label: name, description: name, parameters, execute });
  tool("probe", async (_, { n }) => ({ content: [{ type: "text", text: `n is ${n}` }], details: { n } }));
  tool("breaks", async () => {
    throw new Error("it broke");
  });
};

/** The source of an extension that has the tools, and what a function registers besides. */
export function withTools(more: (pi: any) => unknown = () => {}): string {
  return `${NOTE}
const tools = ${String(tools)};
const more = ${String(more)};
export default (pi) => { tools(pi); more(pi); };
`;
}

/** A call of `probe`, or of another tool with the same arguments. */
export function probe(
  id: string,
  n = 1,
  name = "probe",
): { name: string; id: string; arguments: Record<string, unknown> } {
  return { name, id, arguments: { n } };
}
