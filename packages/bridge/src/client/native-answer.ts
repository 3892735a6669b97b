/** The answer of a hook program, as its host reads it. */
export interface NativeAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The answer of a hook that has nothing to say. */
export const SILENCE: NativeAnswer = { exit: 0, stdout: "", stderr: "" };

/**
 * The client's answer to a host that runs hooks in its own process. It is the hooks' answer or, without one, the reason
 * (`away`), whether the event must be refused, and a note for the person.
 */
export type InProcessAnswer =
  | NativeAnswer
  | { readonly away: string; readonly refuses: boolean; readonly note?: string };
