/** The commands that the example guards refuse: `rm` with an option to delete recursively or by force, anywhere. */
export const DELETING = String.raw`/(?:^|[^\w-])rm(?=\s)(?:\\[^]|[^\\;&|\n])*\s-(?:[a-zA-Z]*[rRf]|-[rf])/`;

/** The example guards' text for the model. */
export const NOT_DELETED = "Deleting recursively or by force is not allowed here. Move the files to trash/.";

/** Returns the limits of the example guards as comment lines; `mark` begins each line. */
export function patternLimits(mark: string, indent = ""): string {
  return [
    "A pattern sees the text of the command and not what the shell makes of it. It stops a slip of the model, and not",
    'somebody who means it: r""m, "$CMD" -rf, a script, an alias or another program (find -delete, git clean) gets by.',
  ]
    .map((line) => `${indent}${mark} ${line}\n`)
    .join("");
}
