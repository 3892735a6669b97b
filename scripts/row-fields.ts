import type { CatalogRow, Dialect, Lane, LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../conformance/case.ts";
import { readCases } from "../conformance/requirement.ts";
import { attempt, poolOf } from "../prove/cells/pool.ts";
import { lossOf } from "./loss.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The maximum line length of the code. */
const WIDTH = 120;

/**
 * Returns the module that lists, for each dialect's events, the fields that hooks see and can set. They are found by
 * experiment, with the events and answers of the conformance cases.
 */
export function rowFieldsModule(rows: ReadonlyMap<string, CatalogRow>, tables: readonly Dialect[]): string {
  const lines = tables.flatMap((dialect) => {
    const cases = readCases(dialect.id);
    return dialect.lanes.flatMap((lane) =>
      lane.rows.flatMap((row) => {
        const host = rows.get(row.of);
        if (host === undefined) return [];
        const [key, value] = [`  "${lane.id} ${row.name} ${row.of}":`, `"${fieldsOf(host, lane, row, cases)}",`];
        return key.length + value.length < WIDTH ? [`${key} ${value}`] : [key, `    ${value}`];
      }),
    );
  });
  return `// Written by \`npm run dev -- gen\`.

/**
 * By the event of a dialect (as \`pi tool_call tool.before\`: dialect, its event, hookline's event): the fields that its
 * hooks see, the fields that they can answer, and the values of fields at which it fires, if it does not always, as
 * \`seen… > answered… > field=value&field=value…\`. A field that has only a few values is listed with them:
 * \`field:value\`.
 */
export const ROW_FIELDS: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;
}

function fieldsOf(host: CatalogRow, lane: Lane, row: LaneRow, cases: readonly Case[]): string {
  const { unseen, ungiven } = lossOf(host, lane, [row], cases);
  const named = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.replaceAll("`", "")));
  const [hidden, kept] = [named(unseen), named(ungiven)];
  const answers = entriesOf(host.answer()).filter(([name]) => !kept.has(name));
  const own = cases.filter(({ hooks, event }) => event === host.name && hooks.some((hook) => hook.event === row.name));
  const { moments, raws } = poolOf({ lane, row, host }, own);
  const values = (name: string): string[] => {
    const said = moments.flatMap(({ payload, scene }) =>
      raws.map((raw) => {
        const read = attempt(() => row.read(raw));
        if (!read?.ok || read.answer === undefined) return undefined;
        const folded = row.fold.result(row.fold.step(row.fold.empty, read.answer as never));
        const edit = attempt(() => row.view.put(folded as never, payload, scene)) as Fields | undefined;
        return edit?.[name];
      }),
    );
    const texts = said.filter((value): value is string => typeof value === "string");
    return [...new Set(texts)].sort().map((value) => `${name}:${value}`);
  };
  const flags = entriesOf(host.payload()).flatMap(([name, { type }]) => (type === "boolean" ? [name] : []));
  const settings = combinations(flags);
  const fitting = settings.filter((flags) =>
    moments.some(({ payload, scene }) => row.when?.({ ...(payload as Fields), ...flags } as never, scene) !== false),
  );
  const needs =
    fitting.length === settings.length || fitting.length === 0
      ? []
      : fitting.map((flags) =>
          Object.entries(flags)
            .map(([name, value]) => `${name}=${value}`)
            .join("&"),
        );
  const sees = entriesOf(host.payload()).flatMap(([name]) => (hidden.has(name) ? [] : [name]));
  const gives = answers.flatMap(([name, { type, wrapped }]) =>
    (wrapped?.type ?? type) === "picklist" ? values(name) : [name],
  );
  return [sees, gives, needs]
    .map((names) => names.join(" "))
    .join(" > ")
    .trim();
}

/** Returns all combinations of values of the flags. */
function combinations([name, ...others]: readonly string[]): Readonly<Record<string, boolean>>[] {
  if (name === undefined) return [{}];
  return combinations(others).flatMap((rest) => [true, false].map((value) => ({ [name]: value, ...rest })));
}

interface Entry {
  readonly type: string;
  readonly wrapped?: { readonly type: string };
}

function entriesOf(schema: unknown): [string, Entry][] {
  return Object.entries((schema as { readonly entries?: Readonly<Record<string, Entry>> }).entries ?? {});
}
