import { readFileSync } from "node:fs";
import { dialects } from "@hookline/runtime/dialects";
import { catalog } from "@hookline/runtime/engine";
import { expect, test } from "vitest";
import { unsaid } from "../../../../scripts/event-fields.ts";
import { unworded } from "../../../../scripts/event-page.ts";
import { generate } from "../../../../scripts/gen.ts";

const pages = generate();
const page = (event: string): string => pages.get(`docs/reference/events/${event}.md`) ?? "";

/** The dialects that have an event. */
const having = (event: string): string[] =>
  dialects.filter(({ lanes }) => lanes.some(({ rows }) => rows.some(({ of }) => of === event))).map(({ id }) => id);

test("every event shows each of its fields with a sentence", () => {
  expect(unsaid(catalog)).toEqual([]);
  expect(unsaid(new Map([...catalog].filter(([name]) => name !== "mail.after")))).toContain(
    'mail.after: there is no field "result"',
  );
  for (const event of catalog.keys()) {
    const rows = [...page(event).matchAll(/^\| `(\w+)`\?? \| ([^\n]*?) \| ([^|\n]*) \|$/gm)];
    for (const [, name, , sentence = ""] of rows) expect(sentence, `${event}: ${name}`).toMatch(/^[A-Z`].*\.$/);
    const schema = JSON.parse(pages.get(`docs/reference/schemas/${event}.json`) ?? "");
    const fields = [schema.properties.event, schema.properties.answer].flatMap(({ properties = {} }) =>
      Object.keys(properties),
    );
    expect(
      rows.map(([, name]) => name),
      event,
    ).toEqual(fields);
  }
});

test("every event shows a sample, a guard or a handler, and one in each dialect that has it", () => {
  for (const event of catalog.keys()) {
    const text = page(event);
    expect(text, event).toMatch(/A sample of the event:\n\n```json\n/);
    expect(text, event).toMatch(/from "@hookline\/runtime\/guard"|session\.on\("/);
    for (const id of having(event))
      expect(text, `${event}: ${id}`).toMatch(
        new RegExp(`^(?:\\S+ and )*${id}(?:-[\\w-]+)?(?: and \\S+)*, [^\\n]+:\n\n\`\`\``, "m"),
      );
    for (const [, json = ""] of text.matchAll(/```json\n([^`]*)```/g))
      expect(() => JSON.parse(json), `${event}: ${json}`).not.toThrow();
  }
});

test("the pages in the repository are these", () => {
  for (const event of catalog.keys()) {
    const path = new URL(`../../../../docs/reference/events/${event}.md`, import.meta.url);
    expect(readFileSync(path, "utf8")).toBe(page(event));
  }
});

test("an event that a dialect does not fire each time says when it does", () => {
  expect(unworded(dialects)).toEqual([]);
});
