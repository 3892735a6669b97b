/**
 * The YAML parser, to be imported lazily. Each name is re-exported: of a CommonJS package, a bundler gives a dynamic
 * import only the default export.
 */
export { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parse, parseDocument } from "yaml";
