import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerProcess } from "../process/server-process.ts";
import { call, type HostileCase, pushNew, status, times } from "./hostile-cases.ts";

/** A repository whose branch `head` changes these files of `main`, and a request between them. */
const withPull = (
  name: string,
  files: Readonly<Record<string, readonly [before: string, after: string]>>,
) => {
  return async (server: ServerProcess) => {
    await pushNew(server, name, async (git, folder) => {
      for (const side of [0, 1] as const) {
        for (const [path, texts] of Object.entries(files)) writeFileSync(join(folder, path), texts[side]);
        await git("add", "-A");
        await git("commit", "-q", "-m", String(side));
        if (side === 0) await git("checkout", "-q", "-b", "head");
      }
    });
    await open(server, name);
  };
};

const open = (server: ServerProcess, name: string) =>
  status(
    call(server, "POST", `/repos/root/${name}/pulls`, { body: { title: "t", base: "main", head: "head" } }),
  );

const review = (server: ServerProcess, name: string, body: object) =>
  status(call(server, "POST", `/repos/root/${name}/pulls/1/reviews`, { body }));

/** Expressions that have few characters and many steps. */
const hardOwners = times(130)
  .map(() => `${"(a?b?){999}".repeat(40)} @root\n`)
  .join("");

/** A repository whose request 1 has a pending review of 300 comments of 63 KB. */
export const withLongComments = (name: string) => async (server: ServerProcess) => {
  await withPull(name, { f: ["a\n", "b\n"] })(server);
  const body = "x@y".repeat(21_000);
  const comments = times(10).map(() => ({ path: "f", body, new_position: 1 }));
  for (const _ of times(30)) await review(server, name, { event: "", comments });
};

/** Pull requests and reviews that lead to much. */
export const hostilePulls: readonly HostileCase[] = [
  {
    name: "comments on 300 lines of one hunk of a million, and its approval",
    prepare: withPull("hunk", { f: ["a\n".repeat(500_000), "b\n".repeat(500_000)] }),
    send: async (server) => {
      const comments = times(300).map((at) => ({ path: "f", body: "x", new_position: 500_000 - at }));
      return [await review(server, "hunk", { event: "COMMENT", comments })];
    },
  },
  {
    name: "CODEOWNERS of expressions that take long to compile",
    prepare: (server) =>
      pushNew(server, "owners", async (git, folder) => {
        writeFileSync(join(folder, "CODEOWNERS"), hardOwners);
        await git("add", "-A");
        await git("commit", "-q", "-m", "one");
        await git("checkout", "-q", "-b", "head");
        await git("commit", "-q", "--allow-empty", "-m", "two");
      }),
    send: async (server) => [await open(server, "owners")],
  },
  {
    name: "a review with 300 long comments: listed, submitted, and removed",
    prepare: withLongComments("texts"),
    send: async (server) => {
      const address = "/repos/root/texts/pulls/1/reviews";
      const [{ id }] = (await (await call(server, "GET", address)).json()) as [{ id: number }];
      const listed = await Promise.all(
        times(20).map(() => status(call(server, "GET", `${address}/${id}/comments`))),
      );
      const submitted = call(server, "POST", `${address}/${id}`, { body: { event: "COMMENT", body: "x" } });
      return [...listed, await status(submitted), await status(call(server, "DELETE", `${address}/${id}`))];
    },
  },
];
