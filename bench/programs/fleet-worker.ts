import { readFileSync } from "node:fs";
import { Link } from "../../packages/fleet/src/link/link.ts";
import { checkedBundle } from "../../packages/fleet/src/policy/bundle.ts";
import { sha256 } from "../../packages/fleet/src/policy/key.ts";
import { pinnedRoot } from "../../packages/fleet/src/policy/root.ts";
import { readCreds } from "../../packages/fleet/src/sign/creds.ts";
import { serveBundle } from "../../packages/fleet/test/support/worker.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";

// A worker in its own process that serves a bundle, and also answers each message on a plain subject at once.
const [url = "", credsPath = "", place = "", channel = "", rootPath = "", bare = ""] = process.argv.slice(2);
const root = readFileSync(rootPath);
const creds = readCreds(readFileSync(credsPath, "utf8"));
const bundle = checkedBundle(place, { root: pinnedRoot(root, sha256(root)), channel });
await serveBundle({ url, creds, bundle });
const link = new Link({ url, creds, clock: systemClock });
link.serve((connection) =>
  connection.subscribe(bare, { callback: (_, message) => void message.respond(message.data) }),
);
if (!(await link.ready(10_000))) throw new Error(link.problem);
await link.connection?.flush();
process.stdout.write("ready\n");
