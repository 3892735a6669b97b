import { createHash } from "node:crypto";
import { diagnose } from "@hookline/ground";
import type { jcliRegister } from "@hookline/integrations";
import type { Diagnostic, HostUi, TrustStore } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import { agrees, canAsk } from "../protect/consent.ts";
import type { SessionManager } from "../session/session.ts";

type Register = typeof jcliRegister;
type Held = InstanceType<Register["SessionHooks"]>;
type Parameters = Parameter<Held["remove"]>;
type Parameter<F extends (given: never) => unknown> = F extends (given: infer P) => unknown ? P : never;
type Definition = Parameter<Held["add"]>;

/** The session, the trust store and the user interface that `SessionHooks` uses. */
export interface SessionHooksParts {
  readonly register: Register;
  readonly hooks: HookSession;
  /** The store in which approvals are recorded. */
  readonly trust: TrustStore;
  /** Whether only hooks from the lock file may run. */
  readonly frozen: boolean;
  readonly ui: HostUi | undefined;
  store(): SessionManager;
  report(diagnostic: Diagnostic): void;
}

/** The type of the session entries that store the registered hooks. The last such entry counts. */
const ENTRY = "hookline.session-hooks";

/** The result of a registration or removal, for the model. */
type RegistrationResult = ReturnType<Held["list"]>;

/**
 * The hooks that the model has registered in the running session (guarantees R54). A person must approve the exact text
 * of each hook; the trust store records the approval. The session file stores the hooks. After a resume, only those
 * with a recorded approval are restored.
 */
export class SessionHooks {
  readonly #parts: SessionHooksParts;
  readonly #held: Held;

  constructor(parts: SessionHooksParts) {
    this.#parts = parts;
    const { register, hooks } = parts;
    const source = { path: register.TOOL.name, tier: "session", dialect: "jcli" } as const;
    const place = hooks.attach("jcli", source);
    const all = (): ReturnType<HookSession["hooks"]>[number]["hook"][] =>
      hooks.hooks().flatMap(({ lane, hook }) => (lane === "jcli" ? [hook] : []));
    this.#held = new register.SessionHooks({ ...place, hooks: all });
  }

  /** Replaces the hooks of the previous session with those of the one that is open now. */
  restore(): void {
    this.#held.clear();
    const agreed = this.#agreed();
    // Without approvals no hook can be restored. Returning here avoids reading a long session to its start.
    if (agreed.size === 0) return;
    const { store, report } = this.#parts;
    const last = store()
      .getEntries()
      .findLast((entry) => entry.type === "custom" && entry.customType === ENTRY) as { data?: unknown } | undefined;
    const saved = (last?.data as { readonly hooks?: unknown } | undefined)?.hooks;
    const refused = this.#held.restore(Array.isArray(saved) ? saved : [], (one) => agreed.has(this.#hashOf(one)));
    for (const { events } of refused) {
      const told = diagnose("UNTRUSTED", { path: `a hook on ${events.join(", ")} that was saved with the session` });
      report({ ...told, hint: "Nobody has approved its text; register it again." });
    }
  }

  async add(given: Parameters, signal: AbortSignal | undefined): Promise<RegistrationResult> {
    const { register, frozen } = this.#parts;
    if (frozen) return refused("Only the hooks of the lock file may run here.");
    const read = register.readRegistration(given);
    if (!read.ok) return { isError: true, text: read.problem };
    const { definition } = read;
    const text = register.consentText(definition);
    if (!(await agrees(this.#parts.ui, { title: "Register a hook?", text, yes: "Yes, register it" }, signal)))
      return refused(this.#refusal());
    try {
      this.#record(definition);
    } catch (thrown) {
      return refused(`The consent could not be recorded: ${(thrown as Error).message}`);
    }
    const said = this.#held.add(definition);
    this.#save();
    return read.note === undefined ? said : { ...said, text: `${said.text}\nNote: ${read.note}` };
  }

  async remove(given: Parameters, signal: AbortSignal | undefined): Promise<RegistrationResult> {
    const { register } = this.#parts;
    const found = this.#held.find(given);
    if ("problem" in found) return { isError: true, text: found.problem };
    const text = register.removalText(found.definition);
    if (!(await agrees(this.#parts.ui, { title: "Remove a hook?", text, yes: "Yes, remove it" }, signal)))
      return { isError: true, text: `No hook was removed. ${this.#refusal()}` };
    const said = this.#held.remove(given);
    this.#save();
    return said;
  }

  list(): RegistrationResult {
    return this.#held.list();
  }

  help(): RegistrationResult {
    return this.#held.help();
  }

  #refusal(): string {
    return canAsk(this.#parts.ui)
      ? "The person did not agree."
      : "A person must agree, and nobody can be asked in this mode.";
  }

  #save(): void {
    this.#parts.store().appendCustomEntry(ENTRY, { hooks: this.#held.saved() });
  }

  #record(definition: Definition): void {
    const { trust, store, register } = this.#parts;
    trust.approve([
      {
        path: store().getSessionFile() ?? register.TOOL.name,
        lane: "jcli",
        dialect: "jcli",
        definition: JSON.stringify(register.parametersOf(definition)),
        files: [],
        hash: this.#hashOf(definition),
        approvedAt: new Date().toISOString(),
      },
    ]);
  }

  /** Returns the hashes of the hook texts that a person has approved. */
  #agreed(): ReadonlySet<string> {
    const { trust, frozen } = this.#parts;
    if (frozen) return new Set();
    return new Set(
      trust.list().flatMap(({ lane, files, hash }) => (lane === "jcli" && files.length === 0 ? [hash] : [])),
    );
  }

  #hashOf(definition: Definition): string {
    return createHash("sha256").update(this.#parts.register.consentText(definition)).digest("hex");
  }
}

function refused(why: string): RegistrationResult {
  return { isError: true, text: `No hook was registered. ${why}` };
}
