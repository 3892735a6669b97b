/**
 * The YAML parser, for lazy import. The names are taken here because a bundler gives a dynamic import of a CommonJS
 * package nothing but its default export.
 */
export { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parse, parseDocument } from "yaml";
