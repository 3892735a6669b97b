import type { BridgeHost } from "@hookline/bridge/kit";
import { chooseFrom } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import { abouts } from "./abouts.ts";

/** Environment variables that move the folders of a dialect's hooks. Every host passes them on to its hooks. */
export const MOVING: readonly string[] = [...new Set(Object.values(abouts).flatMap(({ movedBy }) => movedBy))];

/** Imports the host once: the daemon asks for it at every call, and even a repeated `import()` takes time. */
function once(load: () => Promise<BridgeHost>): () => Promise<BridgeHost> {
  let loading: Promise<BridgeHost> | undefined;
  return () => (loading ??= load().then((host) => ({ ...host, environment: [...MOVING, ...host.environment] })));
}

const TABLE = {
  claude: once(async () => (await import("./claude/host/index.ts")).host),
  codex: once(async () => (await import("./codex/host/index.ts")).host),
  copilot: once(async () => (await import("./copilot/host/index.ts")).host),
  cursor: once(async () => (await import("./cursor/host/index.ts")).host),
  gemini: once(async () => (await import("./gemini/host/index.ts")).host),
  opencode: once(async () => (await import("./opencode/host/index.ts")).host),
  omp: once(async () => (await import("./omp/host/index.ts")).host),
  pi: once(async () => (await import("./pi/host/index.ts")).host),
  qwen: once(async () => (await import("./qwen/host/index.ts")).host),
} as const;

/** The name of a host. */
export type HostName = keyof typeof TABLE;

/** The hosts by their names on the command line. Each is loaded when it is first asked for. */
export const HOSTS: Readonly<Record<string, () => Promise<BridgeHost>>> = TABLE;

/** The hosts whose calls the daemon answers: `HOSTS`, and `generic` for programs that use hookline's own events. */
export const ANSWERED: Readonly<Record<string, () => Promise<BridgeHost>>> = {
  ...TABLE,
  generic: once(async () => (await import("./generic/host/index.ts")).host),
};

/** Returns the host of this name in `among`. Throws if there is none. */
export async function hostNamed(name = "", among: typeof HOSTS = HOSTS): Promise<BridgeHost> {
  const load = Object.hasOwn(among, name) ? among[name] : undefined;
  if (load !== undefined) return load();
  if (name === "generic")
    throw wrongUse(
      "HOST",
      "is not an agent: nothing is installed into a program that asks by itself",
      "docs/reference/bridge-protocol.md says how it asks.",
    );
  const problem = name === "" ? "is missing" : `is not an agent that hookline knows: ${name}`;
  throw wrongUse("HOST", problem, chooseFrom(name, Object.keys(HOSTS)));
}
