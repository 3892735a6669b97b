import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLocalSettings } from "../../src/context/local.ts";
import { scratch } from "./scratch.ts";

function read(text: string) {
  const path = join(scratch(), "local.toml");
  writeFileSync(path, text);
  return readLocalSettings(path);
}

test("the name and the tools are read, whatever else is there", () => {
  expect(
    read(`# mine
model = "x/y"
username = "Ada" # first
[api]
stop = ["a"]
exclude = ["not this"]
[tools]
include = ["a", 'b',]
exclude = [
  "c", # not d: "x]
  "e\\"f",
]
[[more]]
username = "nobody"
`),
  ).toEqual({ username: "Ada", include: ["a", "b"], exclude: ["c", 'e"f'] });
});

test("an empty list leaves no tool, which is not the same as no list", () => {
  expect(read("[tools]\ninclude = []\n")).toEqual({ include: [] });
  expect(read("[tools]\n")).toEqual({});
});

test.each(["", "nonsense", "[tools]\ninclude = [", '[tools]\ninclude = "a"', "username = 3"])(
  "%j says nothing that could be used",
  (text) => {
    const { username, exclude } = read(text);
    expect([username, exclude]).toEqual([undefined, undefined]);
  },
);
