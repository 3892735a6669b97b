/** Deeper than any tool's arguments, and than what hooks are shown of anything (guarantees R18). */
export const MAX_ARGUMENTS_DEPTH = 256;

/** Whether a value is nested too deeply to be copied, stored and shown. Without recursion, which would not come back. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_ARGUMENTS_DEPTH) return true;
    level = level.flatMap((one) => Object.values(one).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
