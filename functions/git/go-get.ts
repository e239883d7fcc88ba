import { textAnswer } from "./answer.ts";

const modulePath = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/.*)?$/;

/**
 * The answer to the Go command for any path below a repository (`?go-get=1`): which repository holds the module, and
 * how to fetch it. It says the same of missing repositories, so that nobody learns which exist. Undefined for other
 * requests.
 */
export function goGetAnswer({ method, url: asked }: Request, rootUrl: string): Response | undefined {
  const url = new URL(asked);
  if (method !== "GET" || url.searchParams.get("go-get") !== "1") return undefined;
  const [, owner, name] = modulePath.exec(url.pathname) ?? [];
  if (owner === undefined || name === undefined)
    return textAnswer(400, "a module's path is /owner/repository");
  const repository = `${rootUrl}/${owner}/${name}`;
  const module = repository.replace(/^https?:\/\//, "");
  const page = `<!doctype html><html><head><meta name="go-import" content="${module} git ${repository}.git"></head></html>\n`;
  return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
}
