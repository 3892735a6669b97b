import { spawn } from "node:child_process";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { bin, type Workplace } from "./cli.ts";

/**
 * Runs a program on a terminal of its own, types each text when what it waits for has come; tells what was on the
 * terminal. The limit ends what hangs, before the test's own does.
 */
const DRIVER = `import json, os, pty, select, signal, sys, time
steps, argv = json.loads(sys.argv[1]), sys.argv[2:]
pid, master = pty.fork()
if pid == 0: os.execvp(argv[0], argv)
out, seen, done, is_open = b"", 0, [], True
end = time.monotonic() + 150
def read():
    global out, is_open
    if not is_open: time.sleep(0.05)
    if not is_open or not select.select([master], [], [], 0.1)[0]: return
    try: out += os.read(master, 65536)
    except OSError: is_open = False
def has_interrupt():
    try:
        with open(f"/proc/{pid}/status") as status:
            return any(int(line.split()[1], 16) & 2 for line in status if line.startswith(("SigPnd", "ShdPnd")))
    except OSError: return False
for wanted, typed in steps:
    while wanted.encode() not in out[seen:] and is_open and time.monotonic() < end: read()
    at = out.find(wanted.encode(), seen)
    if at < 0: break
    seen = at + len(wanted)
    done.append(wanted)
    # An interrupt that the program has not taken yet and the next one would arrive as one.
    while has_interrupt() and time.monotonic() < end: time.sleep(0.01)
    os.write(master, typed.encode())
status = None
while status is None and time.monotonic() < end:
    read()
    got, code = os.waitpid(pid, os.WNOHANG)
    if got: status = os.waitstatus_to_exitcode(code)
if status is None: os.kill(pid, signal.SIGKILL)
while is_open and select.select([master], [], [], 0)[0]: read()
print(json.dumps({"status": status, "done": done, "out": out.decode("utf8", "replace")}))`;

/** How it ended, which texts came, and everything that was on the terminal. */
export interface Sat {
  readonly status: number;
  readonly done: readonly string[];
  readonly out: string;
}

/** A text to wait for on the terminal, and the text to type then. */
export type Step = readonly [wanted: string, typed: string];

/** Runs the command line on a terminal, which takes python3. */
export async function onTerminal(
  place: Workplace,
  steps: readonly Step[],
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Sat> {
  const env = { ...CHILD_ENV, HOME: place.home, TERM: "xterm-256color", ...more };
  const args = ["-c", DRIVER, JSON.stringify(steps), process.execPath, bin, ...words];
  const child = spawn("python3", args, { cwd: place.project, env, stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (told += chunk));
  await new Promise((done) => child.on("close", done));
  return JSON.parse(told);
}
