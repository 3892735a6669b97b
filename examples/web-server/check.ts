import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { server } from "./server.ts";

server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const ask = async (path: string, method = "POST") => {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method });
  return `${response.status} ${await response.text()}`;
};

// Ten visitors at once, with three calls each; each has its own quota.
const visitors = Array.from({ length: 10 }, (_, i) => `visitor-${i}`);
const answers = await Promise.all(
  visitors.map(async (visitor) => [
    await ask(`${visitor}/search`),
    await ask(`${visitor}/search`),
    await ask(`${visitor}/search`),
  ]),
);
for (const [i, visitor] of visitors.entries()) {
  const ran = `200 search for ${visitor}`;
  assert.deepEqual(answers[i], [ran, ran, "403 Two calls a session."]);
}
await ask("visitor-0", "DELETE");
assert.equal(await ask("visitor-0/search"), "200 search for visitor-0");
server.closeAllConnections();
server.close();
console.log("Ten sessions in one process kept ten counts.");
