/** Matches the commands that the starter guards refuse: `rm` with an option to delete recursively or by force. */
export const DELETING = String.raw`/(?:^|[^\w-])rm(?=\s)(?:\\[^]|[^\\;&|\n])*\s-(?:[a-zA-Z]*[rRf]|-[rf])/`;

/** The starter guards' reason for a refusal, which the model reads. */
export const NOT_DELETED = "Deleting recursively or by force is not allowed here. Move the files to trash/.";

/** Returns comment lines for a starter guard that say what its pattern cannot catch. `mark` begins each line. */
export function patternLimits(mark: string, indent = ""): string {
  return [
    "A pattern sees the text of the command and not what the shell makes of it. It stops a slip of the model, and not",
    'somebody who means it: r""m, "$CMD" -rf, a script, an alias or another program (find -delete, git clean) gets by.',
  ]
    .map((line) => `${indent}${mark} ${line}\n`)
    .join("");
}
