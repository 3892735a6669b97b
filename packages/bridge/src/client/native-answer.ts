/** The answer of a hook program, as its host reads it. */
export interface NativeAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The answer of a hook that has nothing to say. */
export const SILENCE: NativeAnswer = { exit: 0, stdout: "", stderr: "" };

/**
 * The client's answer for hosts that run hooks in their own process (`inProcessClient` of `extension/text.ts`): the
 * hooks' answer or why there is none, whether the event must be refused, and a note for the person. Hosts whose hooks
 * are programs use `placeLauncher` of `launcher.ts` instead.
 */
export type InProcessAnswer =
  | NativeAnswer
  | { readonly away: string; readonly refuses: boolean; readonly note?: string };
