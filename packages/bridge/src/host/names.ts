/**
 * The names of fields and arguments that an agent was seen to use. If a later version renames a field, hooks no longer
 * see it. Written by `npm run hosts -- --write` and from the recordings; blanks separate the names in a text.
 */
export interface HostNames {
  /** The models with which the loss report was tested, by the agent's version. */
  readonly held: Readonly<Record<string, string>>;
  /** The fields of the agent's payloads, by event. Fields of an event that is missing here are not compared. */
  readonly fields: Readonly<Record<string, string>>;
  /** The arguments of the agent's tools, by tool. Arguments of a tool that is missing here are not compared. */
  readonly args: Readonly<Record<string, string>>;
}

/** Splits a text of `HostNames` into its names. */
export function namesIn(text: string): readonly string[] {
  return text.split(" ").filter((name) => name !== "");
}
