import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "../data/api.ts";
import { inTurn } from "../data/turn.ts";
import { fail } from "../state/page.ts";
import { changesOf, type ValueChange } from "../text/changes.ts";
import { counted, size } from "../text/format.ts";
import { visible } from "../text/visible.ts";
import { type Stretch, stretchesOf } from "../text/words.ts";
import { Text } from "./text.tsx";
import { Value, type Whole, wholeValue } from "./value.tsx";

const CONTEXT = 120;

interface AskedProps {
  readonly whole: Whole;
  /** The JSON pointer of the edit in its moment, such as `/edits/0`. */
  readonly at: string;
  readonly bytes: number;
}

/** Shows a change whose values are too large for the page. Both values are loaded when the user asks for them. */
export function AskedDifference({ whole, at, bytes }: AskedProps) {
  const [sides, setSides] = useState<readonly unknown[]>();
  const load = (): void => {
    // If the server does not have a value, the value is shown as absent.
    const sideOf = (side: string) =>
      wholeValue(whole, `${at}/${side}`).catch((thrown: unknown) => {
        if (!(thrown instanceof Refused) || thrown.code !== "not-found") throw thrown;
      });
    Promise.all([sideOf("from"), sideOf("to")])
      .then(setSides)
      .catch(fail);
  };
  if (sides !== undefined) return <Difference before={sides[0]} after={sides[1]} />;
  return (
    <button type="button" class="more" onClick={load}>
      … compare all of it ({size(bytes)})
    </button>
  );
}

interface Found extends ValueChange {
  /** The changed stretches of text, if both values are texts. */
  readonly stretches?: readonly Stretch[];
}

/** Shows the changes between two values. Computes them only when this component is on the screen. */
export function Difference({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState<readonly Found[]>();
  useEffect(() => {
    let takeBack = (): void => {};
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      takeBack = inTurn(() => setFound(changesOf(before, after).map(withStretches)));
    });
    if (place.current !== null) seen.observe(place.current);
    return () => {
      seen.disconnect();
      takeBack();
    };
  }, [before, after]);
  return (
    <div class="difference" ref={place}>
      {found === undefined && <span class="quiet">…</span>}
      {found?.length === 0 && <span class="quiet">no difference</span>}
      {found?.map((change) => (
        <div key={change.path} class="change">
          {change.path !== "" && <span class="path">{visible(change.path)}</span>}
          {change.stretches === undefined ? <Sides change={change} /> : <Stretches stretches={change.stretches} />}
        </div>
      ))}
    </div>
  );
}

function Sides({ change }: { readonly change: ValueChange }) {
  return (
    <span class="sides">
      {change.kind !== "added" && (
        <del>
          <Value value={change.before} depth={2} />
        </del>
      )}
      {change.kind !== "removed" && (
        <ins>
          <Value value={change.after} depth={2} />
        </ins>
      )}
    </span>
  );
}

/** Shows the changed stretches, with a few characters of the unchanged ones around them. */
function Stretches({ stretches }: { readonly stretches: readonly Stretch[] }) {
  return (
    <span class="text">
      {stretches.map(({ kind, text }, at) =>
        kind === "added" ? (
          <ins key={at}>
            <Text text={text} />
          </ins>
        ) : kind === "removed" ? (
          <del key={at}>
            <Text text={text} />
          </del>
        ) : (
          <Same key={at} text={text} isFirst={at === 0} isLast={at === stretches.length - 1} />
        ),
      )}
    </span>
  );
}

function Same({
  text,
  isFirst,
  isLast,
}: {
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}) {
  const [isOpen, setOpen] = useState(text.length < CONTEXT * 4);
  if (isOpen) return <span>{visible(text)}</span>;
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  return (
    <>
      <span>{visible(text.slice(0, head))}</span>
      <button type="button" class="more" onClick={() => setOpen(true)}>
        … {counted(text.length - head - tail)} equal characters …
      </button>
      <span>{visible(tail === 0 ? "" : text.slice(-tail))}</span>
    </>
  );
}

/** Adds the stretches of two changed texts. Callers must run this in a separate task, since it may take long. */
function withStretches(change: ValueChange): Found {
  const { kind, before, after } = change;
  if (kind !== "changed" || typeof before !== "string" || typeof after !== "string") return change;
  return { ...change, stretches: stretchesOf(before, after) };
}
