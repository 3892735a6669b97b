import type { NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../kit.ts";
import { pingQuestion } from "../lane/ping.ts";
import type { Bus } from "../link/bus.ts";
import { namesOf, PING } from "../name/subjects.ts";
import type { SignedManifest } from "../policy/manifest.ts";
import { presentIn } from "../presence/bucket.ts";
import type { Creds } from "../sign/creds.ts";
import { readAnswer } from "../wire/answer.ts";
import { TOKEN_HEADER, writeQuestion } from "../wire/question.ts";

/** How long one round of pings waits for answers, in ms. */
const ROUND_MS = 500;

/** Dependencies for asking workers. */
export interface Asking {
  readonly connection: NatsConnection;
  readonly bus: Bus;
  readonly creds: Creds;
}

/** Programs that answer for the fleet's remote hooks (workers), by whether they already have a version of the policy. */
export interface RolledOut {
  /** The names of the workers that serve the version. */
  readonly serving: readonly string[];
  /** Workers of the channel that answer but do not serve the version, each with the newest version that it serves. */
  readonly missing: readonly { readonly worker: string; readonly version: number }[];
}

/** Waits until `count` workers serve a version, at most as long as agents would wait for them. */
export async function waitForWorkers(asking: Asking, version: SignedManifest, count: number): Promise<RolledOut> {
  const serving = new Set<string>();
  const until = systemClock.now() + version.manifest.rollout.maxMs;
  do for (const worker of await workersOf(asking, version.digest)) serving.add(worker);
  while (serving.size < count && systemClock.now() < until);
  const missing: { worker: string; version: number }[] = [];
  if (serving.size < count)
    for await (const { machine, read } of presentIn(asking.bus, asking.creds)) {
      const isOf = read.ok && read.role === "worker" && read.presence.channel === version.manifest.channel;
      if (isOf && !serving.has(machine)) missing.push({ worker: machine, version: read.presence.bundle.version });
    }
  return { serving: [...serving].sort(), missing };
}

/** Returns the workers that answer within `ROUND_MS` that they serve a bundle. */
async function workersOf({ connection, creds }: Asking, digest: string): Promise<readonly string[]> {
  const { createInbox, headers } = await import("../link/client.ts");
  const names = namesOf(creds.fleet);
  const question = pingQuestion(creds.machine, digest, ROUND_MS);
  const inbox = createInbox(names.inbox(creds.machine));
  const found: string[] = [];
  const answers = connection.subscribe(inbox, {
    callback: (error, { data }) => {
      const read = error === null && data.length > 0 ? readAnswer(data, question) : undefined;
      if (read?.ok === true) found.push(read.answer.worker);
    },
  });
  const own = headers();
  own.set(TOKEN_HEADER, creds.token);
  connection.publish(names.ask(digest, PING), writeQuestion(question, creds), { reply: inbox, headers: own });
  await new Promise<void>((resolve) => systemClock.timer(ROUND_MS, resolve).hold(true));
  answers.unsubscribe();
  return found;
}
