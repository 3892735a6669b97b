import { type ContextFile, findContextFiles } from "../prompt/context-files.ts";

interface Where {
  readonly cwd?: string;
  readonly agentDir?: string;
}

/** Makes pi's function that finds the `AGENTS.md` files for a folder. By default, it uses the agent's folders. */
export function contextFileLoader(lent: { readonly cwd: string; readonly hooklineHome: string }) {
  return {
    loadProjectContextFiles: ({ cwd = lent.cwd, agentDir = lent.hooklineHome }: Where = {}): ContextFile[] =>
      findContextFiles(cwd, agentDir),
  };
}
