import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Desk } from "./desk.ts";

async function withDesk<T>(use: (desk: Desk) => Promise<T>): Promise<T> {
  const desk = new Desk();
  try {
    return await use(desk);
  } finally {
    desk.remove();
  }
}

/** The places below the project and the home, as `Desk` writes them. */
const places = await withDesk(async (desk) => {
  const { searched } = (await desk.hookline(["hooks", "list", "--json"])).json as { searched: readonly string[] };
  return searched.flatMap((path) =>
    path.startsWith(`${desk.home}/`)
      ? [`~${path.slice(desk.home.length)}`]
      : path.startsWith(`${desk.cwd}/`)
        ? [path.slice(desk.cwd.length + 1)]
        : [],
  );
});

test("there are fifty places and more", () => {
  expect(places.length).toBeGreaterThan(50);
});

test.each(places)(
  "%s: a file where a folder is searched, or the other way round, is named, and not twice",
  async (place) => {
    await withDesk(async (desk) => {
      if (/\.(json|ya?ml)$/.test(place)) mkdirSync(desk.path(place), { recursive: true });
      else desk.write(place, "x");
      const { code, json } = await desk.hookline(["hooks", "list", "--strict", "--json"]);
      const told = json.diagnostics.flatMap(({ message }: { readonly message: string }) =>
        message.includes(desk.path(place)) ? [message] : [],
      );
      expect(code).toBe(1);
      expect(told).not.toEqual([]);
      expect(told).toEqual([...new Set(told)]);
    });
  },
);
