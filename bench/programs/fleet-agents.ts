import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Asker } from "../../packages/fleet/src/lane/asker.ts";
import { Policy } from "../../packages/fleet/src/lane/policy.ts";
import { membership } from "../../packages/fleet/src/place/joined.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";

// Prints the heap bytes per agent, for `count` agents that each follow a policy over their own connection.
const [home = "", count = ""] = process.argv.slice(2);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const member = membership(home, {});
if (member === undefined) throw new Error("it has not joined");

const open = async (): Promise<unknown> => {
  const policy = new Policy({ membership: member, clock: systemClock, version: "0.0.0" });
  const bundle = await policy.current();
  policy.add({ prepare: () => Promise.reject(new Error("there is nothing new")), tell: () => {} });
  policy.begin();
  if (!(await policy.link.ready(10_000))) throw new Error(policy.problem);
  const asker = new Asker({ creds: member.creds, bundle, link: policy.link, clock: systemClock, env: {} });
  return { policy, asker };
};
const heap = async (): Promise<number> => {
  // By then, work that the connections have started is done.
  await new Promise((resolve) => setTimeout(resolve, 500));
  collect();
  return process.memoryUsage().heapUsed;
};

// The first two load the NATS client.
const kept = [await open(), await open()];
const before = await heap();
for (let n = 0; n < Number(count); n++) kept.push(await open());
const bytes = ((await heap()) - before) / Number(count);
process.stdout.write(`${bytes}\n`, () => process.exit(kept.length > 0 ? 0 : 1));
