import { expect, test } from "vitest";
import { misnamed, type Proof, reportOn, sum, unasked, uncited } from "../report.ts";
import type { Requirement } from "../requirement.ts";
import { holding, only } from "./plant.ts";

const met: Requirement = { id: "x.met", text: "It does.", seed: "009:1", status: "met" };
const open: Requirement = { id: "x.open", text: "It will.", seed: "009:2", status: "open", why: "Not yet." };
const file = { requirements: [met, open], prose: ["009:4-5"] };
const seed = "does\nwill\n\ntitle\n| |\n";

const holds: Proof = { id: "case", cites: ["x.met"], problem: undefined };
const fails: Proof = { id: "case", cites: ["x.met"], problem: "answer: wanted 1, got 2" };

test("is green where every requirement that is met has a proof that holds, and every line a requirement", () => {
  expect(reportOn(file, [holds], [["009", seed]])).toEqual({
    totals: { total: 1, passed: 1, failed: 0, requirements: { total: 2, cited: 1 } },
    failures: [],
  });
});

test("is red on a proof that fails", () => {
  const { totals, failures } = reportOn(file, [holds, fails], []);
  expect(failures).toEqual([{ id: "case", why: "answer: wanted 1, got 2" }]);
  expect(totals).toMatchObject({ total: 2, passed: 1, failed: 1 });
});

test("is red on a citation of what is no requirement", () => {
  const { failures } = reportOn(file, [holds, { ...holds, id: "other", cites: ["x.met", "x.mett"] }], []);
  expect(failures).toEqual([{ id: "other", why: "cites x.mett, which is no requirement" }]);
});

test("is red on a requirement that is met by word only", () => {
  const { failures } = reportOn(file, [], []);
  expect(failures).toEqual([{ id: "x.met", why: "is met by word only: no case cites it" }]);
});

test("is red on an open requirement whose proof holds, and not on one whose proof fails", () => {
  expect(reportOn(file, [holds, { ...fails, cites: ["x.open"] }], []).failures).toEqual([]);
  expect(reportOn(file, [holds, { ...holds, id: "early", cites: ["x.open"] }], []).failures).toEqual([
    { id: "early", why: "holds although x.open is open: mark it met" },
  ]);
  expect(reportOn(file, [holds, { ...holds, cites: ["x.met", "x.open"] }], []).failures).toEqual([]);
});

test("is red on a requirement that is not met and does not say why", () => {
  const { why: _, ...bare } = open;
  const { failures } = reportOn({ ...file, requirements: [met, bare] }, [holds], []);
  expect(failures).toEqual([{ id: "x.open", why: "is open without a reason" }]);
});

test("is red on a line of a seed that belongs to no requirement, and names a few of many", () => {
  expect(reportOn(file, [holds], [["009", `${seed}more\n`]]).failures).toEqual([
    { id: "seed 009", why: "lines without a requirement: 6" },
  ]);
  const [many] = reportOn(file, [holds], [["009", "x\n".repeat(20)]]).failures;
  expect(many?.why).toMatch(/^lines without a requirement: 3, 6, .* and 4 more$/);
});

test("cases of one id, or of another dialect's, are named", () => {
  expect(misnamed([holding, { ...holding, id: "chibi.pre_message.other" }])).toEqual([]);
  expect(misnamed([holding, holding])).toEqual([{ id: holding.id, why: "is the id of two cases" }]);
  expect(misnamed([{ ...holding, dialect: "pi" }])).toEqual([{ id: holding.id, why: 'does not begin with "pi."' }]);
});

test("totals add up", () => {
  const one = { total: 3, passed: 2, failed: 1, requirements: { total: 5, cited: 4 } };
  expect(sum([one, one])).toEqual({ total: 6, passed: 4, failed: 2, requirements: { total: 10, cited: 8 } });
});

test("is red on a deviation that no case shows", () => {
  const deviating: Requirement = { ...met, id: "x.other", status: "deviates", why: "It must." };
  expect(reportOn({ requirements: [deviating], prose: [] }, [], []).failures).toEqual([
    { id: "x.other", why: "is deviating by word only: no case cites it" },
  ]);
});

test("is red on a statement that names neither a seed nor a source, or both, and on a case that cites nothing", () => {
  const { seed: _, ...none } = met;
  const both = { ...met, id: "x.both", source: "law 1" };
  const proof = { id: "x.c.one", cites: ["x.met", "x.both"], problem: undefined };
  expect(reportOn({ requirements: [none, both], prose: [] }, [proof], []).failures).toEqual([
    { id: "x.met", why: "names a seed or a source, and not both" },
    { id: "x.both", why: "names a seed or a source, and not both" },
  ]);
  expect(uncited([{ id: "x.c.two", cites: [] } as never])).toEqual([{ id: "x.c.two", why: "cites no requirement" }]);
});

test("a row that no case with a requirement asks is named", () => {
  expect(unasked([holding], only(["pre_message"]))).toEqual([]);
  expect(unasked([{ ...holding, cites: [] }], only(["pre_message"]))).toHaveLength(1);
  expect(unasked([holding], only(["pre_message", "pre_tool"]))).toEqual([
    { id: "chibi:pre_tool", why: expect.stringContaining("no case") },
  ]);
});
