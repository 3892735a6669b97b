import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { type Owner, ownerOf, systemProcesses } from "../../../ground/src/process/owner.ts";
import { announceAgent, announceHost } from "../../../ground/src/process/present.ts";
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

/** The same on a terminal that another process than its parent holds: the parent has ended. */
const LEFT_TYPIST = TYPIST.replace(
  /^pid, .*\n.*\n/m,
  `master, slave = pty.openpty()
if os.fork() == 0:
    if os.fork() > 0: os._exit(0)
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3): os.dup2(slave, fd)
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(slave)
os.wait()
`,
);

function sourceOf(path: string): string {
  return join(import.meta.dirname, "../../..", path);
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const hasScript = spawnSync("script", ["--version"]).status === 0;
const isLinux = process.platform === "linux";
/** No other process of this machine counts in a namespace of its own. */
const ALONE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const alone = spawnSync("unshare", [...ALONE.slice(1), "true"]).status === 0 ? ALONE : [];
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const AS_NOBODY = `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups`;
/** Whether this machine can run the command as another user. */
const hasNobody =
  isRoot && spawnSync("sh", ["-c", `${AS_NOBODY} '${process.execPath}' '${bin}' --version`]).status === 0;
const IN_USER_NAMESPACE = "unshare --user --map-root-user --pid --fork --mount-proc";
const hasUserNamespaces = spawnSync("sh", ["-c", `${IN_USER_NAMESPACE} true`]).status === 0;

interface Desk {
  readonly place: Workplace;
  readonly env: Record<string, string>;
  readonly pause: string;
  /** Path of the file with the messages of the command that `command` runs. */
  readonly said: string;
  /** The command, in a shell's words. */
  readonly command: string;
  /** The same on a terminal, with somebody who types what is asked for. */
  readonly typed: string;
  /** The same where the process that has started it has ended. */
  readonly left: string;
  readonly home: string;
}

function desk(program = `'${bin}' bridge pause 5`): Desk {
  const place = new Workplace();
  onTestFinished(() => rmSync(place.top, { recursive: true, force: true }));
  const typist = place.write("typist.py", TYPIST);
  const left = place.write("left.py", LEFT_TYPIST);
  const said = join(place.top, "said");
  const script = place.write("pause.sh", `exec '${process.execPath}' ${program} 2>'${said}'\n`);
  const command = `sh ${script}`;
  const home = join(place.home, ".hookline");
  const env = { ...CHILD_ENV, HOME: place.home, SHELL: "/bin/sh", TERM: "xterm-256color" };
  return {
    place,
    env,
    said,
    command,
    typed: `python3 ${typist} ${command}`,
    left: `python3 ${left} ${command}`,
    home,
    pause: join(home, "run/bridge/pause"),
  };
}

interface Run {
  readonly child: ChildProcess;
  /** Returns its output so far. */
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

/** Runs a shell text as a person does who sits at a machine on which nothing else runs. */
const typedBy = (of: Desk, text: string): Promise<string> =>
  at(of, [...alone, "sh", "-c", '"$@"; :', "sh", "sh", "-c", `${text}; :`]).out;

/** Gives what is in a desk to another user, who then runs its command; gives the command in a shell's words. */
function asNobody({ place, command }: Desk): string {
  execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, place.top]);
  return `${AS_NOBODY} ${command}`;
}

/** Runs a command with one of its descriptors on a terminal that is not its own. */
const onOther = (fd: number, command: string): string =>
  `python3 -c 'import os, pty, sys; os.dup2(pty.openpty()[1], ${fd}); os.execvp(sys.argv[1], sys.argv[1:])' ${command}`;

const saidIn = ({ said }: Desk): string => (existsSync(said) ? readFileSync(said, "utf8") : "");

/** Waits in a shell until a test holds. */
const until = (holds: string): string => `until ${holds}; do sleep 0.01; done`;

/** Starts a copy of `sleep` in a shell, and waits until it runs under its own name. */
const running = (file: string): string => `${file} ${LONGER_S} & ${until(`[ "$(readlink /proc/$!/exe)" = ${file} ]`)}`;

