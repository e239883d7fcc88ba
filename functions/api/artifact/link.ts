import { z } from "zod";
import { artifactDownloadUrl, artifactFile, findArtifact, linkSeconds } from "#core/artifact/artifact";
import type { Artifact } from "#core/artifact/artifact.table";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { linkTo } from "../../http/answer/links.ts";
import { attachmentAs } from "../contents/content-type.ts";

const kind = {
  purpose: "artifact",
  shape: z.object({ repositoryId: z.int(), number: z.int(), objectKey: z.string(), until: z.number() }),
};

/** The file's name for who saves it. */
export const savedAs = ({ name }: Artifact): string => attachmentAs(`${name}.zip`);

/**
 * An address under which anybody gets the file of an artifact for an hour (semantics §62.2): S3's, or on one machine a
 * sealed one of ours. NotFound once its time is over.
 */
export async function artifactLink(forge: Forge, artifact: Artifact): Promise<string> {
  const { objectKey } = artifactFile(forge, artifact);
  const direct = await artifactDownloadUrl(forge, objectKey, savedAs(artifact));
  if (direct !== undefined) return direct;
  const { repositoryId, number } = artifact;
  const link = { repositoryId, number, objectKey, until: forge.clock.now() + linkSeconds * 1000 };
  return linkTo(forge.config, "-", "artifacts", sealValue(forge, kind, link));
}

/** The artifact that a sealed address leads to, while the repository is there and the file is the one of then. */
export async function linkedArtifact(forge: Forge, text: string): Promise<Artifact> {
  const link = openSealedValue(forge, kind, text);
  if (link === undefined) throw gone();
  const { repositoryId, number, objectKey } = link;
  const [repository, artifact] = await Promise.all([
    forge.table.get<Repository>(repositoryKey(repositoryId)),
    findArtifact(forge, repositoryId, number),
  ]);
  if (repository?.state !== "live" || artifact?.objectKey !== objectKey) throw gone();
  return artifact;
}

const gone = () => notFound("there is no such file, or its address has expired");
