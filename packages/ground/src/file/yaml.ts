/**
 * The YAML parser, for lazy import. The names are re-exported because a bundler gives a dynamic import of a CommonJS
 * package only its default export.
 */
export { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parse, parseDocument } from "yaml";
