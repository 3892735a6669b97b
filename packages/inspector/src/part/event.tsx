import { summary } from "../state/page.ts";
import { visible } from "../text/visible.ts";

/** An event by the name that the hooks' own agent has for it, with hookline's beside it. */
export function EventName({ event }: { readonly event: string }) {
  const name = summary.value?.names[event];
  return (
    <span class="event">
      {name !== undefined && <>{visible(name)} </>}
      <span class={name === undefined ? "" : "quiet"}>{visible(event)}</span>
    </span>
  );
}
