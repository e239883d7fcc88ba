import fs from "node:fs";
import { clone as cloneWith, type FsClient, fetch as fetchWith, log } from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type GitServer, startGitServer } from "#tests/git/http/git-server";
import { Folders, WorkingCopy } from "#tests/git/http/real-git";

const folders = new Folders();
let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

it("isomorphic-git, which shares no code with git, clones one commit deep and deepens", async () => {
  const { url } = await server.create("shallow");
  const work = await WorkingCopy.init(folders);
  const commits = (await work.commitSeries(5, (number) => ({ "a.txt": `${number}\n` }))).reverse();
  await work.git("push", "-q", url, "main");
  const dir = await folders.make();
  const shared = { fs: fs as FsClient, http, dir, url, singleBranch: true };
  const seen = async () => (await log({ fs, dir, ref: "origin/main" })).map(({ oid }) => oid);
  await cloneWith({ ...shared, ref: "main", depth: 1 });
  expect(await seen()).toEqual(commits.slice(0, 1));
  await fetchWith({ ...shared, ref: "main", depth: 2, relative: true });
  expect(await seen()).toEqual(commits.slice(0, 3));
  await fetchWith({ ...shared, ref: "main", depth: 2 ** 31 - 1 });
  expect(await seen()).toEqual(commits);
});
