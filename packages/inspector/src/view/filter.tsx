import { useEffect, useState } from "preact/hooks";
import type { Summary } from "../../../hookline/src/inspect/api.ts";
import { address, type Filter, go } from "../state/address.ts";
import { counted, duration } from "../text/format.ts";
import { shortName } from "../text/hook.ts";
import { ANY_MARK, MARKS } from "../text/mark.ts";
import { visible } from "../text/visible.ts";

const TYPING_MS = 250;

const DECISIONS: Readonly<Record<string, string>> = {
  deny: "decided deny",
  ask: "decided ask",
  allow: "decided allow",
  edit: "decided edit",
  [ANY_MARK]: "a hook said something",
  none: "nobody said anything",
  ...Object.fromEntries(MARKS),
};

/** What moments must fit to be shown. */
export function FilterBar({ summary }: { readonly summary: Summary }) {
  const { filter, brush } = address.value;
  const set = (step: Filter): void => go({ filter: cleared({ ...filter, ...step }) });
  const areas = [...new Set(Object.keys(summary.events).map((event) => `${event.split(".", 1)[0]}.*`))].sort();
  const isMarked = Object.keys(summary.marks).length > 0;
  const told: Readonly<Record<string, number>> = { ...summary.decisions, ...summary.marks, none: 0 };
  return (
    <search aria-label="Filter">
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <Choice name="event" value={filter.event} all={[...areas, ...Object.keys(summary.events).sort()]} set={set} />
        <Choice name="tool" value={filter.tool} all={Object.keys(summary.tools)} set={set} />
        <Choice name="hook" value={filter.hook} all={Object.keys(summary.hooks)} word={shortName} set={set} />
        <Choice
          name="decision"
          value={filter.decision}
          all={Object.keys(DECISIONS).filter((one) => (one === ANY_MARK ? isMarked : told[one] !== undefined))}
          word={(one) => DECISIONS[one] ?? one}
          set={set}
        />
        <Search value={filter.q ?? ""} set={(q) => set({ q })} />
        {brush !== undefined && (
          <button type="button" onClick={() => go({ brush: undefined })}>
            {duration(brush.until - brush.since)} of the time ✕
          </button>
        )}
        {isMarked && filter.decision !== ANY_MARK && (
          <button type="button" onClick={() => set({ decision: ANY_MARK })}>
            Only what hooks did
          </button>
        )}
        <button type="button" disabled={Object.keys(filter).length === 0} onClick={() => go({ filter: {} })}>
          Clear
        </button>
        <span class="quiet">{counted(summary.moments)} in all</span>
      </form>
    </search>
  );
}

interface ChoiceProps {
  readonly name: "event" | "tool" | "hook" | "decision";
  readonly value: string | undefined;
  readonly all: readonly string[];
  readonly word?: (one: string) => string;
  readonly set: (step: Filter) => void;
}

function Choice({ name, value, all, word = (one) => one, set }: ChoiceProps) {
  const offered = value === undefined || all.includes(value) ? all : [value, ...all];
  return (
    <select
      aria-label={`Filter by ${name}`}
      class={value === undefined ? "" : "set"}
      value={value ?? ""}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
    >
      <option value="">any {name}</option>
      {offered.map((one) => (
        <option key={one} value={one}>
          {visible(word(one)).slice(0, 80)}
        </option>
      ))}
    </select>
  );
}

/** Takes what is typed when the typing pauses. */
function Search({ value, set }: { readonly value: string; readonly set: (q: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => set(typed), TYPING_MS);
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
      onKeyDown={(event) => event.key === "Enter" && set(typed)}
    />
  );
}

function cleared(filter: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}
