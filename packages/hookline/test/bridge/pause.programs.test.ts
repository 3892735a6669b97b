import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ownerOf } from "../../../ground/src/process/owner.ts";
import { announceHost } from "../../../ground/src/process/present.ts";
import { bin, Workplace } from "../support/cli.ts";

/** How long a busy machine may take for one command; what must outlive it sleeps longer. */
const PATIENCE_S = 120;
const LONGER_S = PATIENCE_S + 20;
/** How often a shape is tried of which the command has not been run, as where a terminal could not be had. */
const TRIES = 3;

/** Runs a program on a terminal of its own, types the number that it is asked for, and prints what was on the terminal. */
const TYPIST = `import fcntl, os, pty, re, select, struct, sys, termios, time
pid, master = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 220, 0, 0))
out, typed, end = "", False, time.monotonic() + ${PATIENCE_S}
while time.monotonic() < end:
    if not select.select([master], [], [], 0.1)[0]: continue
    try: out += os.read(master, 65536).decode("utf8", "replace")
    except OSError: break
    code = re.search(r"Type (\\d{4}) to pause", re.sub(r"\\x1b\\[[0-9;?]*[A-Za-z]", "", out))
    if code and not typed:
        typed = True
        os.write(master, (code[1] + "\\r").encode())
print(out)`;

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const hasScript = spawnSync("script", ["--version"]).status === 0;
const isLinux = process.platform === "linux";
/** No other process of this machine counts in a namespace of its own. */
const ALONE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const alone = spawnSync("unshare", [...ALONE.slice(1), "true"]).status === 0 ? ALONE : [];

interface Desk {
  readonly place: Workplace;
  readonly env: Record<string, string>;
  readonly pause: string;
  /** Where the command's messages go that is run by `command`. */
  readonly said: string;
  /** The command, in a shell's words. */
  readonly command: string;
  /** The same on a terminal, with somebody who types what is asked for. */
  readonly typed: string;
  readonly home: string;
}

function desk(): Desk {
  const place = new Workplace();
  onTestFinished(() => rmSync(place.top, { recursive: true, force: true }));
  const typist = place.write("typist.py", TYPIST);
  const said = join(place.top, "said");
  const script = place.write("pause.sh", `exec '${process.execPath}' '${bin}' bridge pause 5 2>'${said}'\n`);
  const command = `sh ${script}`;
  const home = join(place.home, ".hookline");
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.home, TERM: "xterm-256color" };
  return {
    place,
    env,
    said,
    command,
    typed: `python3 ${typist} ${command}`,
    home,
    pause: join(home, "run/bridge/pause"),
  };
}

interface Run {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  text(): string;
  readonly out: Promise<string>;
  /** Ends it with everything that it has started in its group. */
  end(): void;
}

