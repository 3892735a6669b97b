import { useEffect, useState } from "preact/hooks";
import type { Summary } from "../../../hookline/src/inspect/api.ts";
import { address, type Filter, go } from "../state/address.ts";
import { nameOf } from "../state/page.ts";
import { counted, duration } from "../text/format.ts";
import { ACTED, countsOf } from "../text/mark.ts";
import { visible } from "../text/visible.ts";

const TYPING_MS = 250;

/** Shows how often hooks acted, by kind, and the search. A click on a count filters the moments. */
export function Head({ summary }: { readonly summary: Summary }) {
  const { filter, brush } = address.value;
  const { did } = summary;
  const chips: readonly (readonly [decision: string, text: string])[] = [
    ...(did.hooks === 0 ? [] : [[ACTED, counted(did.hooks, "hook")] as const]),
    ...countsOf(did),
  ];
  const isFiltered = Object.keys(filter).length > 0 || brush !== undefined;
  return (
    <div class="acted">
      <fieldset class="chips" aria-label="What hooks did">
        {chips.length === 0 && <span class="quiet">No hook did anything.</span>}
        {chips.map(([decision, text]) => (
          <button
            key={decision}
            type="button"
            class={`chip ${decision === ACTED ? "" : decision}`}
            aria-pressed={filter.decision === decision}
            onClick={() => set({ decision: filter.decision === decision ? "" : decision })}
          >
            {text}
          </button>
        ))}
        {filter.hook !== undefined && (
          <button type="button" class="chip" aria-pressed={true} onClick={() => set({ hook: "" })}>
            {visible(nameOf(filter.hook))} ✕
          </button>
        )}
        {brush !== undefined && (
          <button type="button" class="chip" aria-pressed={true} onClick={() => go({ brush: undefined })}>
            {duration(brush.until - brush.since)} of the time ✕
          </button>
        )}
        {isFiltered && (
          <button type="button" onClick={() => go({ filter: {}, brush: undefined })}>
            Show all
          </button>
        )}
      </fieldset>
      <search aria-label="Search">
        <Search value={filter.q ?? ""} />
      </search>
    </div>
  );
}

/** Changes the filter. An empty text removes a filter. */
export function set(step: Filter): void {
  const next = Object.entries({ ...address.peek().filter, ...step });
  go({ filter: Object.fromEntries(next.filter(([, value]) => value !== "")) });
}

/** Shows the search field. Applies the text when the user stops typing for a moment. */
function Search({ value }: { readonly value: string }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => set({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      id="search"
      type="search"
      aria-label="Search in texts"
      placeholder="Search in texts  /"
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && set({ q: typed })}
    />
  );
}
