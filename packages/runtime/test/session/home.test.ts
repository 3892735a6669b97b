import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { hooklineHomeOf, personHome } from "../../src/session/home.ts";

const OWN = userInfo().homedir;

test.each([
  [{ HOME: "/home/me" }, "/home/me"],
  [{ HOME: "" }, OWN],
  [{ HOME: "." }, OWN],
  [{ HOME: "home/me" }, OWN],
  [{}, OWN],
])("the home folder with %j is %s", (env, home) => {
  expect(personHome(env)).toBe(home);
});

test.each([
  [{}, "/home/me/.hookline"],
  [{ HOOKLINE_HOME: "" }, "/home/me/.hookline"],
  [{ HOOKLINE_HOME: "mine" }, "/home/me/.hookline"],
  [{ HOOKLINE_HOME: "../mine" }, "/home/me/.hookline"],
  [{ HOOKLINE_HOME: "/srv/hookline" }, "/srv/hookline"],
])("hookline's home with %j is %s", (env, home) => {
  expect(hooklineHomeOf(env, "/home/me")).toBe(home);
});
