/**
 * Sends what modules write to stdout to stderr, so that it cannot get between the lines of a protocol or into an
 * answer; gives the undo. Whoever is to write to stdout must have taken its `write` before. Source: spec/pi.md 2.4.
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
