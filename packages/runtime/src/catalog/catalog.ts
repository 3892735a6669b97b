import { agentRows } from "./agent.ts";
import { compactRows } from "./compact.ts";
import { inputRows } from "./input.ts";
import { mailRows } from "./mail.ts";
import { mcpRows } from "./mcp.ts";
import { modelRows } from "./model.ts";
import type { CatalogRow } from "./row.ts";
import { sessionRows } from "./session.ts";
import { spawnRows } from "./spawn.ts";
import { taskRows } from "./task.ts";
import { toolRows } from "./tool.ts";
import { uiRows } from "./ui.ts";

const rows = {
  ...sessionRows,
  ...inputRows,
  ...agentRows,
  ...spawnRows,
  ...modelRows,
  ...toolRows,
  ...taskRows,
  ...compactRows,
  ...mailRows,
  ...mcpRows,
  ...uiRows,
};

/** The name of one of hookline's own events. */
export type EventName = keyof typeof rows;
/** An event's payload. */
export type Payload<E extends EventName> = NonNullable<(typeof rows)[E]["told"]>;
/** The answer that one handler may give, in hookline's own format. */
export type Answer<E extends EventName> = NonNullable<(typeof rows)[E]["answered"]>;

/** Every event of hookline, by name. */
export const catalog: ReadonlyMap<string, CatalogRow> = new Map(Object.entries(rows));
/** The type of all handlers' answers folded into one. */
export type Folded<E extends EventName> = NonNullable<(typeof rows)[E]["folded"]>;
