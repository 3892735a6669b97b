import type { Source } from "../../../hookline/src/inspect/api.ts";
import { Note } from "../part/note.tsx";
import { goToSource } from "../state/address.ts";
import { sources } from "../state/page.ts";
import { day, size } from "../text/format.ts";
import { oneLine, visible } from "../text/visible.ts";

/** What can be looked at, newest first. */
export function SourcesView() {
  const all = sources.value?.sources ?? [];
  if (all.length === 0)
    return <Note>No session of this folder was found. Run hookline with --record=all, then load this page again.</Note>;
  return (
    <section class="sources" aria-label="Sessions" id="view" tabIndex={-1}>
      <h2>Sessions of this folder</h2>
      <ul>
        {all.map((source) => (
          <li key={source.id}>
            <button type="button" onClick={() => goToSource(source.id)}>
              <strong>{oneLine(source.title, 120)}</strong>
              <span>
                {source.live && <span class="live">live</span>} {whatOf(source)} · {day(source.changed)} ·{" "}
                {size(source.bytes)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a source is, in words. */
export function whatOf({ kind, level, agent }: Source): string {
  return visible([kind, level, agent !== undefined && `of ${agent}`].filter(Boolean).join(", "));
}
