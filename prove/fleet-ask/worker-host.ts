import { readFileSync } from "node:fs";
import { folderBundle } from "../../packages/fleet/src/bundle/folder.ts";
import { serve } from "../../packages/fleet/src/command/serve.ts";
import { readCreds } from "../../packages/fleet/src/sign/creds.ts";

// A worker as a program of its own, so that it can be killed and stopped.
const [url = "", creds = "", folder = ""] = process.argv.slice(2);
await serve(
  {
    url,
    creds: readCreds(readFileSync(creds, "utf8")),
    bundle: folderBundle(folder),
    concurrency: 8,
    version: "0.0.0-test",
  },
  { err: (text) => void process.stderr.write(text) },
);
process.stdout.write("ready\n");
