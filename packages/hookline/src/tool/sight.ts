import type { ProcessTransport } from "@hookline/runtime/internal";
import { createFindTool } from "./find.ts";
import { createGrepTool } from "./grep.ts";
import type { Excludes } from "./left-out.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import type { Tool } from "./tool.ts";

/** The built-in tools that change nothing; limited to the session's tools if it has a limit. */
export function sightTools(
  cwd: string,
  { processes, excludes }: { readonly processes: ProcessTransport; readonly excludes: Excludes },
  limit?: readonly string[],
): Tool[] {
  const tools: Tool[] = [
    createReadTool(cwd),
    createGrepTool(cwd, { processes, excludes }),
    createFindTool(cwd, { excludes }),
    createLsTool(cwd, { excludes }),
  ];
  return tools.filter(({ name }) => limit === undefined || limit.includes(name));
}
