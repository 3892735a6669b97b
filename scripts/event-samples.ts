import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogRow } from "@hookline/runtime/engine";
import { root } from "./step.ts";

/** Folder with a guard for each event in which guards decide. Their types are checked, and a test runs their cases. */
const FOLDER = "examples/events";

/** Returns the guard that an event's page shows first; `undefined` if guards decide nothing in the event. */
export function sampleOf(event: string): string | undefined {
  const path = join(root, FOLDER, `${event}.ts`);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Whether an answer can refuse, stop, cancel or redact the subject of the event. */
function decides({ guard, kind, answer }: CatalogRow): boolean {
  const fields = Object.keys((answer() as { readonly entries?: object }).entries ?? {});
  return guard !== undefined || kind === "gate" || kind === "redactor" || fields.includes("stop");
}

/** Returns events in which guards decide but that have no sample, and samples for other events. */
export function unsampled(rows: Iterable<CatalogRow>): { readonly id: string; readonly why: string }[] {
  const deciding = [...rows].filter(decides).map(({ name }) => name);
  const there = readdirSync(join(root, FOLDER)).map((file) => file.replace(/\.ts$/, ""));
  return [
    ...deciding
      .filter((name) => !there.includes(name))
      .map((id) => ({ id, why: `its page shows no guard: add ${FOLDER}/${id}.ts` })),
    ...there
      .filter((name) => !deciding.includes(name))
      .map((id) => ({ id, why: `guards decide nothing in it: remove it from ${FOLDER}` })),
  ];
}
