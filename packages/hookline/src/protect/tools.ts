import { cleanText } from "@hookline/ground";
import type { HostUi } from "@hookline/runtime";
import { cwdOf } from "../tool/context.ts";
import { resolveToCwd } from "../tool/path.ts";
import type { Tool } from "../tool/tool.ts";
import { suspicion } from "./command.ts";
import { agrees, canAsk } from "./consent.ts";
import { neverRun } from "./never.ts";
import type { ProtectedPlaces } from "./places.ts";

/** The protected places, the folders and the user interface that `protectedTools` uses. */
export interface ProtectionParts {
  readonly places: ProtectedPlaces;
  readonly cwd: string;
  readonly home: string;
  ui(): HostUi | undefined;
}

/** The longest change that a person is asked about, in characters: a screen must show all of it. */
const MOST_CHARACTERS = 20_000;

type Params = Readonly<Record<string, unknown>>;

/** A change of a protected place: `what` begins the message about it, and `text` is what the person approves. */
interface ProtectedChange {
  readonly what: string;
  readonly text: string;
}

/**
 * Wraps the tools that change files: a change of a protected place needs a person's approval. Hooks have already judged
 * the arguments, so exactly the approved change is made.
 */
export function protectedTools(tools: readonly Tool[], parts: ProtectionParts): Tool[] {
  return tools.map((tool) => {
    const changes = readers[tool.name];
    if (changes === undefined) return tool;
    return {
      ...tool,
      async execute(toolCallId, params, signal, onUpdate, context) {
        const change = await changes(params, { ...parts, cwd: cwdOf(context, parts.cwd) });
        if (change !== undefined) await approved(tool.name, change, parts.ui(), signal);
        return tool.execute(toolCallId, params, signal, onUpdate, context);
      },
    };
  });
}

const readers: Readonly<
  Record<
    string,
    (params: Params, parts: ProtectionParts) => ProtectedChange | undefined | Promise<ProtectedChange | undefined>
  >
> = {
  write: ({ path, content }, parts) => fileChange(path, String(content), parts),
  edit: ({ path, ...change }, parts) => fileChange(path, JSON.stringify(change, null, 2), parts),
  async bash({ command }, parts) {
    const never = await neverRun(String(command));
    if (never !== undefined) throw new Error(`${never} Nothing was run.`);
    const word = await suspicion(String(command), parts);
    return word === undefined
      ? undefined
      : { what: `This command seems to change ${word}, which`, text: String(command) };
  },
};

function fileChange(path: unknown, text: string, { places, cwd }: ProtectionParts): ProtectedChange | undefined {
  const target = resolveToCwd(String(path), cwd);
  const reached = places.reached(target);
  if (reached === undefined) return undefined;
  return { what: reached === target ? reached : `${target}, which leads to ${reached},`, text };
}

async function approved(
  tool: string,
  { what, text }: ProtectedChange,
  ui: HostUi | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const why = `${what} decides which hooks run, so only a person may change it.`;
  if (!canAsk(ui))
    throw new Error(`${why} Nobody can be asked in this mode; nothing was changed. Ask the person to do it.`);
  const shown = [`${tool}: ${why}`, text].map((part) => cleanText(part, { controls: "show" })).join("\n\n");
  if (shown.length > MOST_CHARACTERS)
    throw new Error(`${why} It is too long to be read before agreeing; nothing was changed. Ask the person to do it.`);
  const asked = { title: "Change what decides about hooks?", text: shown, yes: "Yes, make this change" };
  if (!(await agrees(ui, asked, signal))) throw new Error(`${why} The person did not agree; nothing was changed.`);
}
