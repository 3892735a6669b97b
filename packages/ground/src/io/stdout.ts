/**
 * Redirects to stderr what modules write to stdout, which would corrupt a protocol or an answer. Returns a function
 * that ends this. Code that must write to stdout saves `process.stdout.write` first. Source: spec/pi.md 2.4.
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