function at(of: Desk, words: readonly string[], env = of.env): Run {
  const [file = "", ...args] = words;
  const child = spawn(file, args, { cwd: of.place.project, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  onTestFinished(end);
  return { child, text: () => text, end, out: new Promise((resolve) => child.on("close", () => resolve(text))) };
}

/** Runs a command with one of its descriptors on a terminal that is not its own. */
const onOther = (fd: number, command: string): string =>
  `python3 -c 'import os, pty, sys; os.dup2(pty.openpty()[1], ${fd}); os.execvp(sys.argv[1], sys.argv[1:])' ${command}`;

const saidIn = ({ said }: Desk): string => (existsSync(said) ? readFileSync(said, "utf8") : "");

/** Waits until the command has said why it does nothing, or has paused the guards; false if it does neither. */
async function settled(of: Desk): Promise<boolean> {
  const has = (): boolean => saidIn(of) !== "" || existsSync(of.pause);
  for (let n = 0; n < PATIENCE_S * 10 && !has(); n++) await wait(100);
  return has();
}

describe.skipIf(!hasPython || !isLinux)("hookline bridge pause", () => {
  test("is typed by a person in a terminal, once, and ends when they say so", async () => {
    const of = desk();
    const { place } = of;
    const out = await at(of, ["sh", "-c", of.typed]).out;
    expect(out).toMatch(/Guards are paused until \d\d:\d\d UTC\. `hookline bridge resume` ends that\./);
    expect(readFileSync(of.pause, "utf8")).toMatch(/^from \d+ until \d+\n$/);
    expect((await place.run(["bridge", "status"])).out).toMatch(/^guards: yours .* are paused until \d\d:\d\d UTC; /m);
    expect((await place.run(["doctor"])).out).toMatch(/bridge guards +yours .* are paused until/);
    await at(of, ["sh", "-c", of.typed]).out;
    expect(saidIn(of)).toMatch(/^Guards are paused until \d\d:\d\d UTC already\. A pause cannot be renewed\.$/m);
    expect((await place.run(["bridge", "resume"])).out).toBe("Guards are asked again.\n");
    expect((await place.run(["bridge", "resume"])).out).toBe("Guards are not paused.\n");
    await at(of, ["sh", "-c", of.typed]).out;
    expect(saidIn(of)).toMatch(
      /^The last pause ended less than an hour ago\. The next one may begin at \d\d:\d\d UTC\.$/m,
    );
    expect((await place.run(["bridge", "status"])).out).toMatch(/^guards: the next pause may begin at \d\d:\d\d UTC$/m);
    const log = readFileSync(join(of.home, "run/bridge/pause.log"), "utf8");
    expect(log).toMatch(/ guards are paused until .*, by process \d+\n.* the pause was ended before its time\n$/);
  });

  test("needs the number that is shown, and a number of minutes", async () => {
    const of = desk();
    const wrong = of.place.write("wrong.py", TYPIST.replace('code[1] + "', '"1'));
    await at(of, ["sh", "-c", `python3 ${wrong} ${of.command}`]).out;
    expect(saidIn(of)).toBe("Guards are not paused.\n");
    for (const minutes of [[], ["0"], ["61"], ["off"], ["1.5"]]) {
      const { code, err } = await of.place.run(["bridge", "pause", ...minutes]);
      expect(code).toBe(2);
      expect(err).toContain("bridge resume");
    }
    expect(existsSync(of.pause)).toBe(false);
  });

  test.each([
    ["in the background", (command: string) => `bash -c 'set -m; ${command} & wait'`, "it runs in the background"],
    ["with another terminal as its input", (command: string) => onOther(0, command), "is not its terminal"],
    ["with another terminal as its output", (command: string) => onOther(1, command), "is not its terminal"],
  ])("is refused %s", async (_, started, why) => {
    const of = desk();
    await at(of, ["sh", "-c", of.typed.replace(of.command, started(of.command))]).out;
    expect(saidIn(of)).toContain(why);
    expect(existsSync(of.pause)).toBe(false);
  });

  test("begins anew an hour after the last one ended, and not over a file of somebody else", async () => {
    const of = desk();
    const now = Math.floor(Date.now() / 1000);
    of.place.write("~/.hookline/run/bridge/pause", `from ${now - 7000} until ${now - 3500}\n`);
    for (const folder of ["", "/run", "/run/bridge"]) chmodSync(of.home + folder, 0o700);
    chmodSync(of.pause, 0o600);
    await at(of, ["sh", "-c", of.typed]).out;
    expect(saidIn(of)).toContain("may begin at");
    of.place.write("~/.hookline/run/bridge/pause", "x");
    await at(of, ["sh", "-c", of.typed]).out;
    expect(saidIn(of)).toContain("is not what this command writes");
    of.place.write("~/.hookline/run/bridge/pause", `from ${now - 7000} until ${now - 3601}\n`);
    expect(await at(of, ["sh", "-c", of.typed]).out).toContain("Guards are paused until");
  });

  test.skipIf(!hasTmux)("is typed in tmux as well, where a person is attached", async () => {
    const of = desk();
    const session = `tmux -S ${of.place.top}/tmux -f /dev/null new-session '${of.command}; sleep 1'`;
    const { out } = at(of, [...alone, "sh", "-c", of.typed.replace(of.command, session)]);
    expect({ out: await out, said: saidIn(of) }).toMatchObject({ said: "" });
    expect(existsSync(of.pause)).toBe(true);
  });
});

/** How a tool call might run it, with somebody who types what is asked for; `{}` is the command. */
const SHAPES: Readonly<Record<string, (of: Desk) => string>> = {
  "without a terminal": ({ command }) => command,
  sh: ({ typed }) => `sh -c "${typed}"`,
  "env -i": (of) => `${bare(of)} ${of.typed}`,
  setsid: ({ typed }) => `setsid -w ${typed}`,
  "setsid in the background": (of) => `${bare(of)} setsid -f ${of.typed}`,
  nohup: ({ typed }) => `nohup ${typed} >/dev/null 2>&1 &`,
  "two forks": (of) => `(${bare(of)} ${of.typed} &)`,
  "a terminal of which it has let go": (of) =>
    `(${bare(of)} setsid ${of.typed} >/dev/null 2>&1 &) & exec sleep ${LONGER_S}`,
  ...(hasScript && {
    script: ({ typed, command }) => typed.replace(command, `script -qc '${command}' /dev/null`),
    "script in the background": (of) =>
      `(${bare(of)} setsid -f ${of.typed.replace(of.command, `script -qc '${of.command}' /dev/null`)} &)`,
  }),
  ...(hasTmux && {
    "a session of tmux": (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/own -f /dev/null`),
    "a session of a tmux that was there": (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/before`),
    "a tmux that was there, attached": (of) =>
      of.typed.replace(of.command, `tmux -S ${of.place.top}/before new-session '${of.command}'`),
  }),
};

const bare = ({ env }: Desk): string =>
  `env -i ${Object.entries(env)
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ")}`;

/** Starts it in a session to which nobody is attached, and types there. */
const inTmux = (
  { command }: Desk,
  tmux: string,
): string => `${tmux} new-session -d -s pause -x 220 '${command}; sleep 5'
while ${tmux} has-session -t pause 2>/dev/null; do
  sleep 0.3
  code=$(${tmux} capture-pane -p -t pause 2>/dev/null | sed -n 's/.*Type \\([0-9]*\\) to pause.*/\\1/p')
  if [ -n "$code" ]; then ${tmux} send-keys -t pause "$code" Enter; break; fi
done`;

/** Starts the command as an agent's tool call would. The agent goes on after the call. */
function startedBy(of: Desk, name: string, shape: (of: Desk) => string): Run {
  onTestFinished(() => {
    for (const socket of ["own", "before"])
      spawnSync("tmux", ["-S", `${of.place.top}/${socket}`, "kill-server"], { stdio: "ignore" });
  });
  if (name.includes("was there"))
    execFileSync(
      "tmux",
      ["-S", `${of.place.top}/before`, "-f", "/dev/null", "new-session", "-d", `sleep ${LONGER_S}`],
      { env: of.env },
    );
  const agent = join(of.place.top, "codex");
  copyFileSync("/bin/bash", agent);
  return at(of, [agent, "-c", `( ${shape(of)} )\nsleep ${LONGER_S}\n:`]);
}

describe.skipIf(!hasPython || !isLinux)("hookline bridge pause from a tool call", () => {
  test.each(Object.entries(SHAPES))("is refused: %s", async (name, shape) => {
    const screens: string[] = [];
    for (let n = 0; n < TRIES; n++) {
      const of = desk();
      const run = startedBy(of, name, shape);
      const hasRun = await settled(of);
      run.end();
      screens.push(run.text());
      if (!hasRun) continue;
      expect(saidIn(of)).toMatch(/^Only a person pauses guards, in a terminal of their own: .+\.$/m);
      expect(existsSync(of.pause)).toBe(false);
      return;
    }
    expect.fail(`the command was not run: ${JSON.stringify(screens)}`);
  });

  test.each(["HOOKLINE_RUN_ID", "CLAUDECODE", "GEMINI_CLI", "COPILOT_CLI"])(
    "is refused where an ancestor has %s",
    async (mark) => {
      const of = desk();
      await at(of, ["sh", "-c", `env -u ${mark} ${of.typed}; :`], { ...of.env, [mark]: "1" }).out;
      expect(saidIn(of)).toContain(`has the variable ${mark}`);
    },
  );

  test("is refused below a program of another name that has asked the daemon", async () => {
    const of = desk();
    const { child, out } = at(of, ["sh", "-c", `sleep 1; ${of.typed}; :`]);
    const owner = ownerOf(child.pid ?? 0);
    if (owner !== undefined) announceHost(of.home, owner, of.place.project);
    await out;
    expect(saidIn(of)).toContain("it was started by an agent whose hooks hookline runs");
  });
});
