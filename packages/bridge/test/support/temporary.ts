import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "hookline-bridge-"));
}
