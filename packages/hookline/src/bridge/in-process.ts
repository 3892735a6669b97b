import { PROTOCOL } from "./frame.ts";
import { realOf } from "./place.ts";

/** Whose client it is. */
export interface InProcessParts {
  readonly host: string;
  /** Which installed entry the calls come from. */
  readonly origin: string;
  readonly hooklineHome: string;
}

/**
 * The text of a client for hosts that run hooks in their own process: `hookline(event, payload, options)`, declared at
 * the top level of a module, behind its imports. `host.ts` says what it takes and gives. It needs nothing but Node's own
 * modules; it finds the daemon, and what belongs to it, as `place.ts` and `native/hookline-hook.c` do.
 */
export function inProcessClient({ host, origin, hooklineHome }: InProcessParts): string {
  const known = { protocol: PROTOCOL, host, origin, home: realOf(hooklineHome) };
  const constants = Object.entries(known).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`);
  return `${IMPORTS}\nconst HOOKLINE = {\n${constants.join("")}};\n${CLIENT}`;
}

const IMPORTS = `import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { isAbsolute, join } from "node:path";
`;

const CLIENT = String.raw`
/** Asks hookline's daemon, which is started where none runs. Never rejects. */
async function hookline(event, payload, options = {}) {
  const { cwd = process.cwd(), timeoutMs = 30000, signal, detach = false } = options;
  const until = Date.now() + timeoutMs;
  let place;
  try {
    place = hooklinePlace(cwd);
    const env = hooklineEnvironment();
    const fields = ["hookline/" + HOOKLINE.protocol, HOOKLINE.host, event, HOOKLINE.origin, cwd];
    const rest = [String(Math.max(1, timeoutMs - 500)), (detach ? "detach " : "") + "parent=" + process.pid, ...env];
    const header = Buffer.from([...fields, ...rest].join("\0"));
    const input = Buffer.from(JSON.stringify(payload));
    if (header.length > 262144) throw new Error("the environment is too large");
    if (input.length > 8388608) throw new Error("the host sent more than 8 MiB");
    const request = Buffer.concat([header, input].flatMap((part) => [hooklineLength(part.length), part]));
    for (let started = false, resets = 0; ; ) {
      const answer = hooklineIsThere(place) && (await hooklineExchange(place.socket, request, until, signal));
      if (typeof answer === "object") return answer;
      if (answer === "reset" && resets++ > 0) throw new Error("the connection ended before the request was read");
      if (answer !== "full" && !started) {
        started = true;
        hooklineStart(place, cwd, env);
      }
      if (Date.now() >= until) throw new Error("no daemon could be reached in time");
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  } catch (thrown) {
    return { away: thrown.message, refuses: hooklineRefuses(place, event) };
  }
}

function hooklinePlace(cwd) {
  const { home, protocol } = HOOKLINE;
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  const login = process.env.XDG_RUNTIME_DIR || "";
  let folder = isAbsolute(login) ? join(login, "hookline") : join(home, "run", "bridge");
  if (Buffer.byteLength(folder) + 22 > 103) folder = "/tmp/hookline-" + process.getuid() + "-" + hash(home).slice(0, 8);
  const name = join(folder, hash([home, realpathSync.native(cwd), protocol].join("\0")).slice(0, 16));
  return { folder, socket: name + ".sock", closed: name + ".closed", starting: name + ".starting" };
}

/** Whether there is a socket; throws for one that is not ours alone: a false daemon would answer for every guard. */
function hooklineIsThere({ folder, socket }) {
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (!found) return false;
  const own = process.getuid();
  const above = lstatSync(folder);
  if (!found.isSocket() || found.uid !== own) throw new Error("the socket is not ours");
  if (!above.isDirectory() || above.uid !== own || above.mode & 0o077) throw new Error("others may use the socket's folder");
  return true;
}

/** The variables that hooks may see. */
function hooklineEnvironment() {
  const allowed = hooklineFile("environment-" + HOOKLINE.host).split("\n").filter(Boolean);
  const passes = (name) => allowed.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));
  const own = Object.entries(process.env).filter(([name]) => name !== "HOOKLINE_HOME" && passes(name));
  return [["HOOKLINE_HOME", HOOKLINE.home], ...own].map(([name, value]) => name + "=" + value);
}

/** Sends one request: undefined if nobody listens, "full" or "reset" if it was not read. */
function hooklineExchange(socket, request, until, signal) {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const connection = connect(socket);
    const end = (settle, value) => {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
      connection.destroy();
      settle(value);
    };
    const abort = () => end(reject, new Error("the call was given up"));
    // After one more look at the connection: this process may have been kept waiting while the answer came.
    const given = () => setImmediate(end, reject, new Error("no answer in time"));
    const late = setTimeout(given, Math.max(0, until - Date.now()));
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    connection.on("connect", () => connection.write(request));
    connection.on("data", (piece) => {
      got = Buffer.concat([got, piece]);
      const parts = [];
      let at = 0;
      while (parts.length < 3 && got.length >= at + 4 && got.length >= at + 4 + got.readUInt32BE(at)) {
        const length = got.readUInt32BE(at);
        parts.push(got.toString("utf8", at + 4, at + 4 + length));
        at += 4 + length;
      }
      if (parts.length === 3) end(resolve, { exit: Number(parts[0]), stdout: parts[1], stderr: parts[2] });
      else if (got.length > 33554432) end(reject, new Error("the answer is too large"));
    });
    connection.on("error", ({ code }) => {
      if (code === "ENOENT" || code === "ECONNREFUSED") end(resolve, undefined);
      else if (code === "EAGAIN") end(resolve, "full");
      else if (code === "ECONNRESET" || code === "EPIPE") end(resolve, "reset");
      else end(reject, new Error("the connection failed"));
    });
    connection.on("close", () => end(reject, new Error("the connection ended before the answer")));
  });
}

/** Starts the daemon of a folder, unless somebody has just done so. */
function hooklineStart({ folder, starting }, cwd, env) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    if (Date.now() - statSync(starting).mtimeMs > 10000) rmSync(starting, { force: true });
  } catch {
    // Nobody starts it now.
  }
  try {
    closeSync(openSync(starting, "wx", 0o600));
  } catch {
    return;
  }
  const [file, ...words] = hooklineFile("runtime").split("\n").filter(Boolean);
  const pairs = env.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
  const options = { cwd, env: Object.fromEntries(pairs), detached: true, stdio: "ignore" };
  const child = spawn(file, [...words, "bridge", "daemon"], options);
  child.on("error", () => rmSync(starting, { force: true }));
  child.unref();
}

/** Whether an event must be refused without an answer: a guard hangs on it, as far as anybody knows. */
function hooklineRefuses(place, event) {
  try {
    const lines = readFileSync(place.closed, "utf8").split("\n").slice(0, -1);
    // The last daemon may have served only hosts outside of the fleet that this one belongs to.
    const isMember = Object.keys(process.env).some((name) => name.startsWith("HOOKLINE_FLEET_"));
    if (!isMember && lines.includes("open " + HOOKLINE.host + " " + event)) return false;
  } catch {
    // No table, no leave.
  }
  try {
    return hooklineFile("refusal-" + HOOKLINE.host + "-" + event) !== "0\0\0";
  } catch {
    return true;
  }
}

function hooklineFile(name) {
  return readFileSync(join(HOOKLINE.home, "bin", "bridge", name), "utf8");
}

function hooklineLength(length) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
`;
