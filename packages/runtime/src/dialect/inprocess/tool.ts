import type { ToolDefinition } from "../../port/host.ts";
import type { InProcessContext } from "./context.ts";

type Update = Parameters<ToolDefinition["execute"]>[3];
type Foreign = Readonly<Record<string, unknown>> & {
  execute(id: string, params: never, signal: AbortSignal | undefined, onUpdate: Update, context: object): unknown;
};

/** Members that may stand on a definition's class rather than on the definition itself. */
const members = [
  "label",
  "promptSnippet",
  "promptGuidelines",
  "executionMode",
  "prepareArguments",
  "renderShell",
  "renderCall",
  "renderResult",
] as const;

/**
 * A module's tool as the host runs it: each call gets a fresh context of the module's own kind.
 * Throws for definitions that could never run.
 */
export function hostTool(definition: unknown, contextOf: () => InProcessContext): ToolDefinition {
  const { name, description, parameters, execute } = (definition ?? {}) as Partial<Foreign>;
  if (typeof name !== "string" || name === "") throw new TypeError("A tool needs a name of one or more characters");
  if (typeof execute !== "function") throw new TypeError(`The tool "${name}" has no execute function`);
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw new TypeError(`The tool "${name}" has no parameters; give it a JSON schema of type "object"`);
  }
  const foreign = definition as Foreign;
  const found: Record<string, unknown> = {};
  for (const member of members) {
    const value = foreign[member];
    if (value !== undefined) found[member] = typeof value === "function" ? value.bind(foreign) : value;
  }
  return {
    ...foreign,
    label: name,
    ...found,
    name,
    description: typeof description === "string" ? description : "",
    parameters: parameters as Readonly<Record<string, unknown>>,
    execute: async (toolCallId, params, signal, onUpdate) =>
      (await foreign.execute(toolCallId, params, signal, onUpdate, contextOf())) as never,
  };
}
