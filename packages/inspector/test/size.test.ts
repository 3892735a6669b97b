import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { root } from "../../../scripts/step.ts";

const page = join(root, "packages/hookline/dist/inspector");
const MOST_BYTES = 60_000;

test("the page is three files, and all together at most 60 kB as they travel", () => {
  const files = readdirSync(page).sort();
  expect(files).toEqual(["index.html", "page.css", "page.js"]);
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(page, name)), { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
  expect(bytes).toBeGreaterThan(10_000);
});

test("the page brings no script or style of its own in its text, and asks nobody else", () => {
  const html = readFileSync(join(page, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, at]) => at)).toEqual([
    "data:,",
    "./page.js",
    "./page.css",
  ]);
  // An export writes the script and the style between tags.
  expect(readFileSync(join(page, "page.js"), "utf8")).not.toMatch(/<\/script|<!--/i);
  expect(readFileSync(join(page, "page.css"), "utf8")).not.toMatch(/<\/style|@import|url\(/i);
});

test("the packages in the page are named among the licences", () => {
  const notices = readFileSync(join(page, "../THIRD-PARTY-NOTICES.txt"), "utf8");
  for (const name of ["preact", "@preact/signals", "@preact/signals-core", "@tanstack/virtual-core", "diff"])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, "m"));
});
