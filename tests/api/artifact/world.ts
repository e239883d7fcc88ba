import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Artifact } from "#core/artifact/artifact.table";
import { artifactObjects, artifactsPartition } from "#core/artifact/artifact.table";
import { confirmArtifact } from "#core/artifact/confirm";
import { openArtifact } from "#core/artifact/open";
import { addArtifactPiece, type PiecePlace } from "#core/artifact/pieces";
import { Spooled } from "#core/capacity/spooled";
import { cardKey } from "#core/repository/repository.table";
import { beside } from "#tests/api/attachment/make";
import { RepositoryWorld, startWorld } from "#tests/api/repository/world";
import type { Caller } from "#tests/support/api";

export const spooled = (bytes: string | Buffer): Spooled => {
  const content = Buffer.from(bytes);
  return new Spooled({ bytes: content }, content.length, (_bytes, work) => work());
};
export const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** The place of tests of artifacts: for each test (`begin`) a repository of the owner's. */
export class ArtifactWorld extends RepositoryWorld {
  readonly ask = beside(this.api);

  open(runId: number, name: string): Promise<Artifact> {
    return openArtifact(this.api.forge, this.id, { runId, name });
  }

  add(upload: Artifact, place: PiecePlace, bytes: string | Buffer): Promise<void> {
    return addArtifactPiece(this.api.forge, upload, place, spooled(bytes));
  }

  /** A confirmed artifact. */
  async make(
    name: string,
    { runId = 1, bytes = "zipped" }: { runId?: number; bytes?: string } = {},
  ): Promise<Artifact> {
    const upload = await this.open(runId, name);
    await this.add(upload, "appended", bytes);
    return confirmArtifact(this.api.forge, upload, { sha256: sha256(bytes) });
  }

  /** The bytes that the address in the answer of `/zip` leads to. */
  async bytes(id: number, as?: Caller): Promise<string> {
    const { status, headers, text } = await this.call("GET", `actions/artifacts/${id}/zip`, undefined, as);
    expect(status, text).toBe(302);
    return (await this.ask(headers.get("location") ?? "")).text;
  }

  /** How many artifacts the owner's card counts, and their bytes. */
  async usage(ownerId = this.owner.user.id): Promise<[artifacts: number, sizeBytes: number]> {
    const card = await this.api.forge.table.get(cardKey(ownerId, this.id));
    return [Number(card?.artifacts ?? 0), Number(card?.artifactBytes ?? 0)];
  }

  /** How many items are left of artifacts, and how many objects. */
  async left(): Promise<[items: number, objects: number]> {
    const { table, blobs } = this.api.forge;
    const items = await table.queryAll({ pk: artifactsPartition(this.id) });
    let objects = 0;
    for await (const _object of blobs.list(artifactObjects(this.id))) objects += 1;
    return [items.length, objects];
  }
}

export async function startArtifacts(settings: Record<string, string> = {}): Promise<ArtifactWorld> {
  return new ArtifactWorld(...(await startWorld({ ARTIFACT_MAX_SIZE: "1", ...settings })));
}
