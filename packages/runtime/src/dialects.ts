/**
 * Exports the dialects that come with the library, as `@hookline/runtime/dialects`. They are built into the package.
 * Their sources are in `packages/integrations`, and no other module of this package may import them.
 */
export {
  chibi,
  claude,
  dialects,
  formats,
  hookline,
  jcli,
  omp,
  pi,
  transcripts,
} from "@hookline/integrations";
