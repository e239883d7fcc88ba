import { artifactFile } from "#core/artifact/artifact";
import { endpoint } from "../../http/endpoint.ts";
import { sandbox } from "../contents/content-type.ts";
import { linkedArtifact, savedAs } from "./link.ts";

/** The operation at the address that `downloadArtifact` redirects to on one machine. */
export const downloadArtifactFile = endpoint({
  id: "downloadArtifactFile",
  tag: "repository",
  method: "get",
  path: "/-/artifacts/{link}",
  summary: "Get the file of an artifact: where archive_download_url redirects to on one machine",
  description: "The address is the credential; it counts for an hour.",
  needs: { address: true },
  status: 200,
  returns: { file: true },
  errors: [404],
  handle: async ({ forge, params }) => {
    const artifact = await linkedArtifact(forge, params.link);
    const { objectKey } = artifactFile(forge, artifact);
    const { sizeBytes, updatedAt } = artifact;
    const readPart = (start: number, end: number) => forge.blobs.stream(objectKey, start, end);
    return {
      ...{ sizeBytes, contentType: "application/zip", modifiedAt: updatedAt, readPart },
      etag: objectKey.split("/").at(-1) ?? "",
      headers: {
        ...sandbox,
        "cache-control": "private, no-store",
        "content-disposition": savedAs(artifact),
        "access-control-expose-headers": "Content-Disposition",
      },
      read: () => readPart(0, sizeBytes),
    };
  },
});
