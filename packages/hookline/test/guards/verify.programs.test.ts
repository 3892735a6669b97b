import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

/** The guard of docs/guide/verify.md, from its source. */
const GUARD = fileURLToPath(new URL("../../../guards/src/verify/guard.ts", import.meta.url));

test("a run is sent back while a check fails that passed before, and ends when it passes", async () => {
  const place = new Workplace();
  try {
    place.write(
      "~/.hookline/guards/verify.ts",
      `import { verify } from ${JSON.stringify(GUARD)};\nexport default verify({ run: ["test ! -f bad && echo fine"] });\n`,
    );
    const replies = [
      { toolCalls: [{ name: "write", arguments: { path: "bad", content: "x" } }] },
      { text: "I am done." },
      { toolCalls: [{ name: "bash", arguments: { command: "rm bad" } }] },
      { text: "Now I am." },
    ];
    place.write("script.json", JSON.stringify({ replies }));
    const ran = await place.run(["--script", "script.json", "--mode", "json", "go"]);
    expect(ran.code, ran.err).toBe(0);
    const said = ran.out.split("\n").filter((line) => line.includes('"message_end"'));
    expect(said.some((line) => line.includes("The check `test ! -f bad && echo fine` fails since your change"))).toBe(
      true,
    );
    expect(said.at(-1)).toContain("Now I am.");
    expect(existsSync(join(place.project, "bad"))).toBe(false);
  } finally {
    place.remove();
  }
});
