import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A home folder that is not there: for what needs a home and must find nothing in it. Each process has another path. */
export const NO_HOME: string = join(tmpdir(), `hookline-no-home-${randomUUID()}`);
