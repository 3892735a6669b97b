import type { Io } from "@hookline/ground/system";

/** Resolves when a person or a program wants the command to end, or nobody reads its output. */
export function interrupted({ readerGone }: Io): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      readerGone?.removeEventListener("abort", end);
      resolve();
    };
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
    readerGone?.addEventListener("abort", end);
  });
}
