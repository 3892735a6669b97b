import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { connected } from "../../src/link/connected.ts";
import { Link } from "../../src/link/link.ts";
import type { Bundle } from "../../src/policy/bundle.ts";
import { announced } from "../../src/presence/announcer.ts";
import type { Creds } from "../../src/sign/creds.ts";
import { openHooks } from "../../src/work/hooks.ts";
import { Worker } from "../../src/work/worker.ts";

/** The version of hookline in tests. */
export const VERSION = "0.0.0-test";

/** A worker that serves one bundle, whatever is published; gives what ends it. */
export async function serveBundle(
  { creds, url, bundle }: { readonly creds: Creds; readonly url: string; readonly bundle: Bundle },
  tell: (line: string) => void = () => {},
): Promise<() => Promise<void>> {
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000 });
  const worker = new Worker({ creds, clock: systemClock, concurrency: 8, tell });
  const presence = announced({ link, creds, bundle: () => bundle, clock: systemClock, version: VERSION });
  worker.serve(bundle, await openHooks(bundle, () => {}));
  const close = async (): Promise<void> => {
    presence.close();
    link.close();
    await worker.close();
  };
  try {
    const connection = await connected(link, url);
    link.serve((one) => worker.listen(one));
    await connection.flush();
    return close;
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
