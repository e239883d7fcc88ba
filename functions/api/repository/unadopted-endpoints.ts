import { notFound } from "#core/errors";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";

/**
 * The family can adopt repositories that lie on its disk without a record in its database. Here files are only reached
 * through the record, and remains of crashes are swept: there is never one to adopt.
 */
const common = {
  tag: "admin",
  description: "Repositories are only reached through their record here, so there is never one without.",
  needs: { scope: ["admin"], siteAdmin: true },
} as const;

const adminUnadoptedList = endpoint({
  ...common,
  id: "adminUnadoptedList",
  method: "get",
  path: "/admin/unadopted",
  summary: "List repositories that lie in the storage without a record",
  query: { pattern: text.openapi({ description: "only those that match" }) },
  status: 200,
  returns: { list: z.string() },
  errors: [401, 403, 422],
  handle: async ({ page }) => pageOf([], page),
});

const none = async (): Promise<never> => {
  throw notFound("there is no such repository in the storage without a record");
};

const adminAdoptRepository = endpoint({
  ...common,
  id: "adminAdoptRepository",
  method: "post",
  path: "/admin/unadopted/{owner}/{repo}",
  summary: "Make a record for a repository that lies in the storage",
  status: 204,
  errors: [401, 403, 404],
  handle: none,
});

const adminDeleteUnadoptedRepository = endpoint({
  ...common,
  id: "adminDeleteUnadoptedRepository",
  method: "delete",
  path: "/admin/unadopted/{owner}/{repo}",
  summary: "Delete a repository that lies in the storage without a record",
  status: 204,
  errors: [401, 403, 404],
  handle: none,
});

export const unadoptedEndpoints = [adminUnadoptedList, adminAdoptRepository, adminDeleteUnadoptedRepository];
