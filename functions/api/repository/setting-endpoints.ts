import { convertMirror } from "#core/mirror/convert";
import { storeAvatar } from "#core/owner/avatar";
import { detailsOfEdited } from "#core/repository/details";
import { editRepository } from "#core/repository/edit";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentRepository } from "./present.ts";
import { Repository, UpdateRepoAvatarOption } from "./schema.ts";

const repoUpdateAvatar = endpoint({
  id: "repoUpdateAvatar",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/avatar",
  summary: "Set a repository's picture",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  body: UpdateRepoAvatarOption,
  bodyBytes: 2 * 1024 * 1024,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, access, body }) => {
    const avatar = await storeAvatar(forge, body.image);
    await editRepository(forge, actor, access.repository, { avatar });
    return undefined;
  },
});

const repoDeleteAvatar = endpoint({
  id: "repoDeleteAvatar",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/avatar",
  summary: "Take a repository's picture away",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, access }) => {
    await editRepository(forge, actor, access.repository, { avatar: "" });
    return undefined;
  },
});

const repoConvert = endpoint({
  id: "repoConvert",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/convert",
  summary: "Make an ordinary repository of a mirror",
  needs: { scope: ["repository"], login: true, repository: { mode: "owner" } },
  status: 200,
  returns: { json: Repository },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, actor, access } = request;
    const repository = await convertMirror(forge, actor, access.repository);
    const details = await detailsOfEdited(forge, actor, access, repository);
    return presentRepository(viewOf(request), details);
  },
});

export const repositorySettingEndpoints = [repoUpdateAvatar, repoDeleteAvatar, repoConvert];
