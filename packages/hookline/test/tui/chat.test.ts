import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

test.each([
  ["80×24", SMALL],
  ["120×40", LARGE],
])("the first screen says what was found, how to choose a model and where hooks come from (%s)", async (_, size) => {
  await using sitting = await Sitting.start({ size });
  expect(await sitting.screen()).toMatchSnapshot();
});
