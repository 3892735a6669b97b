#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const space = addressSpace();
if (space < 1.5 * 2 ** 30) {
  const is = `${Math.floor(space / 1024)}`;
  process.stderr.write(
    `hookline needs 1.5 GiB of address space, and \`ulimit -v\` allows ${is} KiB. Raise it: ulimit -v 1572864\n`,
  );
  process.exitCode = 1;
} else if (major > 22 || (major === 22 && minor >= 19)) {
  keepCompiled();
  const { start } = await import("../dist/main.js");
  await start();
} else {
  const beside =
    process.platform === "linux" ? `, or one for this folder with: npm install node-linux-${process.arch}` : "";
  process.stderr.write(
    `hookline needs Node 22.19 or newer, and this is ${process.versions.node}. Install a newer Node${beside}\n`,
  );
  process.exitCode = 1;
}

/** Returns the bytes of memory that this process may map. V8 aborts without a message where there is too little. */
function addressSpace() {
  try {
    const limits = process.getBuiltinModule("node:fs").readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max address space +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Has Node keep what V8 compiles: in hookline's own folder, which outlives a reboot, else where Node would keep it. */
function keepCompiled() {
  const { enableCompileCache, constants } = process.getBuiltinModule("node:module");
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const folder = NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE ? undefined : ownFolder();
  // Node makes a folder of its own in it, which is as open as the umask lets it be.
  const umask = process.umask(0o077);
  const status = folder === undefined ? undefined : enableCompileCache(folder).status;
  process.umask(umask);
  if (status === undefined || status === constants.compileCacheStatus.FAILED) enableCompileCache();
}

/** The folder for compiled code in hookline's home, made if need be; none where the home is not ours to write to. */
function ownFolder() {
  const { existsSync, mkdirSync, statSync } = process.getBuiltinModule("node:fs");
  const { dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
  const { HOME = "", HOOKLINE_HOME = "" } = process.env;
  try {
    const { homedir, userInfo } = process.getBuiltinModule("node:os");
    const home = process.platform === "win32" ? homedir() : isAbsolute(HOME) ? HOME : userInfo().homedir;
    const own = isAbsolute(HOOKLINE_HOME) ? HOOKLINE_HOME : join(home, ".hookline");
    const { uid } = statSync(own, { throwIfNoEntry: false }) ?? statSync(dirname(own));
    // Under sudo the home may be another user's, who could not write to what is made there now.
    if (process.getuid !== undefined && uid !== process.getuid()) return undefined;
    const [cache, folder] = [join(own, "cache"), join(own, "cache", "compiled")];
    // One by one: with `recursive`, Node never returns on a file system that makes no folder and says it is not there.
    for (const path of [own, cache, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    // What lies there is run, so nobody else may write to it.
    const isOpen = process.getuid !== undefined && (statSync(folder).mode & 0o022) !== 0;
    return isOpen ? undefined : folder;
  } catch {
    return undefined;
  }
}
