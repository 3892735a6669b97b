import { EXIT } from "../io/io.ts";

/**
 * Watches for a run that can never end because nothing in the process is left to continue it. Such a run exits with 1
 * and says so, never with 0 (decision 6b). Returns a function that stops watching.
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
