import { type ContextFile, findContextFiles } from "../prompt/context-files.ts";

interface Where {
  readonly cwd?: string;
  readonly agentDir?: string;
}

/** Makes the function that finds the `AGENTS.md` files of a folder, with the agent's own folders as defaults. */
export function contextFileLoader(lent: { readonly cwd: string; readonly hooklineHome: string }) {
  return {
    loadProjectContextFiles: ({ cwd = lent.cwd, agentDir = lent.hooklineHome }: Where = {}): ContextFile[] =>
      findContextFiles(cwd, agentDir),
  };
}
