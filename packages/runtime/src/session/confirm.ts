import type { CallAnswer, HostUi } from "../port/host.ts";
import type { WrappedCall } from "../run/wrap.ts";

type Args = WrappedCall["args"];

/** Asks a person a guard's question about a call with these arguments. */
export type Approve = (
  title: string,
  message: string,
  args: Args,
  signal: AbortSignal | undefined,
) => Promise<CallAnswer>;

/** Returns a function that asks in a dialog of the host; `undefined` if it has none. Only the answer `true` allows. */
export function approveBy(ui: HostUi | undefined): Approve | undefined {
  if (ui?.approve !== undefined)
    return async (title, message, args, signal) => {
      const answer: Partial<CallAnswer> | undefined = await ui.approve?.(title, message, args, { signal });
      return { ...answer, approved: answer?.approved === true };
    };
  if (ui?.confirm === undefined) return undefined;
  return async (title, message, _, signal) => ({ approved: (await ui.confirm?.(title, message, { signal })) === true });
}

/**
 * Returns a function that asks a person a hook's question about a call, if there is anyone to ask. A dialog that fails,
 * or that is still open when the call is aborted, does not allow the call.
 */
export function confirmBy(
  ui: HostUi | undefined,
  { tool, signal }: WrappedCall,
): ((reason: string, args: Args) => Promise<CallAnswer>) | undefined {
  const approve = approveBy(ui);
  if (approve === undefined) return undefined;
  return (reason, args) =>
    new Promise((resolve) => {
      const close = (answer: CallAnswer): void => {
        signal?.removeEventListener("abort", refuse);
        resolve(answer);
      };
      const refuse = (): void => close({ approved: false });
      if (signal?.aborted === true) return refuse();
      signal?.addEventListener("abort", refuse);
      approve(`Run ${tool}?`, reason, args, signal).then(close, refuse);
    });
}
