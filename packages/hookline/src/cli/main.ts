import type { Io } from "./io.ts";
import { VERSION } from "./version.ts";

/** Runs the command line of this process and sets its exit code. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv[0] === "--version" || argv[0] === "-v") {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  const { run } = await import("./run.ts");
  const code = await run(argv, processIo());
  await flushed(process.stdout);
  await flushed(process.stderr);
  process.exit(code);
}

function processIo(): Io {
  const gone = new AbortController();
  // `hookline … | head -1` closes the pipe early, which is no fault of anybody.
  process.stdout.on("error", () => gone.abort());
  process.stderr.on("error", () => {});
  // Modes that keep modules from stdout put something else in the place of its `write`.
  const write = process.stdout.write.bind(process.stdout);
  return {
    env: process.env,
    cwd: process.cwd(),
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    out: (text) => void write(text),
    readerGone: gone.signal,
    err: (text) => void process.stderr.write(text),
    get input() {
      return process.stdin;
    },
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
    async ask(question) {
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}

/** Resolves when what was written has left this process; a pipe may be slower than the exit. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write("", () => resolve());
    stream.once("error", () => resolve());
  });
}
