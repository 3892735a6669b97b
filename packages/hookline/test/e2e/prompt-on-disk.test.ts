import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { startLoopback } from "../support/loopback.ts";

test("a prompt is on disk before a model is asked", async () => {
  const place = new Workplace();
  const path = join(place.project, "kept.jsonl");
  const seen: string[] = [];
  const server = await startLoopback(() => {
    seen.push(existsSync(path) ? readFileSync(path, "utf8") : "");
    return { text: "done" };
  });
  try {
    const asked = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
    const ran = await place.run([...asked, "--session", path, "-p", "Keep these words."]);
    expect(ran).toMatchObject({ code: 0, out: "done\n" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('"Keep these words."');
    expect(seen[0]?.endsWith("\n")).toBe(true);
  } finally {
    await server.close();
    place.remove();
  }
});
