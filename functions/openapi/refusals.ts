import { getRefId } from "@asteasolutions/zod-to-openapi";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "#zod";

/** The description of each refusal in the interface document; `problems.ts` makes their bodies. */
export const meanings: Readonly<Record<number, string>> = {
  400: "the request can't be understood",
  401: "no credentials, or credentials that are not valid",
  403: "the caller, or the token, may not do this",
  404: "absent, or hidden from the caller",
  405: "not possible here, or not at the moment",
  408: "the body came too slowly",
  409: "clashes with what exists",
  412: "a condition does not hold",
  413: "the body is too large",
  415: "the body is of another media type",
  422: "a value is not valid: [Field]: Reason",
  423: "the repository is archived",
  429: "too many requests, or failed logins: see Retry-After",
  500: "something went wrong on the service's side",
  503: "try again later: see Retry-After",
};

const said = {
  message: z.string(),
  url: z.string().optional().openapi({ description: "absent when the account itself is refused" }),
};
const invalidTopics = z
  .union([z.array(z.string()), z.string()])
  .nullable()
  .optional()
  .openapi({ description: "for topics: the invalid ones; null when there are too many" });

const APIError = z
  .object({
    ...said,
    errors: z.array(z.string()).optional(),
    Style: z.string().optional().openapi({ description: "for merges that conflict: how it was tried" }),
    StdOut: z.string().optional().openapi({ description: "a line for each path in conflict" }),
    StdErr: z.string().optional(),
    Err: z.string().optional(),
    CommitSHA: z.string().optional().openapi({ description: "the commit that could not be repeated" }),
  })
  .openapi("APIError");

/** Refusals with a name of their own in the family. */
const named: Readonly<Record<string, z.ZodType>> = {
  401: z.object(said).openapi("APIUnauthorizedError"),
  403: z.object(said).openapi("APIForbiddenError"),
  404: z
    .object({
      ...said,
      errors: z.array(z.string()).optional(),
      error: z.string().optional().openapi({ description: "for templates whose new owner is missing" }),
    })
    .openapi("APINotFound"),
  422: z.object({ ...said, invalidTopics }).openapi("APIValidationError"),
  423: z.object(said).openapi("APIRepoArchivedError"),
  500: z.object(said).openapi("APIInternalServerError"),
};
const SearchError = z
  .object({ ok: z.literal(false), error: z.string(), message: z.string(), url: z.string() })
  .openapi("SearchError");

const nameOf = (status: number): string => `error${status}`;

const nameFor = (status: string): string => {
  const schema = named[status];
  return (schema && getRefId(schema)) ?? "APIError";
};

/** The place of a refusal in the interface document. */
export const responseRef = (name: string): string => `#/components/responses/${name}`;

/** Puts the refusals into a document; those with a status of their own under `error<status>`. */
export function registerRefusals(registry: OpenAPIHono["openAPIRegistry"]): void {
  registry.register("APIError", APIError);
  for (const schema of Object.values(named)) registry.register(getRefId(schema) ?? "", schema);
  registry.register("SearchError", SearchError);
  const json = (name: string) => ({
    "application/json": { schema: { $ref: `#/components/schemas/${name}` } },
  });
  for (const [status, description] of Object.entries(meanings)) {
    const content = json(nameFor(status));
    const isLater = status === "429" || status === "503";
    const headers = { "Retry-After": { schema: { type: "integer" as const }, description: "in seconds" } };
    registry.registerComponent("responses", nameOf(Number(status)), {
      description,
      content,
      ...(isLater ? { headers } : {}),
    });
  }
  registry.registerComponent("responses", "moved", {
    description: "renamed: the same under its new name",
    headers: { Location: { schema: { type: "string" }, required: true } },
  });
  registry.registerComponent("responses", "bare403", {
    description: `${meanings[403]}; without a body where rights on the repository are missing`,
    content: json(nameFor("403")),
  });
  registry.registerComponent("responses", "no404", {
    description: `no, without a body; with one: ${meanings[404]}`,
    content: json(nameFor("404")),
  });
  registry.registerComponent("responses", "searchError", {
    description: "a value is not valid",
    content: json("SearchError"),
  });
}
