type Write = typeof process.stdout.write;

/**
 * Keeps what modules write to stdout and stderr off the screen, and passes it on line by line; returns a function that
 * undoes this. The terminal itself is written to in another way.
 */
export function divertOutput(line: (text: string) => void): () => void {
  const undo = [process.stdout, process.stderr].map((stream) => {
    const own = Object.getOwnPropertyDescriptor(stream, "write");
    let rest = "";
    const diverted = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
      const lines = (rest + (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))).split("\n");
      rest = lines.pop() ?? "";
      for (const one of lines) line(one);
      const told = typeof encoding === "function" ? encoding : done;
      if (typeof told === "function") queueMicrotask(told as () => void);
      return true;
    }) as Write;
    stream.write = diverted;
    return () => {
      if (rest !== "") line(rest);
      if (stream.write !== diverted) return;
      if (own === undefined) Reflect.deleteProperty(stream, "write");
      else Object.defineProperty(stream, "write", own);
    };
  });
  return () => {
    for (const one of undo) one();
  };
}
