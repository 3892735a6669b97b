import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(
  new URL(
    "../../../../.cache/peers/@earendil-works+pi-coding-agent@0.87.1/node_modules/@earendil-works/pi-coding-agent/examples/extensions/",
    import.meta.url,
  ),
);

/** Whether pi's own package is there, whose examples are run as they were shipped. */
export const hasPiExamples: boolean = existsSync(folder);

/** The path of one of pi's example extensions. */
export function piExample(name: string): string {
  return join(folder, name);
}
