import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Env = Readonly<Record<string, string | undefined>>;

/** The command that opens a file in the person's browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** How long the file that redirects the browser is kept if the page is never requested, in ms. */
const LONGEST_MS = 60_000;

/** Whether this machine can show a browser. */
export function hasScreen(env: Env, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "darwin" || platform === "win32" || Boolean(env["DISPLAY"]) || Boolean(env["WAYLAND_DISPLAY"]);
}

/** A browser that was asked to open a page. */
export interface Opening {
  /** Removes the redirecting file; must be called once the page has been requested, and at the end. */
  done(): void;
}

/**
 * Opens an address with a secret in the browser. Everybody on the machine can read the arguments of a program, so the
 * browser opens a file that only its owner may read, and that redirects to the address.
 */
export function openInBrowser(url: string, env: Env, failed: (problem: string) => void): Opening {
  const folder = mkdtempSync(join(tmpdir(), "hookline-open-"));
  const path = join(folder, "inspector.html");
  writeFileSync(path, redirect(url), { mode: 0o600, flag: "wx" });
  const timer = setTimeout(() => done(), LONGEST_MS);
  timer.unref();
  const done = (): void => {
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
  };
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  const target = process.platform === "win32" ? pathToFileURL(path).href : path;
  const child = spawn(program, [...args, target], { stdio: "ignore", detached: true, env: { ...env } });
  child.on("error", ({ message }) => {
    done();
    failed(`${program} could not be started: ${message}`);
  });
  child.on("exit", (code) => {
    if (code === 0 || code === null) return;
    done();
    failed(`${program} has ended with ${code}`);
  });
  child.unref();
  return { done };
}

/** Returns a page that redirects to an address, without characters that could end its HTML attribute. */
function redirect(url: string): string {
  const safe = url.replace(/[^\w:/.#=-]/g, "");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${safe}"><title>hookline</title><a href="${safe}">Open the inspector</a>\n`;
}
