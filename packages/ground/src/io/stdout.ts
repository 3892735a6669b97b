/**
 * Redirects to stderr what modules write to stdout, so that they cannot corrupt a protocol or an answer. Returns the
 * undo. Code that must write to stdout has to save its `write` before. Source: spec/pi.md 2.4.
 */
export function divertStdout(): () => void {
  const { stdout, stderr } = process;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  const diverted = stderr.write.bind(stderr) as typeof stdout.write;
  stdout.write = diverted;
  return () => {
    if (stdout.write !== diverted) return;
    if (own === undefined) Reflect.deleteProperty(stdout, "write");
    else Object.defineProperty(stdout, "write", own);
  };
}
