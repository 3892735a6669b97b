import type { Bug } from "./bug.ts";

const SOURCE = "in-process/package-source.ts";
const SOURCE_TEST = "in-process/package-source.test.ts";

/** Bugs in where third-party packages come from. */
export const packages: readonly Bug[] = [
  {
    of: "integrations",
    name: "a host gives up its last letters",
    says: "`git:host.tld:8443/tool` is fetched from `host.tld:844`, which nobody named",
    patches: [
      { file: SOURCE, from: "(?::(\\d+)(?=\\/))?(?:\\/|:(?!\\d+(?:[/@]|$)))(.+)$/;", to: "(?::(\\d+))?[/:]?(.+)$/;" },
    ],
    test: { file: SOURCE_TEST, names: "means the host that it names|names no package| is https" },
  },
  {
    of: "integrations",
    name: "folders upwards",
    says: "a package's name leads out of the folder of packages",
    patches: [{ file: SOURCE, from: "const SEGMENT = /^(?!\\.{1,2}$)", to: "const SEGMENT = /^" }],
    test: { file: SOURCE_TEST, names: "names no package" },
  },
  {
    of: "integrations",
    name: "options as names",
    says: "a package's name is taken for an option by git or npm",
    patches: [{ file: SOURCE, from: "[\\w.~][\\w.~-]*$/;", to: "[\\w.~-]*$/;" }],
    test: { file: SOURCE_TEST, names: "names no package" },
  },
  {
    of: "integrations",
    name: "options as refs",
    says: "a package's ref is taken for an option by git",
    patches: [
      {
        file: SOURCE,
        from: "if (ref !== undefined && (!REF.test(ref) ||",
        to: 'if (ref !== undefined && (ref.includes(" ") ||',
      },
    ],
    test: { file: SOURCE_TEST, names: "names no package" },
  },
  {
    of: "integrations",
    name: "numbers as hosts",
    says: "the program that fetches reads a host as another address",
    patches: [
      {
        file: SOURCE,
        from: "return HOST.test(host) && URL.canParse(url) && new URL(url)",
        to: "return HOST.test(host) || new URL(url)",
      },
    ],
    test: { file: SOURCE_TEST, names: "names no package|means the host that it names" },
  },
];
