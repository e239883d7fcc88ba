import type { RawFile } from "#core/code/raw-file";
import { servedType } from "#core/media-type";
import type { FileAnswer } from "../../http/answer/file-answer.ts";
import { inlineAs, sandboxOf } from "./content-type.ts";

/** A file of a repository for download: under a type that no browser runs, to be asked for again every time. */
export function rawAnswer({ id, kind, name, sizeBytes, modifiedAt, sample, read }: RawFile): FileAnswer {
  const contentType = servedType(sample);
  return {
    ...{ sizeBytes, contentType, etag: id, read },
    ...(modifiedAt === undefined ? {} : { modifiedAt: Math.max(0, modifiedAt) }),
    headers: {
      "cache-control": "private, max-age=300",
      "content-disposition": inlineAs(name),
      "x-gitea-object-type": kind,
      "x-forgejo-object-type": kind,
      "access-control-expose-headers": "Content-Disposition, X-Gitea-Object-Type, X-Forgejo-Object-Type",
      ...sandboxOf(contentType),
    },
  };
}
