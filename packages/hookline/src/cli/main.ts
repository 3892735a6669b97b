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
  return {
    env: process.env,
    cwd: process.cwd(),
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
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
