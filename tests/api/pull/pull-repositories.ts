import type { Caller, TestApi } from "#tests/support/api";

/** Repositories with branches to request, made through the API. */
export interface PullRepositories {
  /** A repository of the owner's with a README on `main`; its path. */
  make(name: string, more?: object): Promise<string>;
  /** Writes a file on a branch, made from `from` when it is missing; the commit's id. */
  commitOn(
    repository: string,
    branch: string,
    path: string,
    more?: { content?: string; as?: Caller; from?: string },
  ): Promise<string>;
  /** Opens a request; its number. */
  open(repository: string, head: string, more?: object, as?: Caller): Promise<number>;
  /** The tip of a branch. */
  tipOf(repository: string, branch: string): Promise<string>;
}

/** Works on an API as one user unless told otherwise. */
export function pullRepositories(api: TestApi, owner: Caller): PullRepositories {
  const tipOf = async (repository: string, branch: string) =>
    (await api.call("GET", `${repository}/branches/${branch}`, { as: owner })).json.commit.id;
  return {
    tipOf,
    async make(name, more = {}) {
      await api.call("POST", "/user/repos", { as: owner, body: { name, auto_init: true, ...more } });
      return `/repos/${owner.name}/${name}`;
    },
    async commitOn(repository, branch, path, { content = `${path}\n`, as = owner, from = "main" } = {}) {
      const known = await api.call("GET", `${repository}/branches/${branch}`, { as });
      const written = {
        content: Buffer.from(content).toString("base64"),
        message: `Write ${path}`,
        ...(known.status === 200 ? { branch } : { branch: from, new_branch: branch }),
      };
      const file = `${repository}/contents/${path}`;
      const created = await api.call("POST", file, { as, body: written });
      if (created.status === 201) return created.json.commit.sha;
      const { json: former } = await api.call("GET", `${file}?ref=${written.branch}`, { as });
      const { json } = await api.call("PUT", file, { as, body: { ...written, sha: former.sha } });
      return json.commit.sha;
    },
    async open(repository, head, more = {}, as = owner) {
      const body = { title: `From ${head}`, head, base: "main", ...more };
      const created = await api.call("POST", `${repository}/pulls`, { as, body });
      if (created.status !== 201) throw new Error(created.text);
      return created.json.number;
    },
  };
}
