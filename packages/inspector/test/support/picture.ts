import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "../../../../scripts/step.ts";

/** The folder of pictures: with `HOOKLINE_PICTURES` the stored ones, else a cache for looking at them. */
const folder = join(root, process.env["HOOKLINE_PICTURES"] === "1" ? "docs/inspector" : ".cache/inspector");

/** Keeps what a page shows in light and in dark colours. */
export async function keepBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await keepPicture(page, `${name}-${colorScheme}-${page.viewportSize()?.width}`);
  }
}

/** Keeps what a page shows as a small picture of this name, in three quarters of its size. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const png = await page.screenshot({ animations: "disabled" });
  const drawer = await page.context().newPage();
  const webp = await drawer.evaluate(
    async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width * 0.75;
      canvas.height = image.height * 0.75;
      const to = canvas.getContext("2d") as CanvasRenderingContext2D;
      to.imageSmoothingQuality = "high";
      to.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/webp", 0.8);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await drawer.close();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(webp.slice(webp.indexOf(",") + 1), "base64"));
}
