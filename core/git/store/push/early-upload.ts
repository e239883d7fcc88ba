import type { AheadUpload } from "../../../blobs/upload-ahead.ts";
import { randomId } from "../../../ids.ts";
import type { NewPack } from "../../pack/new-pack.ts";
import { packKey } from "../../pack/pack-files.ts";
import { packFileKey } from "../pack-manifest.ts";
import type { Stores } from "../store.ts";

/** The longer of the two checksums that a pack may end with. */
const checksumBytes = 32;

/** The upload of a large pack while it is checked: nothing names it or shows it before the push lands. */
export class EarlyUpload {
  readonly #stores: Stores;
  readonly #repositoryId: number;
  readonly #packId = randomId();
  #upload: AheadUpload | undefined;

  constructor(stores: Stores, repositoryId: number) {
    this.#stores = stores;
    this.#repositoryId = repositoryId;
  }

  /** The facts for the store; undefined when nothing was sent ahead, as for every small pack. */
  get begun(): Pick<NewPack, "ahead"> | undefined {
    return this.#upload && { ahead: { packId: this.#packId, upload: this.#upload } };
  }

  /** Sends the part of an arrived pack that the checks will not change: all but its header and its end. */
  begin(path: string, packBytes: number): void {
    const key = packKey({ key: packFileKey(this.#repositoryId, this.#packId) });
    this.#upload = this.#stores.blobs.putFileAhead(key, path, packBytes - checksumBytes);
  }

  /** Removes what was sent for a push that did not land. A failure is logged: the bucket's rules remove the rest. */
  async abandon(): Promise<void> {
    try {
      await this.#upload?.abandon();
    } catch (error) {
      this.#stores.log.warn("git:abandon-upload", { repositoryId: this.#repositoryId, error });
    }
  }
}
