import { confirmArtifact } from "#core/artifact/confirm";
import { openArtifact } from "#core/artifact/open";
import { addArtifactPiece } from "#core/artifact/pieces";
import type { Usage } from "#core/quota/subject";
import { usageWrites } from "#core/quota/usage";
import { sha256, spooled } from "#tests/api/artifact/world";
import { sendFile } from "#tests/api/attachment/make";
import type { Caller, JsonValue, TestApi } from "#tests/support/api";

/** What an owner uses who has nothing. */
export const unused = {
  repos: { public: 0, private: 0 },
  git: { LFS: 0 },
  assets: { attachments: { issues: 0, releases: 0 }, artifacts: 0, packages: { all: 0 } },
};

/** What a caller is told of an owner's sizes: by default of their own. */
export async function sizesOf(api: TestApi, as: Caller, path = "/user/quota"): Promise<JsonValue> {
  return (await api.call("GET", path, { as })).json.used.size;
}

/** Makes a draft of a release with one asset; answers both. */
export async function publishFile(api: TestApi, as: Caller, path: string, bytes: string, tag = "v1") {
  const body = { tag_name: tag, draft: true };
  const release = (await api.call("POST", `${path}/releases`, { as, body })).json;
  const to = `${path}/releases/${release.id}/assets`;
  const asset = (await sendFile(api, to, as, { name: `${bytes.length}.bin`, bytes })).json;
  return { release, asset };
}

/** Uploads an artifact of a run. */
export async function confirmedArtifact(
  { forge }: TestApi,
  repositoryId: number,
  name: string,
  bytes: string,
) {
  const upload = await openArtifact(forge, repositoryId, { runId: 7, name });
  await addArtifactPiece(forge, upload, "appended", spooled(bytes));
  await confirmArtifact(forge, upload, { sha256: sha256(bytes) });
}

/** Lets a repository hold more of something, as the noun of it would. */
export async function hold(
  { forge }: TestApi,
  holder: { readonly ownerId: number; readonly repositoryId: number },
  usage: Partial<Usage>,
): Promise<void> {
  const changes = Object.entries(usage).map(([name, bytes]) => ({
    ...holder,
    name: name as keyof Usage,
    bytes,
  }));
  await forge.table.transact(usageWrites(changes));
}
