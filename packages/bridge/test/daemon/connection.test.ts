import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Connection, type Listener, listen } from "../../src/daemon/connection.ts";
import { temporaryFolder } from "../support/temporary.ts";

const top = temporaryFolder();
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("a connection", () => {
  /** A client, and what the daemon's side of its connection is told. */
  async function met(says: string): Promise<{ client: Socket; connection: Connection; heard: string[] }> {
    const path = join(top, "daemon.sock");
    const heard: string[] = [];
    const listener: Listener = { onPiece: (bytes) => heard.push(String(bytes)), onEnd: () => heard.push("end") };
    const { promise: taken, resolve } = Promise.withResolvers<Connection>();
    const server = listen(path, (connection) => {
      resolve(connection);
      return says === "" ? undefined : listener;
    });
    await once(server, "listening");
    const client = connect({ path, allowHalfOpen: true });
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    if (says !== "") client.write(says);
    return { client, connection: await taken, heard };
  }

  test("brings what the client sends, and closes behind the answer", async () => {
    const { client, connection, heard } = await met("a question");
    expect(connection.isUnread).toBe(true);
    await expect.poll(() => heard).toEqual(["a question"]);
    expect(connection.isUnread).toBe(false);
    const done = vi.fn();
    connection.end(Buffer.from("an answer"), done);
    expect(String((await once(client, "data"))[0])).toBe("an answer");
    await once(client, "end");
    await expect.poll(() => heard).toContain("end");
    expect(done).toHaveBeenCalledOnce();
  });

  test("waits for a client that takes its time with a long answer", async () => {
    const { client, connection, heard } = await met("a question");
    await expect.poll(() => heard).toHaveLength(1);
    const done = vi.fn();
    connection.end(Buffer.alloc(3_000_000, "x"), done);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(done).not.toHaveBeenCalled();
    let got = 0;
    client.on("data", (piece) => (got += piece.length));
    await once(client, "end");
    expect(got).toBe(3_000_000);
    await expect.poll(() => done.mock.calls).toHaveLength(1);
  });

  test.each([
    ["before", 1],
    ["while", 3_000_000],
  ])("tells of a client that goes %s it is answered", async (when, size) => {
    const { client, connection, heard } = await met("a question");
    await expect.poll(() => heard).toHaveLength(1);
    const done = vi.fn();
    const answer = (): void => connection.end(Buffer.alloc(size), done);
    if (when === "while") answer();
    client.destroy();
    await expect.poll(() => heard).toContain("end");
    if (when === "before") answer();
    await expect.poll(() => done.mock.calls).toHaveLength(1);
  });

  test("takes no more of a client whose connection is closed", async () => {
    const { client, connection, heard } = await met("a question");
    await expect.poll(() => heard).toHaveLength(1);
    connection.close();
    await once(client.resume(), "end");
    await expect.poll(() => heard).toEqual(["a question", "end"]);
  });

  test("can be closed at once, with nothing read", async () => {
    const { client, connection } = await met("");
    connection.close();
    await once(client.resume(), "end");
    expect(connection.isUnread).toBe(true);
  });
});
