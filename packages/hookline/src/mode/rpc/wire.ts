/** One command from a client, parsed from a line. */
export interface Command {
  readonly type: string;
  readonly id?: string | number;
  readonly [field: string]: unknown;
}

/** Writes one object as one line. */
export type Send = (line: object) => void;

/** Makes a success reply, with optional data. Source: spec/pi.md 2.5. */
export function success(command: Command, data?: unknown): object {
  return {
    ...idOf(command),
    type: "response",
    command: command.type,
    success: true,
    ...(data !== undefined && { data }),
  };
}

/** Makes a failure reply. */
export function failure(command: Pick<Command, "id" | "type">, error: string): object {
  return { ...idOf(command), type: "response", command: command.type, success: false, error };
}

function idOf({ id }: Pick<Command, "id">): { readonly id?: string | number } {
  return id === undefined ? {} : { id };
}

/** Returns a required text field. */
export function textField(command: Command, name: string): string {
  const value = command[name];
  if (typeof value !== "string") throw new Error(`"${name}" must be a text`);
  return value;
}

/** Returns an optional text field. */
export function optionalText(command: Command, name: string): string | undefined {
  return command[name] === undefined ? undefined : textField(command, name);
}

/** Returns a field whose value must be one of `words`. */
export function wordField<const W extends string>(command: Command, name: string, words: readonly W[]): W {
  const value = command[name];
  const word = words.find((one) => one === value);
  if (word === undefined) throw new Error(`"${name}" must be one of ${words.join(", ")}`);
  return word;
}

/** Returns a required boolean field. */
export function flagField(command: Command, name: string): boolean {
  const value = command[name];
  if (typeof value !== "boolean") throw new Error(`"${name}" must be true or false`);
  return value;
}
