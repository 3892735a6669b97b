import { type ContextFile, findContextFiles } from "../prompt/context-files.ts";

interface Where {
  readonly cwd?: string;
  readonly agentDir?: string;
}

/** Makes pi's function that finds the `AGENTS.md` files. It defaults to the working folder and hookline's home. */
export function contextFileLoader(lent: { readonly cwd: string; readonly hooklineHome: string }) {
  return {
    loadProjectContextFiles: ({ cwd = lent.cwd, agentDir = lent.hooklineHome }: Where = {}): ContextFile[] =>
      findContextFiles(cwd, agentDir),
  };
}
