import { useState } from "preact/hooks";
import { counted } from "../text/format.ts";
import { start, visible } from "../text/visible.ts";

const FIRST = 1500;
const MORE = 50_000;

/** Shows an untrusted text with its control characters made visible. A long text is cut, with a button for more. */
export function Text({
  text,
  onFull,
  of,
  first = FIRST,
}: {
  readonly text: string;
  /** The number of characters that are shown at first. */
  readonly first?: number;
  readonly onFull?: () => void;
  readonly of?: number;
}) {
  const [most, setMost] = useState(first);
  const isCut = text.length > most * 1.2;
  const left = (of ?? text.length) - (isCut ? most : text.length);
  return (
    <>
      <span class="text">{visible(isCut ? start(text, most) : text)}</span>
      {isCut && (
        <button type="button" class="more" onClick={() => setMost(most + MORE)}>
          … {counted(left, "more character")}
        </button>
      )}
      {!isCut && left > 0 && onFull !== undefined && (
        <button type="button" class="more" onClick={onFull}>
          … {counted(left, "more character")}
        </button>
      )}
    </>
  );
}
