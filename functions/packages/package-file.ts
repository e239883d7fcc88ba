import type { Forge } from "#core/forge";
import { countPackageDownload } from "#core/package/package";
import { type PackageFile, type PackageVersion, packageObject } from "#core/package/package.table";
import { attachmentAs } from "../api/contents/content-type.ts";
import type { FileAnswer } from "../http/answer/file-answer.ts";
import { Reply } from "../http/answer/reply.ts";

/** Lambda streams 200 MB; S3 serves larger files, if clients reach it. */
const mostStreamedBytes = 150 * 2 ** 20;
const readWithinSeconds = 300;
const contentType = "application/octet-stream";

/** The bytes of a file, or where S3 serves them. Its download is counted. */
export async function packageFileAnswer(
  forge: Forge,
  version: PackageVersion,
  file: PackageFile,
): Promise<FileAnswer | Reply<FileAnswer>> {
  const { sizeBytes, name, sha256, createdAt } = file;
  const object = packageObject(version.ownerId, file.object);
  const contentDisposition = attachmentAs(name);
  if (sizeBytes > mostStreamedBytes) {
    const as = { contentType, contentDisposition };
    const location = await forge.blobs.downloadUrl(object, as, readWithinSeconds);
    if (location !== undefined) {
      await countPackageDownload(forge, version);
      const headers = { location, "cache-control": "no-store" };
      return new Reply(undefined as never, { status: 303, headers });
    }
  }
  async function* counted(start: number, end: number) {
    // A reader who continues a broken download is counted already.
    if (start === 0) await countPackageDownload(forge, version);
    yield* forge.blobs.stream(object, start, end);
  }
  return {
    ...{ sizeBytes, contentType, etag: sha256, modifiedAt: createdAt },
    headers: {
      "content-disposition": contentDisposition,
      "cache-control": "private, max-age=0, must-revalidate, no-transform",
      "content-security-policy": "default-src 'none'; sandbox",
    },
    read: () => counted(0, sizeBytes),
    readPart: counted,
  };
}
