/**
 * The dialects that come with the library: `@hookline/runtime/dialects`. They are built into the package; their sources
 * are in `packages/integrations`, and nothing else here may use them.
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
