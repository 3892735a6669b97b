import type { Exports } from "../../../in-process/provide.ts";
import { type Lacking, stubsOf } from "../../../in-process/stub.ts";

type Load = () => Promise<{ readonly LACKING: Lacking }>;

const TABLES = {
  "pi-coding-agent": () => import("./pi-coding-agent.ts"),
  "pi-coding-agent/extensibility/extensions": () => import("./extensions.ts"),
  "pi-utils": () => import("./basics.ts"),
  "pi-ai": () => import("./pi-ai.ts"),
  "pi-tui": () => import("./pi-tui.ts"),
  "pi-agent-core": () => import("./pi-agent-core.ts"),
  "pi-natives": () => import("./pi-natives.ts"),
} as const satisfies Readonly<Record<string, Load>>;

/** The name of an omp package with exports that can be imported but not used. */
export type LackingPackage = keyof typeof TABLES;

const made = new Map<string, Promise<Exports>>();

/** Returns the stubs for a package's unusable exports. Each throws when it is used, and says what to use instead. */
export function lacking(name: LackingPackage): Promise<Exports> {
  const known = made.get(name) ?? TABLES[name]().then(({ LACKING }) => stubsOf(LACKING, `@oh-my-pi/${name}`));
  made.set(name, known);
  return known;
}
