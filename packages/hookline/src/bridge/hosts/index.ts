import type { BridgeHost } from "../host.ts";

/** Imports once: the daemon asks for the host of each call, and an import takes time even of a module that is there. */
function once(load: () => Promise<BridgeHost>): () => Promise<BridgeHost> {
  let loading: Promise<BridgeHost> | undefined;
  return () => (loading ??= load());
}

/** The hosts, by the names that the command line gives them; each is loaded when it is named. */
export const HOSTS: Readonly<Record<string, () => Promise<BridgeHost>>> = {
  claude: once(async () => (await import("./claude/index.ts")).host),
  codex: once(async () => (await import("./codex/index.ts")).host),
  copilot: once(async () => (await import("./copilot/index.ts")).host),
  cursor: once(async () => (await import("./cursor/index.ts")).host),
  gemini: once(async () => (await import("./gemini/index.ts")).host),
  opencode: once(async () => (await import("./opencode/index.ts")).host),
  omp: once(async () => (await import("./omp/index.ts")).host),
  pi: once(async () => (await import("./pi/index.ts")).host),
  qwen: once(async () => (await import("./qwen/index.ts")).host),
};
