/**
 * The helper code that esbuild prints above a file and that `interop.ts` provides as well. Cutting it makes scripts
 * half as long and keeps imports from copying every export.
 */
const HELPERS: readonly string[] = [
  "var __create = Object.create;\n",
  "var __defProp = Object.defineProperty;\n",
  "var __getOwnPropDesc = Object.getOwnPropertyDescriptor;\n",
  "var __getOwnPropNames = Object.getOwnPropertyNames;\n",
  "var __getProtoOf = Object.getPrototypeOf;\n",
  "var __hasOwnProp = Object.prototype.hasOwnProperty;\n",
  `var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
`,
  `var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
`,
  'var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));\n',
  `var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
`,
  'var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);\n',
];

/** Matches names of helpers. A source that already contains them, such as a bundle, uses its own helpers. */
const OWN_HELPERS =
  /\b__(?:create|defProp|getOwnPropDesc|getOwnPropNames|getProtoOf|hasOwnProp|export|copyProps|reExport|toESM|toCommonJS)\b/;

/** Cuts the known helpers off the top of a script. Helpers in another form stay, and the file then uses its own. */
export function cutPreamble(code: string, source: string): { code: string; lines: number } {
  let start = 0;
  let known = !OWN_HELPERS.test(source);
  while (known) {
    const helper = HELPERS.find((text) => code.startsWith(text, start));
    known = helper !== undefined;
    start += helper?.length ?? 0;
  }
  return { code: code.slice(start), lines: code.slice(0, start).split("\n").length - 1 };
}
