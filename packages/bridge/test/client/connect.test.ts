import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { askDaemon, connects } from "../../src/client/client.ts";
import { encodeAnswer } from "../../src/client/frame.ts";
import { SILENCE } from "../../src/client/native-answer.ts";
import { makeRunFolder, placeIn } from "../../src/client/place.ts";
import { occupied } from "../support/occupied.ts";
import { temporaryFolder } from "../support/temporary.ts";

const REQUEST = {
  ...{ host: "rig", event: "Before", origin: "", cwd: "/", deadlineMs: 60_000, detach: false, env: {} },
  input: Buffer.from("{}"),
};

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
  const asked = () => askDaemon({ place, request: REQUEST, timeoutMs: 60_000, start() {} });
  expect(await asked()).toEqual({ ...SILENCE, stdout: "{}" });
  await expect(asked()).rejects.toThrow("the connection ended before the request was read");
  expect(answers).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a daemon with too many waiting calls counts as alive, and is asked again",
  async () => {
    const place = placeIn(join(temporaryFolder(), "run"), "0123456789abcdef");
    makeRunFolder(place.folder);
    const release = await occupied(place.socket, encodeAnswer({ ...SILENCE, stdout: "{}" }));
    let isAnswered = false;
    const start = () => expect.unreachable("another daemon was started");
    const asked = askDaemon({ place, request: REQUEST, timeoutMs: 60_000, start }).finally(() => {
      isAnswered = true;
    });
    for (let i = 0; i < 10; i++) expect(await connects(place.socket)).toBe(true);
    await expect(askDaemon({ place, request: REQUEST, timeoutMs: 100, start })).rejects.toThrow("no answer in time");
    expect(isAnswered).toBe(false);
    release();
    expect(await asked).toEqual({ ...SILENCE, stdout: "{}" });
  },
);
