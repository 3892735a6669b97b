import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A home folder that does not exist, for code that needs one and must find nothing in it. Each process has its own
 * path.
 */
export const NO_HOME: string = join(tmpdir(), `hookline-no-home-${randomUUID()}`);
