import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pushRefs } from "#tests/git/http/raw-push";
import type { ServerProcess } from "../process/server-process.ts";
import { call, type HostileCase, pushNew, status, times } from "./hostile-cases.ts";

const withOneFile = (name: string) => (server: ServerProcess) =>
  pushNew(server, name, async (git, folder) => {
    writeFileSync(join(folder, "some"), "text\n");
    await git("add", "-A");
    await git("commit", "-q", "-m", "one");
  });

/** Requests that write many, deep or large files. */
export const hostileFiles: readonly HostileCase[] = [
  {
    name: "a commit of files 2,000 folders deep",
    prepare: withOneFile("deep"),
    send: async (server) => {
      const files = times(14).map((at) => ({
        ...{ operation: "create", path: `b${at}/${"a/".repeat(1_900)}f`, content: "" },
      }));
      return [await status(call(server, "POST", "/repos/root/deep/contents", { body: { files } }))];
    },
  },
  {
    name: "commits of 20 MiB that can't be compressed, in one file and in a thousand",
    prepare: withOneFile("large"),
    send: async (server) => {
      const content = randomBytes(20 * 2 ** 20).toString("base64");
      const files = times(1_000).map((at) => ({
        ...{ operation: "create", path: `many/${at}`, content: randomBytes(20_000).toString("base64") },
      }));
      const one = { body: { content } };
      return [
        await status(call(server, "POST", "/repos/root/large/contents/one", one)),
        await status(call(server, "POST", "/repos/root/large/contents", { body: { files } })),
      ];
    },
  },
  {
    name: "120 readers of 9,000 refs at once",
    prepare: (server) =>
      pushNew(
        server,
        "refs",
        async (git, folder) => {
          writeFileSync(join(folder, "some"), "text\n");
          await git("add", "-A");
          await git("commit", "-q", "-m", "one");
        },
        async (git, folder) => {
          const id = (await git("rev-parse", "HEAD")).trim();
          const authorization = `Basic ${Buffer.from(`root:${server.token}`).toString("base64")}`;
          const refs = times(9_000).map((at) => ({ id, name: `refs/tags/v${at}` }));
          await pushRefs(`${server.url}/root/refs.git`, folder, refs, { authorization });
        },
      ),
    send: (server) =>
      Promise.all(times(120).map(() => status(call(server, "GET", "/repos/root/refs/git/refs", { as: "" })))),
  },
  {
    name: "base64 of line breaks alone",
    prepare: withOneFile("breaks"),
    send: async (server) => {
      const body = { content: "\n".repeat(14e6) };
      return [await status(call(server, "POST", "/repos/root/breaks/contents/breaks", { body }))];
    },
  },
];
