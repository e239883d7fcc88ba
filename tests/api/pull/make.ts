import type { Caller, TestApi } from "#tests/support/api";

/** Writes a file on a branch, which begins at `from` unless it is there; answers the commit's id. */
export async function commitOn(
  api: TestApi,
  repository: string,
  branch: string,
  path: string,
  { as, content = `${path}\n`, from = "main" }: { as: Caller; content?: string; from?: string },
): Promise<string> {
  const known = await api.call("GET", `${repository}/branches/${branch}`, { as });
  const where = known.status === 200 ? { branch } : { branch: from, new_branch: branch };
  const body = { content: Buffer.from(content).toString("base64"), message: `Write ${path}`, ...where };
  const { status, json } = await api.call("POST", `${repository}/contents/${path}`, { as, body });
  if (status !== 201) throw new Error(`no commit on ${branch}: ${status} ${json?.message}`);
  return json.commit.sha;
}

/** A repository of the caller's with a README on `main`; its path. */
export async function makeBase(api: TestApi, as: Caller, name: string, more: object = {}): Promise<string> {
  const { status } = await api.call("POST", "/user/repos", { as, body: { name, auto_init: true, ...more } });
  if (status !== 201) throw new Error(`no repository ${name}: ${status}`);
  return `/repos/${as.name}/${name}`;
}

/** Opens a request; answers its JSON form. */
export async function openPull(
  api: TestApi,
  repository: string,
  { as, ...given }: { as: Caller; head?: string; base?: string; title?: string; body?: string },
) {
  const body = { title: "T", head: "topic", base: "main", ...given };
  const { status, json } = await api.call("POST", `${repository}/pulls`, { as, body });
  if (status !== 201) throw new Error(`no request: ${status} ${json?.message}`);
  return json;
}
