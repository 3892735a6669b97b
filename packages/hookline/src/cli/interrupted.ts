import type { Io } from "@hookline/ground/system";

/** Resolves when the command should end: a signal asks for it, or nobody reads its output. */
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
