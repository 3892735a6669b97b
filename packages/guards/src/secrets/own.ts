import type { SettingsOf } from "../settings.ts";
import type { Form } from "./forms.ts";
import type { Own } from "./scan.ts";

/** Returns the key patterns and the names of secrets that a person's settings add to the search. */
export function ownOf({ names, patterns }: SettingsOf<"secrets">): Own {
  const forms = patterns.map(
    (pattern): Form => ({
      kind: "own key",
      starts: [pattern.slice(0, -1)],
      body: /[A-Za-z0-9_.~+/=-]{4,4096}/y,
    }),
  );
  return { forms, names };
}
