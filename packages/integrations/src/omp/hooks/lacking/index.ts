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

/** A package of omp's that has names which are only there to be imported. */
export type LackingPackage = keyof typeof TABLES;

const made = new Map<string, Promise<Exports>>();

/** The values of a package's names that are only there to be imported; each throws when it is used, with what to do instead. */
export function lacking(name: LackingPackage): Promise<Exports> {
  const known = made.get(name) ?? TABLES[name]().then(({ LACKING }) => stubsOf(LACKING, `@oh-my-pi/${name}`));
  made.set(name, known);
  return known;
}
