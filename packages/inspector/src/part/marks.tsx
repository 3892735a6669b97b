import type { Did, Mark } from "../../../hookline/src/inspect/api.ts";
import { countsOf, MARKS } from "../text/mark.ts";

/** Shows how often hooks acted in a source, by kind of action, in the colours of the kinds. */
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

/** Names what hooks did at a moment, in the colours of the actions. */
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
