import { readFileSync } from "node:fs";
import { checkedBundle } from "../../packages/fleet/src/policy/bundle.ts";
import { sha256 } from "../../packages/fleet/src/policy/key.ts";
import { pinnedRoot } from "../../packages/fleet/src/policy/root.ts";
import { readCreds } from "../../packages/fleet/src/sign/creds.ts";
import { serveBundle } from "../../packages/fleet/test/support/worker.ts";

// A worker in its own process, so that it can be killed and stopped.
const [url = "", creds = "", place = "", channel = "", rootPath = ""] = process.argv.slice(2);
const file = readFileSync(rootPath);
const bundle = checkedBundle(place, { root: pinnedRoot(file, sha256(file)), channel });
await serveBundle({ url, creds: readCreds(readFileSync(creds, "utf8")), bundle });
process.stdout.write("ready\n");
