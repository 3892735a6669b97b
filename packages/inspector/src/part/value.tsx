import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Cut, FullValue } from "../../../hookline/src/inspect/api.ts";
import { pathOf } from "../data/path.ts";
import { ask, fail } from "../state/page.ts";
import { counted, size } from "../text/format.ts";
import { visible } from "../text/visible.ts";
import { Text } from "./text.tsx";

const OPEN_DEPTH = 3;
const MOST_ENTRIES = 50;

/** The moment whose values are shown, and the values of which the page has only the beginning. */
export interface Whole {
  readonly source: string;
  readonly n: number;
  readonly cut: readonly Cut[];
}

/** Gives components the moment whose values they show, so that they can load the rest of a value that is cut. */
export const WholeOf = createContext<Whole | undefined>(undefined);

/** Loads a value of a moment in full, in several requests. Rejects if there is no such value. */
export async function wholeValue({ source, n }: Whole, path: string): Promise<unknown> {
  let text = "";
  let from: number | undefined = 0;
  let kind: FullValue["kind"] = "text";
  while (from !== undefined) {
    const piece: FullValue = await ask<FullValue>(pathOf(source, `moments/${n}`, { full: path, from }));
    text += piece.text;
    ({ next: from, kind } = piece);
  }
  return kind === "text" ? text : JSON.parse(text);
}

/** Shows a JSON value: fields as a list, long texts behind a button. `at` is its JSON pointer in the moment, if any. */
export function Value({
  value,
  at,
  depth = 0,
}: {
  readonly value: unknown;
  readonly at?: string;
  readonly depth?: number;
}) {
  const whole = useContext(WholeOf);
  const cut = at === undefined ? undefined : whole?.cut.find(({ path }) => path === at);
  if (cut !== undefined && whole !== undefined) return <CutValue value={value} cut={cut} whole={whole} />;
  if (typeof value === "string") return <Text text={value} />;
  if (typeof value !== "object" || value === null) return <span class="plain">{String(value)}</span>;
  return <Entries value={value} depth={depth} {...(at !== undefined && { at })} />;
}

function Entries({ value, at, depth }: { readonly value: object; readonly at?: string; readonly depth: number }) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= MOST_ENTRIES);
  const [most, setMost] = useState(MOST_ENTRIES);
  const what = isList ? counted(entries.length, "item") : counted(entries.length, "field");
  if (entries.length === 0) return <span class="plain">{isList ? "[]" : "{}"}</span>;
  if (!isOpen)
    return (
      <button type="button" class="more" onClick={() => setOpen(true)}>
        {isList ? "[…]" : "{…}"} {what}
      </button>
    );
  return (
    <dl class={isList ? "entries list" : "entries"}>
      {entries.slice(0, most).map(([name, one]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>
            <Value value={one} depth={depth + 1} {...(at !== undefined && { at: `${at}/${pointer(name)}` })} />
          </dd>
        </div>
      ))}
      {entries.length > most && (
        <div>
          <dt>…</dt>
          <dd>
            <button type="button" class="more" onClick={() => setMost(most + 500)}>
              {counted(entries.length - most)} more
            </button>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Shows a value of which the page has only the beginning. The rest is loaded piece by piece. */
function CutValue({ value, cut, whole }: { readonly value: unknown; readonly cut: Cut; readonly whole: Whole }) {
  const [full, setFull] = useState<{ readonly text: string; readonly next?: number | undefined }>();
  const load = (): void => {
    const from = full?.next ?? 0;
    ask<FullValue>(pathOf(whole.source, `moments/${whole.n}`, { full: cut.path, from }))
      .then(({ text, next }) => setFull({ text: (full?.text ?? "") + text, next }))
      .catch(fail);
  };
  if (full !== undefined)
    return full.next === undefined ? (
      <Text text={full.text} />
    ) : (
      <Text text={full.text} onFull={load} of={full.text.length + 1} />
    );
  return (
    <>
      {typeof value === "string" ? <Text text={value} /> : <Value value={value} depth={OPEN_DEPTH - 1} />}
      <button type="button" class="more" onClick={load}>
        … cut: {counted(cut.shown)} of {counted(cut.of)}
        {cut.kind === "text" ? " characters" : cut.kind === "list" ? " items" : " fields"}; show all ({size(cut.bytes)})
      </button>
    </>
  );
}

function pointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
