import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkpoints, commands, secrets, undo } from "../src/index.ts";
import { copyOf, differences } from "./undo/support/copy.ts";
import { Place } from "./undo/support/session.ts";

/**
 * The guards together on a bad day: a call either does not run, with a sentence, or what it loses comes back bit for bit.
 * Asking changes nothing.
 */
let place: Place;

beforeEach(() => {
  // A busy machine must not use up the time that a checkpoint may take.
  vi.useFakeTimers({ toFake: ["Date"] });
  place = new Place();
  place.run("git init -q -b main; echo a > a; git add a; git commit -qm one");
  place.write("notes.txt", "mine\n");
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  place.end();
});

/** A path with these programs of the machine's, and no others. */
function onlyPrograms(...names: readonly string[]): void {
  const folder = join(place.folder, "programs");
  mkdirSync(folder);
  for (const name of names)
    symlinkSync(spawnSync("which", [name], { encoding: "utf8" }).stdout.trim(), join(folder, name));
  vi.stubEnv("PATH", folder);
}

/** Files of the project and the person, each with its content, mode and time. */
function stateOf(): ReturnType<typeof copyOf> {
  const copy = copyOf(place.folder, (path) => !/^(?:home|mounted|programs)(?:\/|$)/.test(path));
  return new Map(
    [...copy].map(([path, value]) => [
      path,
      `${value} ${lstatSync(Buffer.from(join(place.folder, path), "latin1")).mtimeMs}`,
    ]),
  );
}

interface Day {
  readonly name: string;
  readonly setup?: string | (() => unknown);
  /** Default: deletes a file that exists nowhere else. */
  readonly command?: string;
  readonly project?: string;
  readonly hooklineHome?: () => string;
  /** The text for the model or the person. `runs`: the call goes on, and can be undone. */
  readonly says: RegExp;
  readonly runs?: true;
  /** A further text for the person, shown once. */
  readonly notice?: RegExp;
  /** Needs a disk of its own, which only root may mount. */
  readonly mounts?: string;
}

const mounted = (): string => join(place.folder, "mounted");

const CONFLICT =
  "git checkout -q -b t; echo t > a; git commit -qam t; git checkout -q main; echo m > a; git commit -qam m; git merge -q t; echo resolved > a";
const BACK = /exists? nowhere else\. `hookline undo` brings it back/;
const ASKED = /^Not run\. .*notes\.txt, which exists nowhere else/;

