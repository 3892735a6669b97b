import type { ComponentChildren } from "preact";
import type { ViewName } from "../../../hookline/src/inspect/api.ts";
import { summary } from "../state/page.ts";

/** Shows a line that says why there is nothing to show, or not everything. */
export function Note({ children, isBad = false }: { readonly children: ComponentChildren; readonly isBad?: boolean }) {
  return (
    <div class={isBad ? "note bad" : "note"} role={isBad ? "alert" : undefined}>
      {children}
    </div>
  );
}

/** Says what to turn on if the source does not have the data for a view. */
export function ViewNote({ view }: { readonly view: ViewName }) {
  const { because } = summary.value?.views[view] ?? {};
  return because === undefined ? null : <Note>{because}</Note>;
}
