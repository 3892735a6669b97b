import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Tool } from "../../src/tool/tool.ts";

/** A folder that is gone after the test. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-cache-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The text of a call's result; of an error the error's text. */
export async function told<P>(tool: Tool<P>, params: P): Promise<string> {
  try {
    const { content } = await tool.execute("1", params, undefined, undefined, undefined);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  } catch (error) {
    return (error as Error).message;
  }
}

/** Lines `line 1` to `line count`, each ended. */
export function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}
