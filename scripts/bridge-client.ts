import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const NATIVE = join(root, "native");

/** Largest client on Linux, in bytes. */
const MOST_BYTES = 40 * 1024;

const OPTIONS = [
  ...["-Os", "-s", "-std=c11", "-Wall", "-Wextra", "-Werror"],
  ...["-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables"],
];

/**
 * Compiler options on Linux. The client contains the parts of the C library that it needs (`native/linux.c`): nothing
 * is linked at its start, which halves the time of a start, and it runs on every distribution.
 */
const ALONE = [
  ...["-static", "-nostdlib", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-no-pie"],
  // Without this option GCC would replace the loop in memcpy by a call of memcpy. Clang does not know the option.
  ...["-fno-tree-loop-distribute-patterns", "-Wno-ignored-optimization-argument"],
  ...["-Wl,--gc-sections", "-Wl,-z,noseparate-code", "-Wl,--build-id=none"],
  join(NATIVE, "linux.c"),
];

/** The processors for which the client needs no C library, with the cross compiler for each. */
const CROSS: Readonly<Record<string, string>> = { x64: "x86_64-linux-gnu-gcc", arm64: "aarch64-linux-gnu-gcc" };

/** The system and processor of this machine, as packages name them. */
const HERE = `${process.platform}-${process.arch}`;

/** Path of this system's client in the built agent, which `npm pack` includes. */
const BUILT = join(root, "packages/hookline/dist", `bridge-${HERE}`);

/** The systems and processors whose clients have packages of their own, such as `linux-arm64`. */
export const TARGETS: readonly string[] = readdirSync(NATIVE).flatMap((name) => /^bridge-(.+)$/.exec(name)?.[1] ?? []);

/** Returns the folder of a client's package. */
export function clientFolder(target: string): string {
  return join(NATIVE, `bridge-${target}`);
}

/** Builds the bridge's client into a folder; returns its path, or `undefined` if there is no compiler for it. */
export function buildClient(folder: string, target: string = HERE): string | undefined {
  const [system, processor = ""] = target.split("-");
  const compiler = target === HERE ? "cc" : system === "linux" ? CROSS[processor] : undefined;
  if (compiler === undefined) return undefined;
  const path = join(folder, "hookline-hook");
  mkdirSync(folder, { recursive: true });
  const alone = system === "linux" && Object.hasOwn(CROSS, processor) ? ALONE : [];
  const args = [...OPTIONS, ...alone, "-o", path, join(NATIVE, "hookline-hook.c")];
  const { status, error, stderr } = spawnSync(compiler, args, { encoding: "utf8" });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
  if (status !== 0) throw new Error(`${compiler} could not build the client of the bridge:\n${stderr}`);
  const { size } = statSync(path);
  if (system === "linux" && size > MOST_BYTES) throw new Error(`${path} has ${size} bytes; ${MOST_BYTES} are allowed`);
  return path;
}

/** Builds this system's client into the built agent, if there is a compiler. */
export function buildClientHere(): string | undefined {
  return process.platform === "win32" ? undefined : buildClient(BUILT);
}

if (import.meta.main) {
  const { values } = commandLine({
    name: "bridge-client",
    says: "Builds the native client of the bridge for this system into the built agent.",
    options: {
      all: { type: "boolean", says: "also the packages of other systems for which there is a compiler here" },
    },
  });
  for (const target of [HERE, ...(values.all === true ? TARGETS : [])]) {
    const path = target === HERE ? buildClientHere() : buildClient(clientFolder(target), target);
    process.stdout.write(
      path === undefined
        ? `${target}: no C compiler, so Node is the client there\n`
        : `${path}: ${statSync(path).size} bytes\n`,
    );
  }
}
