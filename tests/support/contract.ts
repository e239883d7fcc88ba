import { z } from "@hono/zod-openapi";
import type { Endpoint } from "#functions/api/endpoint";

const problem = z.object({
  message: z.string().min(1),
  url: z.string(),
  errors: z.array(z.string()).optional(),
});
/** What any operation may answer, beside the refusals that it declares: limits, media types and our own faults. */
const everywhere = [400, 401, 403, 404, 406, 413, 415, 422, 500, 503];

/**
 * Throws when an answer breaks what its operation declares: an undeclared status, a body that is not of the declared
 * shape or has members that it lacks, a missing header. Every answer of every API test goes through here.
 */
export async function checkContract(endpoint: Endpoint, response: Response): Promise<void> {
  const complain = (what: string) => {
    throw new Error(`${endpoint.id} broke its contract: ${what}`);
  };
  const text = await response.text();
  if (response.status === 304) return;
  if (response.status < 300) return checkSuccess(endpoint, response, text, complain);
  if (![...endpoint.errors, ...everywhere].includes(response.status))
    complain(`undeclared status ${response.status}`);
  if (text === "") return;
  const parsed = problem.safeParse(JSON.parse(text));
  if (!parsed.success && endpoint.id !== "repoSearch") complain(`refusal ${text}: ${parsed.error.message}`);
}

function checkSuccess(
  endpoint: Endpoint,
  response: Response,
  text: string,
  complain: (what: string) => void,
): void {
  const { returns } = endpoint;
  if (returns === undefined) {
    if (text !== "") complain("it declares no body and sent one");
    return;
  }
  if ("html" in returns || text === "") return;
  if (!response.headers.get("content-type")?.startsWith("application/json")) complain("the body is not JSON");
  const schema = "list" in returns ? z.array(strict(returns.list)) : strict(returns.json);
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) complain(`${parsed.error.message} in ${text.slice(0, 2000)}`);
  if ("list" in returns && !response.headers.has("x-total-count")) complain("a list without X-Total-Count");
}

/** Members that the schema lacks count as mistakes: the document must name everything that is sent. */
function strict(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strict() : schema;
}
