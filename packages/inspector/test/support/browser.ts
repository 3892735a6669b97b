import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's Chromium; a browser is never downloaded. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

/** Starts the browser without a window. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
    // Chromium does not run as root with its sandbox on.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** A page that notes everything that goes wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, refusals of the content security policy, dialogs: empty where all is well. */
  readonly faults: string[];
  /** Every address that was asked for. */
  readonly asked: string[];
}

/** Opens an empty page. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => asked.push(request.url()));
  return { page, faults, asked };
}

/** Goes to an address as a person does who types it, although only what stands behind `#` may differ. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(url);
}
