import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { askDaemon } from "../../src/bridge/connect.ts";
import { encodeAnswer } from "../../src/bridge/frame.ts";
import { SILENCE } from "../../src/bridge/host.ts";
import { makeRunFolder, placeIn } from "../../src/bridge/place.ts";
import { temporaryFolder } from "./support/temporary.ts";

test("a daemon that went away before it had read the request is asked once more", async () => {
  const place = placeIn(join(temporaryFolder(), "run"), "0123456789abcdef");
  makeRunFolder(place.folder);
  const answers = [false, true, false, false];
  const server = createServer({ pauseOnConnect: true }, async (connection) => {
    connection.on("error", () => {});
    const isAnswered = answers.shift();
    await wait(20);
    if (isAnswered) connection.resume().end(encodeAnswer({ ...SILENCE, stdout: "{}" }));
    else connection.destroy();
  });
  await once(server.listen(place.socket), "listening");
  onTestFinished(() => void server.close());
  const request = { host: "rig", event: "Before", origin: "", cwd: "/", deadlineMs: 60_000, detach: false, env: {} };
  const asking = { place, request: { ...request, input: Buffer.from("{}") }, timeoutMs: 60_000 };
  const asked = () => askDaemon({ ...asking, start() {} });
  expect(await asked()).toEqual({ ...SILENCE, stdout: "{}" });
  await expect(asked()).rejects.toThrow("the connection ended before the request was read");
  expect(answers).toEqual([]);
});
