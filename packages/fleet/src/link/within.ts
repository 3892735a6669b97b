import type { Clock, Timer } from "../kit.ts";
import type { Link } from "./link.ts";

/**
 * Waits for a link and then for `work`, at most `mostMs` together. `work` does not start if there is no connection by
 * then. Rejects as `work` does.
 */
export async function within(
  { link, clock, mostMs }: { readonly link: Pick<Link, "ready">; readonly clock: Clock; readonly mostMs: number },
  work: () => Promise<void> | undefined,
): Promise<void> {
  const until = clock.now() + mostMs;
  if (!(await link.ready(mostMs))) return;
  let timer: Timer | undefined;
  const over = new Promise<void>((resolve) => {
    timer = clock.timer(Math.max(0, until - clock.now()), resolve);
    timer.hold(true);
  });
  try {
    await Promise.race([work(), over]);
  } finally {
    timer?.cancel();
  }
}
