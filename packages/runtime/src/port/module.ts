/** A module to load, and the modules that the host provides to it. */
export interface ModuleCall {
  /** The absolute path of the entry file. */
  readonly path: string;
  /**
   * Returns the module that the host provides for a bare specifier, such as `typebox`; asked before any other
   * resolution, which follows if the result is `undefined`. With a promise the host can import the module lazily.
   */
  provide(
    specifier: string,
  ): Promise<Readonly<Record<string, unknown>> | undefined> | Readonly<Record<string, unknown>> | undefined;
  /**
   * Returns whether `provide` will answer for a bare specifier; asked while the module graph is read, before anything
   * runs.
   */
  provides(specifier: string): boolean;
  /** Called once for each imported name that a provided module lacks; the name is `undefined` in the importer. */
  onMissing(missing: MissingName): void;
  /** Globals of another JavaScript engine, visible only to the files of this load. */
  readonly globals?: { readonly Bun?: object };
  /**
   * Returns whether a file with these bytes may run, in this load or by a later `import()`. Without this function,
   * every file may.
   */
  admits?(file: LoadedFile): boolean;
}

/** A name that a module imports but that does not exist. */
export interface MissingName {
  readonly file: string;
  readonly specifier: string;
  readonly name: string;
  /** Advice on what to use instead; if set, the imported value is a placeholder that throws when it is used. */
  readonly instead?: string;
}

/** Marks a provided value as a placeholder for one that hookline lacks. Its value says what to use instead. */
export const LACKS: unique symbol = Symbol.for("hookline.lacks");

/** A file of a module graph, with the hash of its bytes. */
export interface LoadedFile {
  readonly path: string;
  /** The SHA-256 of the bytes that ran, in hex. */
  readonly sha256: string;
}

/** The exports of a module, or the reason why it could not be loaded. */
export type ModuleReport =
  | {
      readonly ok: true;
      readonly exports: Readonly<Record<string, unknown>>;
      /** Every project file in the module graph, the entry first. */
      readonly files: readonly LoadedFile[];
      /** False if a top-level await forced native ESM, which cannot be unloaded. */
      readonly unloadable: boolean;
    }
  | {
      readonly ok: false;
      readonly phase: "read" | "transform" | "resolve" | "run";
      readonly message: string;
      readonly file: string;
      /** The 1-based line of the problem. */
      readonly line?: number;
      readonly column?: number;
      readonly cause: unknown;
    };

/**
 * Loads foreign TypeScript or JavaScript: types are erased, and each load has its own instances of all modules. Never
 * rejects because of a fault in a module.
 */
export interface ModuleTransport {
  load(call: ModuleCall): Promise<ModuleReport>;
  /**
   * Returns the files that `load` would run, entry first, including the entry files of installed packages. Runs
   * nothing.
   */
  read?(
    call: ModuleCall,
  ): Promise<{ readonly ok: true; readonly files: readonly LoadedFile[] } | Extract<ModuleReport, { ok: false }>>;
  /**
   * Starts to read and transform these files in parallel for the loads that follow, without running them. Returns a
   * function that must be called when those loads are done.
   */
  prepare?(paths: readonly string[]): () => void;
  /** Returns the loaded module that a stack trace or a late error belongs to; `undefined` if there is none. */
  owner(error: unknown): string | undefined;
}
