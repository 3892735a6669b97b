import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";
import type { Pipe } from "./pipes.ts";

/** The parameters of one process to start. No text may contain a NUL character; the descriptors must be above 2. */
export interface NativeStart {
  /** The program's path as for `execve`: relative to `cwd`, not looked up in `PATH`. */
  readonly path: string;
  /** The arguments; the first one is the program's own name. */
  readonly argv: readonly string[];
  /** The environment, as `NAME=value`. */
  readonly env: readonly string[];
  readonly cwd: string;
  /** The descriptor for stdin; absent means `/dev/null`. */
  readonly stdin: number | undefined;
  readonly stdout: number;
  readonly stderr: number;
}

/** The functions of the system's C library. No other code calls foreign functions. */
export interface Libc {
  /** True for glibc, false for musl; their `execvp` differs. */
  readonly isGnu: boolean;
  /** Makes a pipe whose ends no child inherits, and which Node does not track. Throws with a code, like `open`. */
  pipe(): Pipe;
  /** Returns the number of bytes that a pipe takes before it is read. */
  capacity(fd: number): number;
  /** Returns 0 if the file exists, else an error number such as ENOENT's. The path must not contain a NUL character. */
  look(path: string): number;
  /** Starts a process in its own session, with default signals. Returns its pid, or a negative error number. */
  spawn(start: NativeStart): number;
  /** Collects an ended child and returns its wait status; `undefined` while it runs, `lost` if it is not a child. */
  wait(pid: number): number | "lost" | undefined;
}

const O_CLOEXEC = 0o2000000;
const F_GETPIPE_SZ = 1032;
const WNOHANG = 1;
const EINTR = 4;
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;
/** The size of the memory for each C structure, in bytes; the largest in any C library has 336. */
const STRUCTURE_BYTES = 1024;
/**
 * The signals 1 to 32 without SIGKILL and SIGSTOP, as a bit set; a child gets their default action. Otherwise it would
 * ignore those that the C library reserves for itself, such as 32.
 */
const FIRST_SIGNALS = ~(1 << 8) & ~(1 << 18);
/** The signals from 33 on that the C library reserves for itself, as bits. */
const NEXT_SIGNALS = { gnu: 0b1, musl: 0b11 };

type Foreign<A extends readonly unknown[]> = (...args: A) => number;

interface Koffi {
  load(path: null): { func(prototype: string): unknown };
  errno(): number;
}

