import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stage } from "../../tui/stage.ts";

/** Opens what the person has typed in the editor that their environment names. */
export async function editOutside(stage: Stage): Promise<void> {
  const wanted = process.env["VISUAL"] || process.env["EDITOR"];
  if (!wanted) throw new Error("There is no editor to open. Set VISUAL or EDITOR.");
  const folder = mkdtempSync(join(tmpdir(), "hookline-edit-"));
  const file = join(folder, "prompt.md");
  writeFileSync(file, stage.prompt.text, { mode: 0o600 });
  const [program = "", ...args] = wanted.split(/\s+/);
  const resume = stage.suspend();
  try {
    const code = await new Promise<number | null>((done, failed) => {
      const child = spawn(program, [...args, file], { stdio: "inherit" });
      child.on("error", failed);
      child.on("close", done);
    });
    if (code === 0) stage.prompt.text = readFileSync(file, "utf8").replace(/\n$/, "");
  } finally {
    resume();
    rmSync(folder, { recursive: true, force: true });
  }
}
