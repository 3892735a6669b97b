/**
 * The program of the spawn helper: plain JavaScript for `node -e`, so that it needs no file, no bundle and no loader.
 *
 * One JSON line per message over descriptor 3. In: `{ id, file, args, cwd, env, stdio }`, where `stdio` holds paths of
 * descriptors of the host, or null. Out: `{ ready }`, then per id `{ id, pid }` and later `{ id, exit: [code, signal] }`,
 * or `{ id, error: { code, message } }`; `{ blind }` when the host's descriptors cannot be opened at all.
 *
 * The end of the input means that the host is gone, however it went: every group is then ended, and the helper too.
 */
export const HELPER_PROGRAM = `"use strict";
const { spawn } = require("node:child_process");
const { openSync, closeSync, constants } = require("node:fs");
const { Socket } = require("node:net");
const graceMs = 1000;
const shortages = ["EMFILE", "ENFILE", "ENOMEM"];
const host = new Socket({ fd: 3, readable: true, writable: true });
const groups = new Set();
let text = "";
let alone = false;
process.title = "hookline-spawn";

function say(message) {
  host.write(JSON.stringify(message) + "\\n");
}

function start({ id, file, args, cwd, env, stdio }) {
  const opened = [];
  const refuse = (error) => say({ id, error: { code: error.code ?? "UNKNOWN", message: error.message } });
  const open = (path, at) => {
    if (path === null) return "ignore";
    opened.push(openSync(path, at === 0 ? constants.O_RDONLY : constants.O_WRONLY));
    return opened.at(-1);
  };
  let ends;
  try {
    ends = stdio.map(open);
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    if (shortages.includes(error.code)) refuse(error);
    else say({ blind: error.code });
    return;
  }
  try {
    const child = spawn(file, args, { cwd, env, stdio: ends, detached: true });
    child.on("error", (error) => child.pid === undefined && refuse(error));
    if (child.pid === undefined) return;
    groups.add(child.pid);
    child.on("exit", (code, signal) => {
      groups.delete(child.pid);
      if (alone && groups.size === 0) process.exit(0);
      say({ id, exit: [code, signal] });
    });
    say({ id, pid: child.pid });
  } catch (error) {
    refuse(error);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function signal(name) {
  for (const pid of groups) {
    try {
      process.kill(-pid, name);
    } catch {}
  }
}

function hostIsGone() {
  alone = true;
  if (groups.size === 0) process.exit(0);
  signal("SIGTERM");
  signal("SIGCONT");
  setTimeout(() => {
    signal("SIGKILL");
    process.exit(0);
  }, graceMs);
}

host.setEncoding("utf8");
host.on("data", (chunk) => {
  text += chunk;
  const lines = text.split("\\n");
  text = lines.pop();
  for (const line of lines) start(JSON.parse(line));
});
host.on("error", () => {});
host.on("close", hostIsGone);
say({ ready: true });
`;
