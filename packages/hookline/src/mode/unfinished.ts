import { EXIT } from "../io/io.ts";

/**
 * Watches for a run that can never end: nothing is left in the process that could go on with it. Such a run ends with
 * 1 and says so, never with 0 (decision 6b). Gives the undo.
 */
export function watchUnfinished(tell: (line: string) => void): () => void {
  const onEmpty = (): void => {
    tell(
      "The run cannot end: something that it waits for never happens. Give the hook a time limit, or let it settle.",
    );
    process.exit(EXIT.failed);
  };
  process.once("beforeExit", onEmpty);
  return () => process.removeListener("beforeExit", onEmpty);
}
