import { summary } from "../state/page.ts";
import { visible } from "../text/visible.ts";

/** Shows an event under its name in the hooks' own agent, if it has one, and under hookline's name. */
export function EventName({ event }: { readonly event: string }) {
  const name = summary.value?.names[event];
  return (
    <span class="event">
      {name !== undefined && <>{visible(name)} </>}
      <span class={name === undefined ? "" : "quiet"}>{visible(event)}</span>
    </span>
  );
}
