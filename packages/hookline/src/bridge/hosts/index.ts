import type { BridgeHost } from "../host.ts";

/** The hosts, by the names that the command line gives them; each is loaded when it is named. */
export const HOSTS: Readonly<Record<string, () => Promise<BridgeHost>>> = {
  claude: async () => (await import("./claude/index.ts")).host,
  codex: async () => (await import("./codex/index.ts")).host,
  copilot: async () => (await import("./copilot/index.ts")).host,
  cursor: async () => (await import("./cursor/index.ts")).host,
  gemini: async () => (await import("./gemini/index.ts")).host,
  opencode: async () => (await import("./opencode/index.ts")).host,
  omp: async () => (await import("./omp/index.ts")).host,
  pi: async () => (await import("./pi/index.ts")).host,
  qwen: async () => (await import("./qwen/index.ts")).host,
};
