/**
 * The YAML parser, for dynamic imports. Each name is re-exported, because bundlers give a dynamic import of a CommonJS
 * package only its default export.
 */
export { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parse, parseDocument } from "yaml";
