/** What the engine itself says of a failure, and what JavaScript says without quoting data. */
const KNOWN: readonly RegExp[] = [
  /^no answer within \d+ ms$/,
  /^exit code \d+$/,
  /^signal SIG[A-Z0-9]+$/,
  /^aborted$/,
  /^the chain limit was reached$/,
  /^the limit of its output$/,
  /^its output is not valid UTF-8$/,
  /^its file is gone$/,
  /^it is (?:a|an|no|not) [a-z ,]{1,40}$/,
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '[\w$]{1,40}'\)$/,
  /^[\w$.]{1,60} is not (?:a function|defined|iterable|a constructor)$/,
  /^Maximum call stack size exceeded$/,
];

/** An error's text as far as it may be written to disk: one that could quote a payload is only said to be there (guarantees R55). */
export function knownError(message: string): string {
  return KNOWN.some((known) => known.test(message)) ? message : "it threw; `--verbose` shows the text";
}
