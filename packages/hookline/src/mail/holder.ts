import { spawn } from "node:child_process";

/** A lock that a helper program holds for this process. */
export interface Held {
  /** Releases the lock. Resolves when other processes can take it. */
  release(): Promise<void>;
}

/** The outcome of taking a lock. `unable` means that the helper program is not installed or failed. */
export type HeldResult =
  | { readonly state: "held"; readonly held: Held }
  | { readonly state: "unable" }
  | { readonly state: "late" };

/** A program that takes a flock(2) lock on a file and then copies stdin to stdout. */
export interface HolderProgram {
  readonly file: string;
  args(path: string): readonly string[];
}

const PERL = '$|=1; open(F,"+<",$ARGV[0]) or die "$!\\n"; flock(F,LOCK_EX) or die "$!\\n"; print while <STDIN>;';
const PYTHON =
  "import fcntl,sys\nf=open(sys.argv[1],'r+')\nfcntl.flock(f,fcntl.LOCK_EX)\nfor l in sys.stdin: print(l,end='',flush=True)";

/** Programs that can hold a flock(2) lock, in the order in which they are tried. macOS has `perl` but no `flock`. */
export const HOLDERS: readonly HolderProgram[] = [
  { file: "flock", args: (path) => ["-x", path, "cat"] },
  { file: "perl", args: (path) => ["-MFcntl=:flock", "-e", PERL, path] },
  { file: "python3", args: (path) => ["-c", PYTHON, path] },
];

/**
 * Starts a helper program that takes a lock, and waits until it holds the lock. The file must exist. The lock ends with
 * the helper's stdin, so it also ends with this process, however that ends.
 */
export function hold(program: HolderProgram, path: string, waitMs: number): Promise<HeldResult> {
  return new Promise((resolve) => {
    // Its own process group keeps Ctrl+C at the terminal from ending the helper.
    const child = spawn(program.file, program.args(path), { stdio: ["pipe", "pipe", "ignore"], detached: true });
    const gone = new Promise<void>((settle) => child.once("close", () => settle()));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ state: "late" });
    }, waitMs);
    const end = (result: HeldResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const release = (): Promise<void> => {
      child.stdin.end();
      return gone;
    };
    child.stdout.once("data", () => end({ state: "held", held: { release } }));
    child.once("error", () => end({ state: "unable" }));
    child.once("close", () => end({ state: "unable" }));
    child.stdin.on("error", () => {});
    child.stdin.write("held\n");
  });
}
