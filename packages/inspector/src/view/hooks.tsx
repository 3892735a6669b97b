import { useState } from "preact/hooks";
import type { HookRow, Hooks } from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import { Note, ViewNote } from "../part/note.tsx";
import { go } from "../state/address.ts";
import { useAnswer } from "../state/answer.ts";
import { growth, summary } from "../state/page.ts";
import { counted, duration, percent } from "../text/format.ts";
import { hookName, inFolder } from "../text/hook.ts";
import { visible } from "../text/visible.ts";

interface Column {
  readonly name: string;
  readonly title?: string;
  /** Returns the value to sort by. Numbers are sorted in descending order. */
  of(row: HookRow): number | string;
  shown(row: HookRow): string;
}

const count = (name: string, of: (row: HookRow) => number, title?: string): Column => ({
  name,
  of,
  shown: (row) => (of(row) === 0 ? "" : counted(of(row))),
  ...(title !== undefined && { title }),
});
const time = (name: string, of: (row: HookRow) => number | undefined, title?: string): Column => ({
  name,
  of: (row) => of(row) ?? -1,
  shown: (row) => (of(row) === undefined ? "" : duration(of(row) as number)),
  ...(title !== undefined && { title }),
});

const COLUMNS: readonly Column[] = [
  count("asked", ({ asked }) => asked),
  count("answered", ({ answered }) => answered),
  count("refused", ({ refused }) => refused),
  count("edited", ({ edited }) => edited),
  count("failed", ({ failed }) => failed),
  count("timed out", ({ timedOut }) => timedOut),
  count("skipped", ({ skipped }) => skipped),
  time("p50", ({ p50 }) => p50, "half of its runs were quicker"),
  time("p99", ({ p99 }) => p99, "99 of 100 runs were quicker"),
  time("total", ({ totalMs }) => totalMs),
  { name: "share", title: "of the session's time", of: ({ share }) => share, shown: ({ share }) => percent(share) },
];

const nameOf = ({ id, source }: HookRow): string => hookName({ hook: id, source });
const HOOK: Column = { name: "hook", of: nameOf, shown: nameOf };

/** Shows every hook of the source with its counts and times. */
export function HooksView({ source }: { readonly source: string }) {
  const { value, problem } = useAnswer<Hooks>(pathOf(source, "hooks"), growth.value);
  const [sorted, setSorted] = useState<{ readonly by: string; readonly isUp: boolean }>({ by: "total", isUp: false });
  if (problem !== undefined) return <Note isBad>{problem.message}</Note>;
  if (value === undefined) return <Note>Loading …</Note>;
  const column = [HOOK, ...COLUMNS].find(({ name }) => name === sorted.by) ?? HOOK;
  const rows = value.hooks.toSorted((a, b) => compared(column.of(a), column.of(b)) * (sorted.isUp ? 1 : -1));
  const most = Math.max(0.001, ...rows.map(({ totalMs }) => totalMs));
  const sort = (name: string): void =>
    setSorted({ by: name, isUp: sorted.by === name ? !sorted.isUp : name === "hook" });
  return (
    <section class="hooks" aria-label="Hooks" id="view" tabIndex={-1}>
      <ViewNote view="hooks" />
      {rows.length === 0 ? (
        <Note>No hook was asked in this source.</Note>
      ) : (
        <>
          <p class="count">The one that took longest is first. Bars are shares of the largest total.</p>
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  {[HOOK, ...COLUMNS].map(({ name, title }) => (
                    <th
                      key={name}
                      scope="col"
                      class={name === "hook" ? "" : "number"}
                      aria-sort={sorted.by !== name ? "none" : sorted.isUp ? "ascending" : "descending"}
                    >
                      <button type="button" title={title} onClick={() => sort(name)}>
                        {name}
                        <span aria-hidden="true">{sorted.by === name ? (sorted.isUp ? " ▲" : " ▼") : ""}</span>
                      </button>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <th scope="row">
                      <button
                        type="button"
                        class="name"
                        title={`${visible(row.id)}: show what it was asked about`}
                        onClick={() =>
                          go({
                            view: "story",
                            n: undefined,
                            filter: { hook: row.id },
                            brush: undefined,
                            zoom: undefined,
                          })
                        }
                      >
                        {visible(nameOf(row))}
                      </button>
                      {row.shadow && <span class="mark shadow">shadow</span>}
                      {row.would !== undefined && <span class="would">{inShadow(row.would)}</span>}
                      <span class="where">
                        {visible(row.lane)} {visible(inFolder(row.source, summary.value?.source.cwd))}
                      </span>
                      <span class="track" aria-hidden="true">
                        <span class="run" style={{ width: `${(row.totalMs / most) * 100}%` }} />
                      </span>
                    </th>
                    {COLUMNS.map(({ name, shown, of }) => (
                      <td
                        key={name}
                        data-name={name}
                        class={`number ${of(row) === 0 ? "zero" : name.replace(" ", "-")}`}
                      >
                        {visible(shown(row))}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}

/** Describes the effects that the answers of a hook in shadow would have had. */
function inShadow({ deny, ask, edit }: NonNullable<HookRow["would"]>): string {
  return `in shadow: would have refused ${counted(deny)}, asked ${counted(ask)}, changed ${counted(edit)}`;
}

function compared(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
