import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** Takes no connection before it is sent a byte, and lets two of them wait; answers each request with the same bytes. */
const LISTENER = `
  const [path, answer] = process.argv.slice(1);
  const server = require("node:net").createServer((connection) => {
    connection.on("error", () => {}).on("data", () => connection.end(Buffer.from(answer, "base64")));
  });
  server.listen({ path, backlog: 1 }, () => {
    console.log("listening");
    require("node:fs").readSync(0, Buffer.alloc(1));
  });
`;

/** Starts a process that listens at a socket for which as many others wait as may; the returned function has it answer. */
export async function occupied(socket: string, answer: Buffer): Promise<() => void> {
  const args = ["-e", LISTENER, socket, answer.toString("base64")];
  const listener = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void listener.kill("SIGKILL"));
  await once(listener.stdout, "data");
  const waiting = [connect(socket), connect(socket)];
  onTestFinished(() => {
    for (const connection of waiting) connection.destroy();
  });
  await Promise.all(waiting.map((connection) => once(connection, "connect")));
  return () => void listener.stdin.write("x");
}