/** Loads the host's own C library. Throws if it is not available; the message says why. */
export function loadLibc(): Libc {
  const { load, errno } = koffi();
  const own = load(null);
  // Nothing checks a prototype against its argument types, so every call of `foreign` has both side by side.
  const foreign = <A extends readonly unknown[]>(prototype: string): Foreign<A> => own.func(prototype) as Foreign<A>;

  const pipe2 = foreign<[Int32Array, number]>("int pipe2(_Out_ int *fds, int flags)");
  const close = foreign<[number]>("int close(int fd)");
  const fcntl = foreign<[number, number]>("int fcntl(int fd, int command)");
  const access = foreign<[string, number]>("int access(const char *path, int mode)");
  const waitpid = foreign<[number, Int32Array, number]>("int waitpid(int pid, _Out_ int *status, int options)");
  const initActions = foreign<[Buffer]>("int posix_spawn_file_actions_init(void *actions)");
  const destroyActions = foreign<[Buffer]>("int posix_spawn_file_actions_destroy(void *actions)");
  const addDup2 = foreign<[Buffer, number, number]>(
    "int posix_spawn_file_actions_adddup2(void *actions, int fd, int as)",
  );
  const addOpen = foreign<[Buffer, number, string, number, number]>(
    "int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, unsigned int mode)",
  );
  const addChdir = foreign<[Buffer, string]>(
    "int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)",
  );
  const posixSpawn = foreign<
    [Int32Array, string, Buffer, Buffer, readonly (string | null)[], readonly (string | null)[]]
  >(
    "int posix_spawn(_Out_ int *pid, const char *path, const void *actions, const void *attributes, const char **argv, const char **envp)",
  );

  const isGnu = has("const char *gnu_get_libc_version()", own);
  const attributes = defaultsOf(foreign, isGnu ? NEXT_SIGNALS.gnu : NEXT_SIGNALS.musl);
  const actions = Buffer.alloc(STRUCTURE_BYTES);
  const pair = new Int32Array(2);
  const pid = new Int32Array(1);
  const status = new Int32Array(1);

  return {
    isGnu,
    pipe() {
      if (pipe2(pair, O_CLOEXEC) !== 0) throw failure("pipe2", errno());
      return { read: pair[0] ?? -1, write: pair[1] ?? -1, close };
    },
    capacity: (fd) => fcntl(fd, F_GETPIPE_SZ),
    look: (path) => (access(path, 0) === 0 ? 0 : errno()),
    spawn({ path, argv, env, cwd, stdin, stdout, stderr }) {
      initActions(actions);
      const problem =
        (stdin === undefined ? addOpen(actions, 0, "/dev/null", 0, 0) : addDup2(actions, stdin, 0)) ||
        addDup2(actions, stdout, 1) ||
        addDup2(actions, stderr, 2) ||
        addChdir(actions, cwd) ||
        posixSpawn(pid, path, actions, attributes, [...argv, null], [...env, null]);
      destroyActions(actions);
      return problem === 0 ? (pid[0] ?? 0) : -problem;
    },
    wait(child) {
      let found = waitpid(child, status, WNOHANG);
      while (found === -1 && errno() === EINTR) found = waitpid(child, status, WNOHANG);
      if (found === 0) return undefined;
      return found === child ? (status[0] ?? 0) : "lost";
    },
  };
}

/** Returns the attributes of every start: a new session, no signal blocked, none ignored. Never freed. */
function defaultsOf(
  foreign: <A extends readonly unknown[]>(prototype: string) => Foreign<A>,
  nextSignals: number,
): Buffer {
  const attributes = Buffer.alloc(STRUCTURE_BYTES);
  const none = Buffer.alloc(STRUCTURE_BYTES);
  const ordinary = Buffer.alloc(STRUCTURE_BYTES);
  ordinary.writeInt32LE(FIRST_SIGNALS);
  ordinary.writeInt32LE(nextSignals, 4);
  const init = foreign<[Buffer]>("int posix_spawnattr_init(void *attributes)");
  const setFlags = foreign<[Buffer, number]>("int posix_spawnattr_setflags(void *attributes, short flags)");
  const setDefault = foreign<[Buffer, Buffer]>("int posix_spawnattr_setsigdefault(void *attributes, const void *set)");
  const setMask = foreign<[Buffer, Buffer]>("int posix_spawnattr_setsigmask(void *attributes, const void *set)");
  const flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID;
  const problem =
    init(attributes) || setDefault(attributes, ordinary) || setMask(attributes, none) || setFlags(attributes, flags);
  if (problem !== 0) throw failure("posix_spawnattr", problem);
  return attributes;
}

/**
 * Loads `koffi`, the foreign function interface. Its package for this machine is tried first, because `koffi` itself
 * tries older names, which takes three times as long as the rest.
 */
function koffi(): Koffi {
  const path = createRequire(import.meta.url).resolve("koffi");
  const load = createRequire(path);
  try {
    return load(`@koromix/koffi-linux-${process.arch}`) as Koffi;
  } catch {
    return load(path) as Koffi;
  }
}

function has(prototype: string, library: { func(prototype: string): unknown }): boolean {
  try {
    return library.func(prototype) !== undefined;
  } catch {
    return false;
  }
}

function failure(call: string, number: number): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(`${call} ${code}`), { code, errno: -number, syscall: call });
}
