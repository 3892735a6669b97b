import { place, type Source, type Tier } from "@hookline/ground";
import type { Expected } from "../config/expected.ts";
import { type Loaded, type LoadReport, loadReport } from "../config/report.ts";
import type { Judgement } from "../consent/consent.ts";
import type { Candidate, Dialect } from "../dialect/dialect.ts";
import type { Contributions } from "../hook/contribution.ts";
import type { Instance } from "../hook/instance.ts";
import type { Registry } from "../hook/registry.ts";
import { Loader, type LoadParts } from "./loader.ts";
import type { Probe } from "./proof.ts";
import type { StandIns } from "./stand-in.ts";

/** A definition that was found, with its dialect. */
export interface FoundCandidate {
  readonly dialect: Dialect;
  readonly candidate: Candidate;
}

/** One load: everything that was found, and which of it runs. */
export interface LoadedHooks {
  readonly registry: Registry;
  readonly contributions: Contributions;
  readonly instances: readonly Instance[];
  readonly found: readonly FoundCandidate[];
  readonly report: LoadReport;
  /** Returns the approval of a definition; `undefined` for one that needs no consent, and for one that has none. */
  agreedOf(candidate: Candidate): Judgement | undefined;
  readonly standIns: StandIns;
  /** Test cases for hooks that are not in hookline's own format, from files beside the hooks. */
  readonly probes: readonly Probe[];
  /**
   * Loads the definitions of some dialects again, from the same places. `dispose` receives their earlier instances.
   * Some agents, such as pi, refuse to start with a broken hook: hooks of such a dialect that ran before become
   * required, unless their tier is `withdrawn`.
   */
  renew(dialectIds: readonly string[], dispose: (old: readonly Instance[]) => void, withdrawn?: Tier): Promise<void>;
}

/** Finds all definitions and loads those that may run. A faulty one is disabled, and nothing is thrown for it. */
export async function loadHooks(parts: LoadParts): Promise<LoadedHooks> {
  const loader = new Loader(parts);
  loader.standIns.begin();
  const found: FoundCandidate[] = [];
  const loaded = new Map<string, readonly Loaded[]>();
  const places: string[] = [];
  for (const dialect of parts.dialects) {
    const { searched, candidates } = await loader.discover(dialect);
    places.push(...searched);
    found.push(...candidates.map((candidate) => ({ dialect, candidate })));
    loaded.set(dialect.id, await loader.loadAll(dialect, candidates));
  }
  loader.started();
  const searched = [...new Set(places)];
  loader.tellUnclaimed(
    places,
    found.map(({ candidate }) => candidate),
  );
  loader.tellUnreadable(searched);
  loader.settle(loaded);
  loader.tellVain();
  let probes = await loader.probes(loaded);
  let report = lateReport(loaded, searched, loader, parts.offer);
  return {
    registry: loader.registry,
    standIns: loader.standIns,
    contributions: loader.contributions,
    get instances() {
      return loader.instances;
    },
    found,
    get probes() {
      return probes;
    },
    agreedOf: (candidate) => loader.agreedOf(candidate),
    get report() {
      return report();
    },
    async renew(dialectIds, dispose, withdrawn) {
      const kept = running(loaded, parts.dialects, dialectIds).filter(({ tier }) => tier !== withdrawn);
      loader.standIns.expect(kept.map(foundAt));
      loader.standIns.begin();
      for (const dialect of parts.dialects.filter(({ id }) => dialectIds.includes(id))) {
        dispose(loader.release(dialect));
        const candidates = found.filter((one) => one.dialect === dialect).map(({ candidate }) => candidate);
        loaded.set(dialect.id, await loader.loadAll(dialect, candidates));
      }
      loader.settle(loaded);
      probes = await loader.probes(loaded);
      report = lateReport(loaded, searched, loader, parts.offer);
    },
  };
}

/**
 * Returns the definitions that run now and must run after a reload: those of the dialects in `ids` whose agent refuses
 * to start with a broken hook, such as pi.
 */
function running(
  loaded: ReadonlyMap<string, readonly Loaded[]>,
  dialects: readonly Dialect[],
  ids: readonly string[],
): Source[] {
  const ending = dialects.filter(({ id, endsWhenBroken }) => endsWhenBroken === true && ids.includes(id));
  return ending
    .flatMap(({ id }) => loaded.get(id) ?? [])
    .filter(({ candidate, state }) => candidate.state === "runs" && state !== "untrusted" && state !== "broken")
    .map(({ candidate: { source } }) => source);
}

function foundAt(source: Source): Expected {
  return { name: place(source), path: source.path, by: "found", needs: "load" };
}

/**
 * Returns a function that returns the load report, built at the first call. The report is built again when the number
 * of tools changes, or when a module without hooks registers its first one.
 */
function lateReport(
  loaded: ReadonlyMap<string, readonly Loaded[]>,
  searched: readonly string[],
  loader: Loader,
  offer: LoadParts["offer"],
): () => LoadReport {
  const all = [...loaded.values()];
  const diagnostics = loader.finish();
  let report: LoadReport | undefined;
  let idle: readonly Loaded[] = [];
  let tools = 0;
  return () => {
    const offered = loader.contributions.all("tool").size;
    if (report !== undefined && tools === offered && !idle.some(({ state }) => state === "runs")) return report;
    tools = offered;
    const now = all.flat();
    idle = now.filter(({ state, candidate }) => state === "unreachable" && candidate.state === "runs");
    const { contributions } = loader;
    const deciding = now.filter(({ state, shadow }) => state === "runs" && shadow?.() !== "all");
    const lanes = new Set(deciding.map(({ candidate }) => candidate.lane));
    report = loadReport(now, searched, diagnostics, offer?.({ contributions, lanes }));
    return report;
  };
}
