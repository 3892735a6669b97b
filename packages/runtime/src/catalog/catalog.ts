import { agentRows } from "./agent.ts";
import { compactRows } from "./compact.ts";
import { inputRows } from "./input.ts";
import { mailRows } from "./mail.ts";
import { modelRows } from "./model.ts";
import type { CatalogRow } from "./row.ts";
import { sessionRows } from "./session.ts";
import { toolRows } from "./tool.ts";
import { uiRows } from "./ui.ts";

const rows = {
  ...sessionRows,
  ...inputRows,
  ...agentRows,
  ...modelRows,
  ...toolRows,
  ...compactRows,
  ...mailRows,
  ...uiRows,
};

/** The name of one of hookline's own events. */
export type EventName = keyof typeof rows;
/** What an event tells. */
export type Payload<E extends EventName> = NonNullable<(typeof rows)[E]["told"]>;
/** What one library handler may answer. */
export type Answer<E extends EventName> = NonNullable<(typeof rows)[E]["answered"]>;

/** Every event of hookline, by name. */
export const catalog: ReadonlyMap<string, CatalogRow> = new Map(Object.entries(rows));
/** What all handlers' answers fold to. */
export type Folded<E extends EventName> = NonNullable<(typeof rows)[E]["folded"]>;
