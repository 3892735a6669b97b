import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { changesHome, neverRun } from "../../src/protect/never.ts";

const place = { cwd: `${NO_HOME}/p`, home: NO_HOME, hooklineHome: `${NO_HOME}/.hookline` };

describe("a shell text that runs what only a person may", () => {
  test.each([
    "hookline bridge pause 5",
    "npx hookline bridge pause 5",
    "npx -y hookline@latest bridge pause 5",
    "node /a/bin/hookline.js bridge pause 5",
    "env -i A=1 hookline bridge pause 5",
    "sh -c 'hookline bridge pause 5'",
    "script -qc 'hookline bridge pause 5' /dev/null",
    "script -q /dev/null hookline bridge pause 5",
    "tmux new-session -d 'hookline bridge pause 5'",
    "tmux new -d hookline bridge pause 5",
    "setsid -f hookline bridge pause 5",
    "nohup hookline bridge pause 5 &",
    "timeout 5 hookline bridge pause 5",
    "H=hookline; $H bridge pause 5",
    "H=$(echo hookline); $H bridge pause 5",
    "A='bridge pause'; hookline $A 5",
    "X=$(cat f); $X bridge pause 5",
    "hookline $(echo bridge) pause 5",
    'eval "hookline bridge pause 5"',
    "echo 'hookline bridge pause 5' | sh",
    "python3 -c \"import pty; pty.spawn(['hookline','bridge','pause','5'])\"",
    "expect -c 'spawn hookline bridge pause 5'",
    "ssh localhost hookline bridge pause 5",
    "npm exec hookline -- bridge pause 5",
    "hookline bridge $X 5",
    "hookline $X",
    "bash <<< 'hookline bridge pause 5'",
    "screen -dmS x hookline bridge pause 5",
    "systemd-run --user --pty hookline bridge pause 5",
    "xargs hookline bridge <<< 'pause 5'",
    "alias h=hookline; h bridge pause 5",
    'f() { hookline bridge "$@"; }; f pause 5',
    "printf '%s %s %s 5' hookline bridge pause | bash",
    "./node_modules/.bin/hookline bridge pause 5",
    "hookline --quiet bridge pause 5",
    "tmux send-keys 'hookline bridge pause 5' Enter",
    "echo aG9va2xpbmUgYnJpZGdlIHBhdXNlIDU= | base64 -d | sh",
    "find . -exec hookline bridge pause 5 \\;",
    "a=hook;b=line;c=bri;d=dge;e=pau;f=se; $a$b $c$d $e$f 5",
    "ho'okline' bri\"dge\" pa\\use 5",
    "(setsid hookline bridge pause 5 &)",
    "setsid nohup sh -c 'hookline bridge pause 5 &' &",
    "hookline\tbridge  pause 5",
    "$(which hookline) bridge pause 5",
    '"$HOME"/bin/hookline bridge pause 5',
    "X=1 exec hookline bridge pause 60",
    "coproc hookline bridge pause 5",
    "watch -n1 hookline bridge pause 5",
    "flock /tmp/l hookline bridge pause 5",
    "unshare -r hookline bridge pause 5",
    "sudo -u me hookline bridge pause 5",
    "su me -c 'hookline bridge pause 5'",
    "docker exec c hookline bridge pause 5",
    "tmux new-window 'bash -lc \"hookline bridge pause 5\"'",
    "script -qec \"tmux new 'hookline bridge pause 5'\" /dev/null",
    "unbuffer hookline bridge pause 5",
    "socat EXEC:'hookline bridge pause 5',pty -",
    "perl -e 'system(\"hookline bridge pause 5\")'",
  ])("%s", async (text) => {
    expect(await neverRun(text)).toBe("Only a person may run `hookline bridge pause`, in a terminal of their own.");
  });

  test.each([
    "echo hookline bridge pause 5",
    "grep -rn 'hookline bridge pause' docs",
    "git commit -m 'hookline bridge pause'",
    "$A $B $C",
    "$CC $CFLAGS -o x y.c",
    "hookline bridge status",
    "hookline bridge resume",
    "npx hookline doctor",
    "hookline hooks list",
    "git add packages/hookline/src/cli/bridge/pause.ts",
    "npm test -- packages/hookline/test/bridge/pause.programs.test.ts",
    "sleep 5; pause",
    "hookline -p 'how does bridge pause work'",
  ])("is not: %s", async (text) => {
    expect((await neverRun(text)) ?? (await changesHome(text, place))).toBeUndefined();
  });
});

describe("a shell text that changes hookline's home", () => {
  test.each([
    "rm -f ~/.hookline/run/bridge/pause",
    "cp /tmp/x ~/.hookline/run/bridge/pause",
    "echo 'from 1 until 2' > $HOME/.hookline/run/bridge/pause",
    "mv ~/.hookline ~/x",
    "rm -rf ~/.hookline/run",
    "cd ~/.hookline/run/bridge && rm pause",
    "rm ~/.hook*/run/bridge/pause",
    "tee $HOOKLINE_HOME/run/bridge/pause",
    `python3 -c "open('${NO_HOME}/.hookline/run/bridge/pause','w')"`,
    `rm ${NO_HOME}/.hookline/run/*/pause`,
    "ln -sf /tmp/x ~/.hookline/run/bridge/pause",
    "sed -i s/1/2/ ~/.hookline/run/bridge/pause",
    'truncate -s0 "$' + '{HOME}/.hookline/run/bridge/pause"',
    "rm -r ~/.hookline/ru?",
    "chmod 666 ~/.hookline/run/bridge/pause",
    "touch -d yesterday ~/.HOOKLINE/run/bridge/pause",
  ])("%s", async (text) => {
    expect(await changesHome(text, place)).toContain("only a person may change it");
  });

  test.each([
    "cat ~/.hookline/run/bridge/pause",
    "ls -la ~/.hookline/run",
    "rm -rf .hookline/cache",
    "mkdir -p build && rm -rf build/*",
    "cat ~/.hookline/settings.json | head",
    "rm -rf ~/tmp/*",
  ])("is not: %s", async (text) => {
    expect(await changesHome(text, place)).toBeUndefined();
  });
});
