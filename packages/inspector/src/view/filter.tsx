import type { Summary } from "../../../hookline/src/inspect/api.ts";
import { address } from "../state/address.ts";
import { inFolder } from "../text/hook.ts";
import { ACTED, MARKS } from "../text/mark.ts";
import { oneLine } from "../text/visible.ts";
import { set } from "./head.tsx";

const DECISIONS: Readonly<Record<string, string>> = {
  [ACTED]: "a hook did something",
  deny: "decided deny",
  ask: "decided ask",
  allow: "decided allow",
  edit: "decided edit",
  none: "nobody said anything",
  ...Object.fromEntries(MARKS),
};

/** Shows the filters, except those in the page's head. */
export function FilterBar({ summary }: { readonly summary: Summary }) {
  const { filter } = address.value;
  const areas = [...new Set(Object.keys(summary.events).map((event) => `${event.split(".", 1)[0]}.*`))].sort();
  const placeOf = (hook: string): string => inFolder(summary.places[hook] ?? hook, summary.source.cwd);
  const { marks } = summary.did;
  const told: Readonly<Record<string, number>> = { ...summary.decisions, ...marks, none: 0, [ACTED]: 0 };
  return (
    <form class="filter" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <Choice name="event" value={filter.event} all={[...areas, ...Object.keys(summary.events).sort()]} />
      <Choice name="tool" value={filter.tool} all={Object.keys(summary.tools)} />
      <Choice name="hook" value={filter.hook} all={Object.keys(summary.hooks)} word={placeOf} />
      <Choice
        name="decision"
        value={filter.decision}
        all={Object.keys(DECISIONS).filter((one) => told[one] !== undefined)}
        word={(one) => DECISIONS[one] ?? one}
      />
    </form>
  );
}

interface ChoiceProps {
  readonly name: "event" | "tool" | "hook" | "decision";
  readonly value: string | undefined;
  readonly all: readonly string[];
  readonly word?: (one: string) => string;
}

function Choice({ name, value, all, word = (one) => one }: ChoiceProps) {
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
          {oneLine(word(one), 80)}
        </option>
      ))}
    </select>
  );
}
