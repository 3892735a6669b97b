import type { InspectedSource } from "../../../hookline/src/inspect/api.ts";
import { Counts } from "../part/marks.tsx";
import { Note } from "../part/note.tsx";
import { goToSource } from "../state/address.ts";
import { sources } from "../state/page.ts";
import { counted, day, size } from "../text/format.ts";
import { oneLine, visible } from "../text/visible.ts";

/** Lists the sources, newest first. */
export function SourcesView() {
  const { sources: all = [], fleet } = sources.value ?? {};
  if (all.length === 0)
    return (
      <Note>
        {fleet === undefined
          ? "No session of this folder was found. Run hookline with --record; what it records appears here."
          : `No machine of the fleet ${visible(fleet)} has sent a decision that can be trusted. When one has, it appears here.`}
      </Note>
    );
  return (
    <section class="sources" aria-label="Sessions" id="view" tabIndex={-1}>
      <h2>{fleet === undefined ? "Sessions of this folder" : `Sessions of the fleet ${visible(fleet)}`}</h2>
      <ul>
        {all.map((source) => (
          <li key={source.id}>
            <button type="button" onClick={() => goToSource(source.id)}>
              <strong>{oneLine(source.title, 120)}</strong>
              {source.did !== undefined && (
                <span class="did">
                  {counted(source.did.hooks, "hook")} <Counts did={source.did} />
                </span>
              )}
              <span class="meta">
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

/** Describes a source in words. */
export function whatOf({ kind, level, agent, machine }: InspectedSource): string {
  const whose = [agent !== undefined && `of ${agent}`, machine !== undefined && `on ${machine}`];
  return visible([kind, level, ...whose].filter(Boolean).join(", "));
}
