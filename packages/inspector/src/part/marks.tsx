import type { Mark } from "../../../hookline/src/inspect/api.ts";
import { MARKS } from "../text/mark.ts";

/** What happened at a moment, in words with their colours. */
export function Marks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <span class="marks">
      {MARKS.filter(([mark]) => marks.includes(mark)).map(([mark, word]) => (
        <span key={mark} class={`mark ${mark}`}>
          {word}
        </span>
      ))}
    </span>
  );
}
