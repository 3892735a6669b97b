import { catalog } from "@hookline/runtime/engine";
import { describe, expect, it } from "vitest";
import { ROW_FIELDS } from "../../../bridge/src/report/row-fields.ts";
import { HOSTS } from "../../src/hosts.ts";

describe("the tables of the hosts", () => {
  const entries = (schema: unknown): string[] => Object.keys((schema as { entries?: object }).entries ?? {});

  for (const [name, load] of Object.entries(HOSTS))
    it(`of ${name} speak of moments and fields that there are`, async () => {
      const host = await load();
      const { cells, absent } = await host.table();
      const driven = new Set(Object.values(host.events).flatMap(({ moments }) => moments as readonly string[]));
      for (const moment of driven) expect([moment, catalog.has(moment)]).toEqual([moment, true]);
      for (const [moment, { untold = {}, loses = {}, always = {} }] of Object.entries(cells)) {
        const row = catalog.get(moment);
        // A cell about a moment that no event asks would never be read.
        expect([moment, driven.has(moment)]).toEqual([moment, true]);
        expect(entries(row?.payload())).toEqual(
          expect.arrayContaining([...Object.keys(untold), ...Object.keys(always)]),
        );
        const fields = Object.keys(loses).map((field) => field.split(":")[0]);
        expect(entries(row?.answer())).toEqual(expect.arrayContaining(fields));
      }
      for (const pattern of Object.keys(absent)) {
        const about = [...catalog.keys()].filter(
          (moment) => moment === pattern || pattern === `${moment.split(".")[0]}.*`,
        );
        expect([pattern, about.length > 0]).toEqual([pattern, true]);
        expect([pattern, about.every((moment) => driven.has(moment))]).toEqual([pattern, false]);
      }
    });

  it("know what every event of a dialect sees and answers", () => {
    for (const [key, fields] of Object.entries(ROW_FIELDS)) {
      const [, moment] = key.split(" ").slice(-2);
      const row = catalog.get(key.split(" ").at(-1) ?? "");
      expect([key, row?.name]).toEqual([key, moment]);
      const [sees = "", gives = ""] = fields.split(">");
      const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
      expect(entries(row?.payload())).toEqual(expect.arrayContaining(words(sees)));
      expect(entries(row?.answer())).toEqual(expect.arrayContaining(words(gives).map((word) => word.split(":")[0])));
    }
  });
});
