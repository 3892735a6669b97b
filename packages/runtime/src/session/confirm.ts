import type { HostUi } from "../port/host.ts";
import type { WrappedCall } from "../run/wrap.ts";

/**
 * Asks the person a hook's question about a call, if there is one to ask. Only `true` allows: a dialog that fails, or
 * that is open when the call is aborted, does not.
 */
export function confirmBy(
  ui: HostUi | undefined,
  { tool, signal }: WrappedCall,
): ((reason: string) => Promise<boolean>) | undefined {
  const confirm = ui?.confirm?.bind(ui);
  if (confirm === undefined) return undefined;
  return (reason) =>
    new Promise((resolve) => {
      const close = (answer: unknown): void => {
        signal?.removeEventListener("abort", refuse);
        resolve(answer === true);
      };
      const refuse = (): void => close(false);
      if (signal?.aborted === true) return close(false);
      signal?.addEventListener("abort", refuse);
      new Promise((answer) => answer(confirm(`Run ${tool}?`, reason, { signal }))).then(close, refuse);
    });
}
