import { spawn } from "node:child_process";

/** Programs that copy their stdin to the clipboard, selected by the environment variables that they need. */
function programs(env: NodeJS.ProcessEnv): (readonly [file: string, ...args: string[]])[] {
  if (process.platform === "darwin") return [["pbcopy"]];
  if (process.platform === "win32") return [["clip"]];
  return [
    ...(env["TERMUX_VERSION"] ? [["termux-clipboard-set"] as const] : []),
    ...(env["WAYLAND_DISPLAY"] ? [["wl-copy"] as const] : []),
    ...(env["DISPLAY"]
      ? ([
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ] as const)
      : []),
  ];
}

let toTerminal: ((data: string) => void) | undefined;

/** Sets the function that writes clipboard sequences to the terminal; returns a function that removes it. */
export function lendTerminal(write: (data: string) => void): () => void {
  toTerminal = write;
  return () => {
    if (toTerminal === write) toTerminal = undefined;
  };
}

/** Copies a text to the clipboard in two ways: a terminal sequence, which also works over SSH, and a local program. */
export async function copyToClipboard(text: string): Promise<void> {
  const isTerminal = process.stdout.isTTY === true;
  const sequence = `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
  if (toTerminal !== undefined) toTerminal(sequence);
  else if (isTerminal) process.stdout.write(sequence);
  for (const [file, ...args] of programs(process.env)) if (await pipedTo(file, args, text)) return;
  if (!isTerminal && toTerminal === undefined)
    throw new Error("Failed to copy to clipboard: there is no terminal and no program that could");
}

function pipedTo(file: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