const DAYS: readonly Day[] = [
  { name: "a day like any other", says: BACK, runs: true },
  { name: "git is absent", setup: () => onlyPrograms("sh", "rm"), says: BACK, runs: true },
  {
    name: "git is absent, and its state would be needed",
    setup() {
      place.write("a", "edited");
      onlyPrograms("sh", "rm");
    },
    command: "git reset --hard",
    says: /git cannot say what that is.*`hookline undo` brings it back/,
    runs: true,
  },
  {
    name: "the repository is broken",
    setup: "for f in HEAD index config; do echo nonsense > .git/$f; done",
    says: BACK,
    runs: true,
  },
  {
    name: "the repository is bare",
    setup: "git init -q --bare ../bare; echo mine > ../bare/notes.txt",
    project: "bare",
    says: BACK,
    runs: true,
  },
  {
    name: "the repository is broken, and its state would be needed",
    setup: "echo nonsense > .git/HEAD; echo edited > a",
    command: "git reset --hard; rm a",
    says: /git cannot say what that is.*`hookline undo` brings it back/,
    runs: true,
  },
  {
    name: "the repository is bare, and a branch of it goes",
    setup:
      "git branch topic; git clone -q --bare . ../bare; cd ../bare; git update-ref refs/heads/topic $(git commit-tree -m x HEAD^{tree})",
    command: "git branch -D topic",
    project: "bare",
    says: /topic.*`hookline undo` brings it back/,
    runs: true,
  },
  {
    name: "the project is a linked work tree",
    setup: "git worktree add -q ../tree; echo mine > ../tree/notes.txt",
    project: "tree",
    says: BACK,
    runs: true,
  },
  {
    name: "a submodule has edits",
    setup:
      "git init -q ../other; (cd ../other; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule -q add ../other sub; echo edit > sub/s",
    command: "git -C sub checkout -- s",
    says: /sub.*`hookline undo` brings it back/,
    runs: true,
  },
  {
    name: "a merge is in progress",
    setup: CONFLICT,
    command: "git merge --abort",
    says: /how conflicts were resolved in a, .*brings it back/,
    runs: true,
  },
  {
    name: "a name is not UTF-8",
    setup: "printf x > \"$(printf 'n\\377\\n')\"",
    command: "git clean -fdq",
    says: /brings it back/,
    runs: true,
  },
  {
    name: "the disk of hookline's home is full",
    mounts: "head -c 900000 /dev/zero > fill",
    hooklineHome: mounted,
    says: ASKED,
    notice: /the disk is full; free some space.*Calls go on without a checkpoint/s,
  },
  {
    name: "the disk of hookline's home is read-only",
    mounts: "mount -o remount,ro .",
    hooklineHome: mounted,
    says: ASKED,
    notice: /the disk is read-only.*Calls go on without a checkpoint/s,
  },
  {
    name: "the file is over the limit of a checkpoint",
    setup: "echo '*.bin' > .gitignore; head -c 1500000 /dev/zero > notes.bin",
    command: "rm notes.bin",
    says: /^Not run\. .*notes\.bin/,
  },
  { name: "the file has gone before the call", setup: "rm notes.txt", says: /^$/, runs: true },
  {
    name: "the command has a megabyte",
    command: `echo ${"x ".repeat(600_000)}; rm notes.txt`,
    says: /^Not run\. /,
  },
  {
    name: "git takes longer than the guard waits",
    setup() {
      onlyPrograms("sh", "rm", "sleep");
      writeFileSync(join(place.folder, "programs", "git"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    },
    command: "git reset --hard",
    says: /^Not run\. .*git gave no answer within/,
  },
];

test.each(DAYS.map((day) => [day.name, day] as const))("%s", { timeout: 120_000 }, async (_, day) => {
  const { setup, command = "rm notes.txt", says, runs = false, notice, mounts } = day;
  if (mounts !== undefined) {
    mkdirSync(mounted());
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=600k", "none", mounted()]).status !== 0) return;
    spawnSync("sh", ["-c", mounts], { cwd: mounted() });
  }
  if (typeof setup === "string") place.run(setup);
  else setup?.();
  const cwd = join(place.folder, day.project ?? "project");
  const session = { cwd, home: place.personHome, hooklineHome: day.hooklineHome?.() ?? place.home };
  const runtime = createRuntime({ dialects: [], home: place.personHome });
  try {
    const opened = await runtime.open({ scene: { sessionId: "1", cwd } });
    for (const one of [...commands({}, session), ...secrets({}, session), ...undo({}, session)]) opened.on(one);
    await opened.prove();
    const before = stateOf();
    const { answer, notices } = await opened.emit("tool.before", { tool: "bash", toolCallId: "1", args: { command } });
    expect(differences(stateOf(), before)).toEqual([]);
    expect(answer.decision).toBe(runs ? undefined : "ask");
    expect(runs ? (answer.remark ?? []).join() : answer.reason).toMatch(says);
    if (notice !== undefined) expect(notices.map(({ text }) => text).join()).toMatch(notice);
    if (!runs) return;
    vi.unstubAllEnvs();
    const contents = (): ReturnType<typeof copyOf> =>
      copyOf(place.folder, (path) => !/^(?:home|mounted|programs)(?:\/|$)|\/objects(?:\/|$)/.test(path));
    const whole = contents();
    place.run(`cd ${cwd}; ${command}`);
    await checkpoints({}, session).restore(1, { removesNew: true });
    expect(differences(contents(), whole)).toEqual([]);
  } finally {
    await runtime.close();
    if (mounts !== undefined) spawnSync("umount", ["--lazy", mounted()]);
  }
});

test("files that come and go while a checkpoint is made are in it or are not, and nothing is thrown", async () => {
  const churn = spawn("sh", ["-c", "mkdir -p c; while :; do echo 1 > c/a; mv c/a c/b; rm -rf c; mkdir -p c/d; done"], {
    cwd: place.project,
    detached: true,
    stdio: "ignore",
  });
  const session = { cwd: place.project, home: place.personHome, hooklineHome: place.home };
  const runtime = createRuntime({ dialects: [], home: place.personHome });
  try {
    const opened = await runtime.open({ scene: { sessionId: "1", cwd: place.project } });
    for (const one of [...commands({}, session), ...undo({}, session)]) opened.on(one);
    for (let at = 0; at < 20; at++) {
      const call = { tool: "bash", toolCallId: `${at}`, args: { command: "rm notes.txt" } };
      const { answer } = await opened.emit("tool.before", call);
      expect(answer.decision === "ask" || BACK.test((answer.remark ?? []).join()), answer.reason).toBe(true);
    }
  } finally {
    process.kill(-(churn.pid ?? 0), "SIGKILL");
    await runtime.close();
  }
  rmSync(join(place.project, "notes.txt"));
  const [last] = await checkpoints({}, session).list();
  await checkpoints({}, session).restore(last?.number, { files: ["notes.txt"] });
  expect(existsSync(join(place.project, "notes.txt"))).toBe(true);
});

test("no program that the repository's configuration names is started", async () => {
  const ran = join(place.folder, "ran");
  const program = join(place.folder, "program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
  chmodSync(program, 0o755);
  const keys = [
    ...["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "diff.external"],
    ...["filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "gpg.program"],
    ...["alias.status", "alias.stash", "alias.ls-files", "credential.helper"],
  ];
  writeFileSync(
    join(place.folder, "included"),
    keys.map((key) => `[${section(key)}]\n\t${key.split(".").at(-1)} = ${program}\n`).join(""),
  );
  place.run(
    `git config includeIf.gitdir:${place.project}/.path ${place.folder}/included; git config core.hooksPath ${place.folder}/hooks; mkdir ../hooks`,
  );
  for (const hook of ["post-index-change", "reference-transaction", "pre-commit"])
    place.run(`cp ${program} ../hooks/${hook}; cp ${program} .git/hooks/${hook}`);
  place.run("echo '* filter=x diff=x' > .gitattributes; echo edit > a");
  rmSync(ran, { force: true });
  const session = { cwd: place.project, home: place.personHome, hooklineHome: place.home };
  const runtime = createRuntime({ dialects: [], home: place.personHome });
  const opened = await runtime.open({ scene: { sessionId: "1", cwd: place.project } });
  for (const one of [...commands({}, session), ...secrets({}, session), ...undo({}, session)]) opened.on(one);
  for (const [at, command] of ["git reset --hard", "git stash drop", "git clean -fdx", "rm -rf .", "rm a"].entries()) {
    const call = { tool: "bash", toolCallId: `${at}`, args: { command } };
    await opened.emit("tool.before", call);
    const result = { content: [], details: {}, isError: false, blocked: false };
    await opened.emit("tool.after", { ...call, ...result });
  }
  await runtime.close();
  await checkpoints({}, session).restore(1);
  expect(existsSync(ran)).toBe(false);
  // The programs are there to be run: git itself runs them.
  place.run("echo more > a; git diff; git add a");
  expect(existsSync(ran)).toBe(true);
});

function section(key: string): string {
  const [first = "", ...rest] = key.split(".").slice(0, -1);
  return rest.length === 0 ? first : `${first} "${rest.join(".")}"`;
}
