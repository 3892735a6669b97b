/** The answer of a hook program, as its host reads it. */
export interface NativeAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The answer of a hook that has nothing to say. */
export const SILENCE: NativeAnswer = { exit: 0, stdout: "", stderr: "" };

/**
 * Carries what the client gives hosts that run hooks in their own process (`inProcessClient` of `extension/text.ts`): the answer
 * or why there is none, whether the event must be refused, and what the person is told. Hosts whose hooks are programs are
 * given `placeLauncher` of `launcher.ts` instead.
 */
export type InProcessAnswer =
  | NativeAnswer
  | { readonly away: string; readonly refuses: boolean; readonly note?: string };
