import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";
/** Above every port that `fetch` refuses to ask. */
const FIRST = 11_000;

/**
 * A free port of 127.0.0.1. It is none of those that the system gives to whoever asks for any, so that no other test gets
 * it before it is used.
 */
export async function freePort(): Promise<number> {
  const [given = 0] = existsSync(RANGE) ? readFileSync(RANGE, "utf8").split(/\s+/).map(Number) : [32_768];
  const end = given > FIRST ? given : 65_536;
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (end - FIRST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