/** Starts a program and ends it, does not collect it, and makes a file. */
const UNCOLLECTED = `import os, subprocess, sys, time
child = subprocess.Popen(sys.argv[2:])
child.kill()
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
open(sys.argv[1], "w").close()
time.sleep(${LONGER_S})`;

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
    const out = await typedBy(of, of.typed);
    expect(out).toMatch(/Guards are paused until \d\d:\d\d UTC\. `hookline bridge resume` ends that\./);
    expect(readFileSync(of.pause, "utf8")).toMatch(/^from \d+ until \d+\n$/);
    expect((await place.run(["bridge", "status"])).out).toMatch(/^guards: yours .* are paused until \d\d:\d\d UTC; /m);
    expect((await place.run(["doctor"])).out).toMatch(/bridge guards +yours .* are paused until/);
    await typedBy(of, of.typed);
    expect(saidIn(of)).toMatch(/^Guards are paused until \d\d:\d\d UTC already\. A pause cannot be renewed\.$/m);
    expect((await place.run(["bridge", "resume"])).out).toBe("Guards are asked again.\n");
    expect((await place.run(["bridge", "resume"])).out).toBe("Guards are not paused.\n");
    await typedBy(of, of.typed);
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
    await typedBy(of, `python3 ${wrong} ${of.command}`);
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
    await typedBy(of, of.typed.replace(of.command, started(of.command)));
    expect(saidIn(of)).toContain(why);
    expect(existsSync(of.pause)).toBe(false);
  });

  test("begins anew an hour after the last one ended, and not over a file of somebody else", async () => {
    const of = desk();
    const now = Math.floor(Date.now() / 1000);
    of.place.write("~/.hookline/run/bridge/pause", `from ${now - 7000} until ${now - 3500}\n`);
    for (const folder of ["", "/run", "/run/bridge"]) chmodSync(of.home + folder, 0o700);
    chmodSync(of.pause, 0o600);
    await typedBy(of, of.typed);
    expect(saidIn(of)).toContain("may begin at");
    of.place.write("~/.hookline/run/bridge/pause", "x");
    await typedBy(of, of.typed);
    expect(saidIn(of)).toContain("is not what this command writes");
    of.place.write("~/.hookline/run/bridge/pause", `from ${now - 7000} until ${now - 3601}\n`);
    expect(await typedBy(of, of.typed)).toContain("Guards are paused until");
  });

  test.skipIf(!hasTmux).each([
    ["", ""],
    [" and which is the first process", `${ALONE.join(" ")} `],
  ])("is typed in tmux as well, where a person is attached%s", async (what, words) => {
    if (what !== "" && alone.length === 0) return;
    const of = desk();
    const session = `${words}tmux -S ${of.place.top}/tmux -f /dev/null new-session '${of.command}; sleep 1'`;
    const out = await typedBy(of, of.typed.replace(of.command, session));
    expect({ out, said: saidIn(of) }).toMatchObject({ said: "" });
    expect(existsSync(of.pause)).toBe(true);
  });

  test.skipIf(alone.length === 0).each([
    ["an agent runs beside it", ({ typed }: Desk, agent: string) => `sleep 0.1; ${running(agent)}; ${typed}`],
    [
      "an agent runs beside it, below the first process, which has the terminal",
      ({ place, typed, command }: Desk, agent: string) => {
        const both = place.write("both.sh", `${running(agent)}; ${command}; :\n`);
        return typed.replace(command, `${ALONE.join(" ")} sh ${both}`);
      },
    ],
    [
      "hookline's daemon runs beside it",
      ({ place, typed }: Desk) =>
        `cp /bin/sleep ${place.top}/hookline; ${running(`${place.top}/hookline`)}; setsid -w ${typed}`,
    ],
    [
      "an agent was started after it",
      ({ place, typed, command }: Desk, agent: string) => {
        const [begun, there, over] = ["begun", "there", "over"].map((name) => join(place.top, name));
        const later = place.write("later.sh", `: >${begun}; ${until(`[ -e ${there} ]`)}; ${command}; : >${over}\n`);
        return `setsid -f ${typed.replace(command, `sh ${later}`)}
${until(`[ -e ${begun} ]`)}; sleep 0.1; ${running(agent)}; : >${there}; ${until(`[ -e ${over} ]`)}`;
      },
    ],
    [
      "an agent has ended, and nobody has collected it",
      ({ place, typed }: Desk, agent: string) => {
        const over = join(place.top, "over");
        return `python3 -c '${UNCOLLECTED}' ${over} ${agent} ${LONGER_S} & ${until(`[ -e ${over} ]`)}; setsid -w ${typed}`;
      },
    ],
  ])("is typed where %s", async (_, text) => {
    const of = desk();
    const agent = join(of.place.top, "codex");
    copyFileSync("/bin/sleep", agent);
    const out = await typedBy(of, text(of, agent));
    expect({ out, said: saidIn(of) }).toMatchObject({ said: "" });
    expect(existsSync(of.pause)).toBe(true);
  });

  test.skipIf(!hasNobody || alone.length === 0)(
    "is typed on a terminal that another user's process holds, while an agent runs",
    async () => {
      const of = desk();
      const agent = join(of.place.top, "codex");
      copyFileSync("/bin/sleep", agent);
      const out = await typedBy(of, `${running(agent)}; setsid -w ${of.typed.replace(of.command, asNobody(of))}`);
      expect({ out, said: saidIn(of) }).toMatchObject({ said: "" });
      expect(existsSync(of.pause)).toBe(true);
    },
  );
});

