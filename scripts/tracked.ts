import { execFileSync } from "node:child_process";
import { root } from "./step.ts";

/** Returns the repository's files that match a git pattern, including those not yet committed. */
export function gitFiles(pattern: string): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z", pattern], {
    cwd: root,
    encoding: "utf8",
  });
  return listed.split("\0").filter((path) => path !== "");
}
