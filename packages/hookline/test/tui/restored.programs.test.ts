import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";
import { has } from "../support/seeds.ts";

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));

/** Runs a program on a terminal of its own, ends it in a way, and tells how it ended and what became of the terminal. */
const DRIVER = `import json, os, pty, select, signal, sys, termios, time
way, argv = sys.argv[1], sys.argv[2:]
master, slave = pty.openpty()
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    for fd in (0, 1, 2): os.dup2(slave, fd)
    os.execvp(argv[0], argv)
out = b""
def read(seconds):
    global out
    if select.select([master], [], [], seconds)[0]: out += os.read(master, 65536)
end = time.monotonic() + 20
while b"Model: script" not in out and time.monotonic() < end: read(0.1)
raw = termios.tcgetattr(slave)
if way == "key": os.write(master, b"\\x04")
elif way == "exit": os.write(master, b"/leave\\r")
else: os.kill(pid, getattr(signal, way))
end = time.monotonic() + 20
status = None
while time.monotonic() < end:
    read(0.05)
    done, code = os.waitpid(pid, os.WNOHANG)
    if done: status = os.waitstatus_to_exitcode(code); break
else: os.kill(pid, signal.SIGKILL)
read(0.2)
print(json.dumps({"status": status, "wasRaw": raw != before, "same": termios.tcgetattr(slave) == before,
  "cursor": out.rfind(b"\\x1b[?25h") > out.rfind(b"\\x1b[?25l"), "pastes": out.rfind(b"\\x1b[?2004l") > out.rfind(b"\\x1b[?2004h")}))`;

let place: Workplace;
afterEach(() => place.remove());

test.skipIf(!has("python3")).each([
  ["Ctrl+D", "key", 0],
  ["a hang-up", "SIGHUP", 129],
  ["an interrupt", "SIGINT", 130],
  ["a termination", "SIGTERM", 143],
  ["a module that asks for the end", "exit", 0],
])("after %s the terminal is as it was", async (_, way, status) => {
  place = new Workplace();
  const leave = `export default function (pi) {
    pi.registerCommand("leave", { handler: async (args, ctx) => ctx.shutdown() });
  }`;
  place.write("~/.pi/agent/extensions/leave.ts", leave);
  const script = place.write("~/script.json", JSON.stringify({ replies: [{ text: "Fine." }] }));
  const env = { ...CHILD_ENV, HOME: place.home, TERM: "xterm-256color" };
  const args = ["-c", DRIVER, way, process.execPath, bin, "--script", script];
  const child = spawn("python3", args, { cwd: place.project, env, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  await new Promise((done) => child.on("close", done));
  expect(JSON.parse(out)).toEqual({ status, wasRaw: true, same: true, cursor: true, pastes: true });
});
