import type { Did, Mark } from "../../../hookline/src/inspect/api.ts";
import { countsOf, MARKS } from "../text/mark.ts";

/** Shows the hooks' actions in a source, as counts with their colours. */
export function Counts({ did }: { readonly did: Did }) {
  return (
    <span class="marks">
      {countsOf(did).map(([mark, text]) => (
        <span key={mark} class={`mark ${mark}`}>
          {text}
        </span>
      ))}
    </span>
  );
}

/** Names the marks of a moment, in their colours. */
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
