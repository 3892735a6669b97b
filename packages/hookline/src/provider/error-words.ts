/** The text that a person sees for an aborted run. */
export const ABORTED = "Operation aborted";

/** Maps terse errors of providers' clients to plain text. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:terminated|premature close|other side closed)$/i, "The connection ended before the reply was complete"],
  [/^fetch failed$/i, "The provider could not be reached"],
  [/^(?:(?:this|the) )?(?:request|operation) (?:was )?aborted\.?$/i, ABORTED],
];

/** Returns a provider's error as text for a person. Rewords known errors, and takes the message out of JSON. */
export function errorWords(text: string): string {
  const meaning = MEANINGS.find(([pattern]) => pattern.test(text.trim()));
  if (meaning !== undefined) return meaning[1];
  const at = text.indexOf("{");
  const message = at < 0 ? undefined : messageIn(text.slice(at));
  return message === undefined ? text : `${text.slice(0, at)}${message}`;
}

/** Returns the message in an error's JSON, in any provider's form. The message may itself be such JSON. */
function messageIn(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { error, message } = (value ?? {}) as { readonly error?: unknown; readonly message?: unknown };
  const inner = (error as { readonly message?: unknown } | undefined)?.message ?? error ?? message;
  return typeof inner === "string" && inner.trim() !== "" ? (messageIn(inner) ?? inner) : undefined;
}
