import { bytesOfFile } from "../api/attachment/schema.ts";
import { endpoint } from "../http/endpoint.ts";
import { receiveUpload } from "./upload-link.ts";

/** The operation at the addresses of announced uploads on one machine. */
export const putAnnouncedObject = endpoint({
  id: "putAnnouncedObject",
  tag: "repository",
  method: "put",
  path: "/-/uploads/{link}",
  summary: "Upload a part of a bundle, or a large file of a package: the target of upload_url on one machine",
  description: "The address is the credential; it counts for an hour.",
  needs: { address: true },
  takesFile: bytesOfFile,
  status: 204,
  errors: [404, 409, 422],
  handle: async ({ forge, params, upload }) => {
    await receiveUpload(forge, params.link, (mostBytes) => upload.file(mostBytes));
    return undefined;
  },
});
