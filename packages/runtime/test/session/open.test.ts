import { expect, test } from "vitest";
import { createHookRuntime } from "../../src/session/runtime.ts";

test.each([
  [undefined, "open: scene is missing"],
  [{}, "open: scene is missing"],
  [{ scene: null }, "open: scene is null, and not an object"],
  [{ scene: {} }, "open: scene.sessionId is missing"],
  [{ scene: { sessionId: 7, cwd: "/" } }, "open: scene.sessionId is 7, and not a text"],
  [{ scene: { sessionId: "1" } }, "open: scene.cwd is missing"],
  [{ scene: { sessionId: "1", cwd: 5 } }, "open: scene.cwd is 5, and not a text"],
])("a program without types that opens %j is told what is wrong, and how to call it", async (options, message) => {
  const runtime = createHookRuntime();
  await expect(runtime.open(options as never)).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message,
    hint: expect.stringContaining("open({ scene: { sessionId:"),
  });
  await runtime.close();
});
