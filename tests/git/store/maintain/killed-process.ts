import type { Forge } from "#core/forge";
import type { ActorOptions, Interleaving } from "#tests/support/race/interleave";

/** A process that may be killed, and the one after it. */
export class Process {
  isDead = false;
  readonly #make: () => Forge;
  forge: Forge;

  constructor(turns: Interleaving, options: ActorOptions) {
    this.#make = () => turns.process({ ...options, onCrash: () => (this.isDead = true) });
    this.forge = this.#make();
  }

  revive(): void {
    this.isDead = false;
    this.forge = this.#make();
  }
}
