import type { AheadUpload } from "../../blobs.ts";
import { randomId } from "../../ids.ts";
import { packKey } from "../pack/pack-files.ts";
import type { NewPack } from "../push.ts";
import { packFileKey } from "../refs/pack-manifest.ts";
import type { Doors } from "../store.ts";

/** The longer of the two checksums that a pack may end with. */
const checksumBytes = 32;

/** The upload of a large pack while it is checked: nothing names it, and nothing shows, before the push lands. */
export class PackAhead {
  readonly #doors: Doors;
  readonly #repositoryId: number;
  readonly #packId = randomId();
  #upload: AheadUpload | undefined;

  constructor(doors: Doors, repositoryId: number) {
    this.#doors = doors;
    this.#repositoryId = repositoryId;
  }

  /** What the store is told of it; undefined where nothing was sent ahead, as of every small pack. */
  get begun(): Pick<NewPack, "ahead"> | undefined {
    return this.#upload && { ahead: { packId: this.#packId, upload: this.#upload } };
  }

  /** Sends what the checks will not change of a pack that has arrived: all but its header and its end. */
  begin(path: string, packBytes: number): void {
    const key = packKey({ key: packFileKey(this.#repositoryId, this.#packId) });
    this.#upload = this.#doors.blobs.putFileAhead(key, path, packBytes - checksumBytes);
  }

  /** Takes back what was sent for a push that did not land. A failure is logged: the bucket's rules end what is left. */
  async abandon(): Promise<void> {
    try {
      await this.#upload?.abandon();
    } catch (error) {
      this.#doors.log.warn("git:abandon-upload", { repositoryId: this.#repositoryId, error });
    }
  }
}