/** How a tool call might run it, with somebody who types what is asked for. */
interface Shape {
  readonly run: (of: Desk) => string;
  /** The reason for which it is refused. */
  readonly why: string;
  /** Returns a command that the person runs before the agent. */
  readonly before?: (of: Desk) => string;
  /** The agent has a terminal. */
  readonly hasTerminal?: true;
}

/** Does what the manager of a person's session does, such as that of systemd. */
const TAKER = "import ctypes, subprocess, sys; ctypes.CDLL(None).prctl(36, 1); subprocess.call(sys.argv[1:])";
const BELOW = "it was started by Codex";
const LEFT = /has lost its parents, and Codex/.source;

const SHAPES: Readonly<Record<string, Shape>> = {
  "without a terminal": { why: "there is no terminal here", run: ({ command }) => command },
  sh: { why: BELOW, run: ({ typed }) => `sh -c "${typed}"` },
  "env -i": { why: BELOW, run: (of) => `${bare(of)} ${of.typed}` },
  setsid: { why: LEFT, run: ({ typed }) => `setsid -w ${typed}` },
  "setsid in the background": { why: LEFT, run: (of) => `${bare(of)} setsid -f ${of.typed}` },
  nohup: { why: LEFT, run: ({ typed }) => `nohup ${typed} >/dev/null 2>&1 &` },
  "two forks": { why: LEFT, run: (of) => `(${bare(of)} ${of.typed} &)` },
  "two forks, from a terminal that the first process has": {
    why: LEFT,
    hasTerminal: true,
    run: (of) => `(${bare(of)} ${of.typed} &)`,
  },
  "more than a thousand shells": {
    why: BELOW,
    run({ place, typed }) {
      const deep = place.write("deep.sh", 'n=$1; shift; [ $n = 0 ] || { sh $0 $((n - 1)) "$@"; exit; }\n"$@"\n:\n');
      return `sh ${deep} 1030 ${typed}`;
    },
  },
  "a terminal of which it has let go": {
    why: LEFT,
    run: (of) => `(${bare(of)} setsid ${of.typed} >/dev/null 2>&1 &) & exec sleep ${LONGER_S}`,
  },
  "a terminal that another process holds": { why: LEFT, run: (of) => `${bare(of)} ${of.left}` },
  "setsid in the background, where a program takes what has lost its parents": {
    why: LEFT,
    before: () => `python3 -c '${TAKER}' "$0" -c "$1"`,
    run: (of) => `${bare(of)} setsid -f ${of.typed}`,
  },
  "a process that is left, with a second agent": {
    why: LEFT,
    run: (of) =>
      `${bare(of)} setsid -f ${of.typed.replace(of.command, `sh -c 'sleep 1; ${of.command}'`)}
sleep 0.2; (exec -a gemini sleep ${LONGER_S}) & wait`,
  },
  ...(hasNobody && {
    "a terminal that another process holds, where the first process is another user's": {
      why: LEFT,
      run: (of) => `${bare(of)} ${of.left.replace(of.command, asNobody(of))}`,
    },
    "another user's rights, where others' processes are hidden": {
      why: "the processes above it cannot be seen",
      before: () => "mount -t proc -o hidepid=2 proc /proc",
      run: (of) => of.typed.replace(of.command, asNobody(of)),
    },
  }),
  ...(hasUserNamespaces && {
    "a user namespace": {
      why: "the processes outside of its user namespace cannot be seen",
      run: (of) => `${bare(of)} ${IN_USER_NAMESPACE} ${of.typed}`,
    },
  }),
  ...(hasScript && {
    script: { why: BELOW, run: ({ typed, command }) => typed.replace(command, `script -qc '${command}' /dev/null`) },
    "script in the background": {
      why: LEFT,
      run: (of) => `(${bare(of)} setsid -f ${of.typed.replace(of.command, `script -qc '${of.command}' /dev/null`)} &)`,
    },
  }),
  ...(hasTmux && {
    "a session of tmux": {
      why: "nobody is attached",
      run: (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/own -f /dev/null`),
    },
    "a session of a tmux that was there": {
      why: "nobody is attached",
      before: (of) => tmuxOf(of),
      run: (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/before`),
    },
    "a session of a tmux that was there under another name": {
      why: "nobody is attached",
      before: (of) =>
        `ln -s "$(command -v tmux)" ${of.place.top}/t; ${tmuxOf(of).replace("tmux", `${of.place.top}/t`)}`,
      run: (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/before`),
    },
    "a tmux that was there, attached": {
      why: `of those who are attached to this pane of tmux: ${BELOW}`,
      before: (of) => tmuxOf(of),
      run: (of) => of.typed.replace(of.command, `tmux -S ${of.place.top}/before new-session '${of.command}'`),
    },
    "a session of a tmux where a person looks at another one": {
      why: "nobody is attached",
      before: (of) => `${tmuxOf(of)}; ${lookingAt(of, "before")}`,
      run: (of) => inTmux(of, `${bare(of)} tmux -S ${of.place.top}/before`),
    },
    "a job of a tmux where a person looks": {
      why: "nobody is attached",
      before: (of) => `${tmuxOf(of)}; ${lookingAt(of, "before")}\n${paneEnded(of, "before")}`,
      run: (of) => `${bare(of)} tmux -S ${of.place.top}/before run-shell -b '${of.typed}'`,
    },
    "a session of tmux that only its own pane looks at": {
      why: "of those who are attached to this pane of tmux: the pane itself",
      before: (of) => tmuxOf(of),
      run(of) {
        const tmux = `tmux -S ${of.place.top}/before`;
        return `${bare(of)} ${tmux} new-session -d -s pause -x 220 'env -u TMUX ${tmux} attach -t pause; sleep 9'
until [ "$(${tmux} list-clients -t pause)" ]; do sleep 0.1; done
${tmux} new-window -t pause '${of.command}; sleep 5'`;
      },
    },
    "a pane that names a tmux where a person looks, which had a pane of that name": {
      why: "nobody is attached",
      before: (of) => `${tmuxOf(of)}; ${tmuxOf(of, "desk")}; ${lookingAt(of, "desk")}\n${paneEnded(of, "desk")}`,
      run(of) {
        const tmux = `tmux -S ${of.place.top}/before`;
        const pane = of.place.write(
          "pane.sh",
          `[ "$(tty)" = "$1" ] || exec sleep ${LONGER_S}
: > ${of.place.top}/there
exec env TMUX=${of.place.top}/desk,1,0 ${of.command}\n`,
        );
        return `tty=$(tmux -S ${of.place.top}/desk list-panes -t :ended -F '#{pane_tty}')
${bare(of)} ${tmux} new-session -d -s pause -x 220 "exec sh ${pane} $tty"
sleep 0.5
until [ -e ${of.place.top}/there ]; do ${tmux} new-window -t pause "exec sh ${pane} $tty"; sleep 0.5; done
${typingIn(tmux)}`;
      },
    },
  }),
};

const bare = ({ env }: Desk): string =>
  `env -i ${Object.entries(env)
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ")}`;

/** Starts a tmux to which nobody is attached. */
const tmuxOf = ({ place }: Desk, socket = "before"): string =>
  `tmux -S ${place.top}/${socket} -f /dev/null new-session -d -s ${socket} 'sleep ${LONGER_S}'`;

/** Attaches a person to that tmux. */
const lookingAt = ({ place, typed, command }: Desk, socket: string): string =>
  `${typed.replace(command, `tmux -S ${place.top}/${socket} attach -t ${socket}`)} >/dev/null &
until [ "$(tmux -S ${place.top}/${socket} list-clients)" ]; do sleep 0.1; done`;

/** Leaves two panes there whose programs have ended; the next terminal has the name of the first one's. */
const paneEnded = ({ place }: Desk, socket: string): string => {
  const tmux = `tmux -S ${place.top}/${socket}`;
  return `${tmux} set -g remain-on-exit on
for name in ended gone; do ${tmux} new-window -d -n $name 'until [ -e ${place.top}/both ]; do sleep 0.1; done'; done
: > ${place.top}/both
until [ "$(${tmux} list-panes -s -F '#{pane_dead}' | grep -c 1)" = 2 ]; do sleep 0.1; done`;
};

/** Starts it in a session to which nobody is attached, and types there. */
const inTmux = ({ command }: Desk, tmux: string): string =>
  `${tmux} new-session -d -s pause -x 220 '${command}; sleep 5'\n${typingIn(tmux)}`;

/** Types the number that is shown in the session, without looking at it. */
const typingIn = (tmux: string): string => `while ${tmux} has-session -t pause 2>/dev/null; do
  sleep 0.3
  code=$(${tmux} capture-pane -p -t pause 2>/dev/null | sed -n 's/.*Type \\([0-9]*\\) to pause.*/\\1/p')
  if [ -n "$code" ]; then ${tmux} send-keys -t pause "$code" Enter; break; fi
done`;

/** Starts the command as an agent's tool call would. The agent goes on after the call. */
function startedBy(of: Desk, { run, before, hasTerminal }: Shape, name = "codex"): Run {
  onTestFinished(() => {
    for (const socket of ["own", "before", "desk"])
      spawnSync("tmux", ["-S", `${of.place.top}/${socket}`, "kill-server"], { stdio: "ignore" });
  });
  const agent = join(of.place.top, name);
  copyFileSync("/bin/bash", agent);
  const call = `( ${run(of)} )\nsleep ${LONGER_S}\n:`;
  const terminal = hasTerminal ? of.typed.replace(of.command, "").trim().split(" ") : [];
  return at(of, [...terminal, ...alone, "sh", "-c", `${before?.(of) ?? ""}\n"$0" -c "$1"; :`, agent, call]);
}

describe.skipIf(!hasPython || !isLinux)("hookline bridge pause from a tool call", () => {
  test.each(Object.entries(SHAPES))("is refused: %s", async (_, shape) => {
    const screens: string[] = [];
    for (let n = 0; n < TRIES; n++) {
      const of = desk();
      const run = startedBy(of, shape);
      const hasRun = await settled(of);
      run.end();
      screens.push(run.text());
      if (!hasRun) continue;
      expect(saidIn(of)).toMatch(/^Only a person pauses guards, in a terminal of their own: .+\.$/m);
      expect(saidIn(of)).toMatch(new RegExp(shape.why));
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

  /** The words by which an agent is started that runs a shell text. */
  const AGENTS: Readonly<Record<string, (of: Desk, text: string) => readonly string[]>> = {
    "its short name": (_, text) => [
      "python3",
      "-c",
      'import ctypes, subprocess, sys; ctypes.CDLL(None).prctl(15, b"codex"); subprocess.call(sys.argv[1:])',
      ...["sh", "-c", text],
    ],
    "the file that it runs": ({ place }, text) => {
      copyFileSync("/bin/bash", join(place.top, "codex"));
      return ["bash", "-c", RENAMED, "x", join(place.top, "codex"), "-c", `printf x > /proc/$$/comm; ${text}`];
    },
    "its first word": (_, text) => ["bash", "-c", RENAMED, "codex", "/bin/bash", "-c", text],
    "its name in capitals": (_, text) => ["bash", "-c", RENAMED, "CODEX", "/bin/bash", "-c", text],
    "its script": ({ place }, text) => ["sh", place.write("codex.js", text)],
    "its package": ({ place }, text) => ["sh", place.write("node_modules/@openai/codex/run", text)],
  };
  const RENAMED = 'exec -a "$0" "$@"';

  test.each(Object.entries(AGENTS))("is refused below an agent that is known by %s", async (_, words) => {
    const of = desk();
    await at(of, words(of, `${of.typed}\n:`)).out;
    expect(saidIn(of)).toMatch(/: it was started by Codex \(process \d+\)\.$/m);
  });

  /** Runs a shell text below a program that has begun before. */
  async function below(of: Desk, begun: (owner: Owner) => void, words = ["sh", "-c"], text = of.typed): Promise<Run> {
    const go = join(of.place.top, "go");
    const run = at(of, [...words, `until [ -e ${go} ]; do sleep 0.1; done; ${text}; :`]);
    const owner = ownerOf(run.child.pid ?? 0);
    if (owner !== undefined) begun(owner);
    of.place.write("../go", "");
    return run;
  }
  const asAgent = (of: Desk) => (owner: Owner) => {
    onTestFinished(announceAgent(of.home, of.place.project, { ...systemProcesses, self: () => owner }));
  };

  test.each([
    [
      "has asked the daemon",
      "an agent whose hooks hookline runs",
      (of: Desk) => below(of, (owner) => announceHost(of.home, owner, of.place.project)),
    ],
    ["is hookline's agent", "hookline", (of: Desk) => below(of, asAgent(of))],
    [
      "runs hooks by the library",
      "hookline",
      async (of: Desk) => {
        const library = sourceOf("runtime/src/transport/process/run-file.ts");
        const host = of.place.write(
          "host.mjs",
          `import { writeRunFile } from ${JSON.stringify(library)};
import { execFileSync } from "node:child_process";
writeRunFile(${JSON.stringify(join(of.home, "run"))}, "0123456789abcdef");
execFileSync("sh", ["-c", ${JSON.stringify(of.typed)}], { stdio: "inherit" });\n`,
        );
        return at(of, [process.execPath, host]);
      },
    ],
    [
      "runs hookline's program",
      "hookline",
      async (of: Desk) => {
        copyFileSync("/bin/bash", join(of.place.top, "hookline"));
        return at(of, [join(of.place.top, "hookline"), "-c", `${of.typed}; :`]);
      },
    ],
  ])("is refused below a program of another name that %s", async (_, label, started) => {
    const of = desk();
    await (await started(of)).out;
    expect(saidIn(of)).toContain(`: it was started by ${label} (process `);
  });

  test("is refused where hookline's own agent may have left the process", async () => {
    const of = desk();
    const agent = join(of.place.top, "hookline");
    copyFileSync("/bin/bash", agent);
    const run = await below(of, asAgent(of), [agent, "-c"], `${bare(of)} setsid -f ${of.typed}; sleep ${LONGER_S}`);
    await settled(of);
    run.end();
    expect(saidIn(of)).toContain("has lost its parents");
    expect(existsSync(of.pause)).toBe(false);
  });
});

/** Says what keeps a command from being typed, as far as `ps` shows it: what macOS has. */
const BY_PS = `import { processTable } from ${JSON.stringify(sourceOf("ground/src/process/table.ts"))};
import { whyNotTyped } from ${JSON.stringify(sourceOf("hookline/src/consent/at-terminal.ts"))};
const agents = [{ label: "Codex", names: ["codex"], marks: [] }];
const why = await whyNotTyped({ hooklineHome: process.argv[2], agents, table: processTable(false) });
process.stderr.write(\`\${why ?? "typed"}\\n\`);
`;

describe.skipIf(!hasPython || !isLinux || alone.length === 0)("a system that shows its processes by ps alone", () => {
  const sh = { why: "^typed$", run: ({ typed }: Desk) => `exec ${typed}` };
  test.each([
    ["a person", sh, "bash"],
    ["without a terminal", SHAPES["without a terminal"]],
    ["sh", SHAPES["sh"]],
    ["setsid in the background", SHAPES["setsid in the background"]],
    ["two forks", SHAPES["two forks"]],
    ["a terminal that another process holds", SHAPES["a terminal that another process holds"]],
    ["a session of a tmux that was there", SHAPES["a session of a tmux that was there"]],
  ] as const)("is told what it needs: %s", async (_, shape, agent?: string) => {
    if (shape === undefined) return;
    const first = desk();
    const of = desk(`--conditions=hookline-source '${first.place.write("by-ps.ts", BY_PS)}' '${first.home}'`);
    const run = startedBy(of, shape, agent);
    expect(await settled(of)).toBe(true);
    run.end();
    expect(saidIn(of)).toMatch(new RegExp(shape.why, "m"));
  });
});
