import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { ServerProcess } from "../process/server-process.ts";
import { call, pushNew, status, times } from "./hostile-cases.ts";
import { withLongComments } from "./hostile-pulls.ts";

/** Large answers of one kind, which readers ask for and don't take. */
export interface SlowReaderCase {
  readonly name: string;
  /** Makes what the answers show. */
  prepare(server: ServerProcess): Promise<void>;
  /** Below the server's address. */
  readonly paths: readonly string[];
}

const inRepository = (name: string, ...rest: string[]) =>
  rest.map((one) => `/api/v1/repos/root/${name}/${one}`);

/** A large text of which two lines are seldom equal. */
const manyLines = (count: number, word: string): string =>
  times(count)
    .map((at) => `${word} ${at} of a text that is long enough to be some work\n`)
    .join("");

const commit = (message: string, path: string, text: string, at: number): string =>
  `commit refs/heads/main\ncommitter M <m@example.com> ${1_700_000_000 + at} +0000\n` +
  `data ${Buffer.byteLength(message)}\n${message}\n${file(path, text)}`;

const file = (path: string, text: string) =>
  `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;

const imported = (name: string, commands: string) => (server: ServerProcess) =>
  pushNew(server, name, async (_git, folder) => {
    execFileSync("git", ["-C", folder, "fast-import", "--quiet", "--force"], { input: commands });
  });

/** Every case, by its name. */
export const slowReaderCases: readonly SlowReaderCase[] = [
  {
    name: "reports of checks with long descriptions",
    async prepare(server) {
      const body = { name: "checks", auto_init: true };
      await status(call(server, "POST", "/user/repos", { body }));
      for (const at of times(60)) {
        const report = { state: "success", context: `c${at}`, description: "é".repeat(65_000) };
        await status(call(server, "POST", "/repos/root/checks/statuses/main", { body: report }));
      }
    },
    paths: inRepository(
      "checks",
      "commits/main/statuses?limit=50",
      "statuses/main?limit=50",
      "commits/main/status?limit=50",
    ),
  },
  {
    name: "a comparison of 40 commits of 1 MB",
    prepare: imported(
      "compared",
      [
        commit("first", "a", "a", 0),
        ...times(40).map((at) => commit(`${at}\n\n${"é".repeat(500_000)}`, "a", String(at), at + 1)),
      ].join(""),
    ),
    paths: inRepository("compared", "compare/main~40...main"),
  },
  {
    name: "texts of changes: diffs and mails of 3.5 MB",
    prepare: imported(
      "patched",
      [
        commit("first", "a", "a", 0),
        `${commit("second", "a", "b", 1)}${times(50)
          .map((at) => file(`f${at}`, manyLines(900, `file ${at}, line`)))
          .join("")}`,
      ].join(""),
    ),
    paths: [
      ...inRepository(
        "patched",
        "git/commits/main.diff",
        "git/commits/main.patch",
        "compare/main~1...main?output=diff",
      ),
      "/root/patched/commit/main.patch",
    ],
  },
  {
    name: "a folder of 8,000 long names, as contents",
    prepare: longNames("names"),
    paths: inRepository("names", "contents", "contents-ext/."),
  },
  {
    name: "trees of long names",
    prepare: longNames("trees"),
    paths: inRepository("trees", "git/trees/main?per_page=1000"),
  },
  {
    name: "pages of commits with long messages",
    prepare: imported(
      "commits",
      times(60)
        .map((at) => commit(`${at}\n\n${"é".repeat(65_000)}`, `${"n".repeat(200)}${at}`, "x", at))
        .join(""),
    ),
    paths: inRepository("commits", "commits?limit=50"),
  },
  {
    name: "a review with 300 comments of 63 KB",
    async prepare(server) {
      await withLongComments("reviewed")(server);
      const address = "/repos/root/reviewed/pulls/1/reviews";
      const [{ id }] = (await (await call(server, "GET", address)).json()) as [{ id: number }];
      await status(call(server, "POST", `${address}/${id}`, { body: { event: "COMMENT", body: "x" } }));
    },
    paths: inRepository("reviewed", "pulls/1/reviews/1/comments"),
  },
];

function longNames(name: string) {
  return (server: ServerProcess) =>
    pushNew(server, name, async (git, folder) => {
      writeFileSync(join(folder, "empty"), "");
      const id = (await git("hash-object", "-w", "empty")).trim();
      const entries = times(8_000).map((at) =>
        Buffer.concat([
          Buffer.from(`100644 ${"n".repeat(235)}${String(at).padStart(5, "0")}\0`),
          Buffer.from(id, "hex"),
        ]),
      );
      writeFileSync(join(folder, "tree"), Buffer.concat(entries));
      const tree = (await git("hash-object", "-t", "tree", "-w", "tree")).trim();
      const tip = (await git("commit-tree", tree, "-m", "names")).trim();
      await git("update-ref", "refs/heads/main", tip);
    });
}

/** Requests that a reader sends at once. */
const ahead = 5;
const stayMs = 1_000;

/** Readers that ask for much and take nothing until `stop`. Those that leave come back and ask again. */
export function readSlowly(
  { url, token }: ServerProcess,
  { paths }: Pick<SlowReaderCase, "paths">,
  { count = 200, leaves = false } = {},
): { stop(): void } {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = (at: number) => {
    if (isOver) return;
    const socket = connect(Number(port), hostname).pause();
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      sockets.delete(socket);
      open(at);
    });
    if (leaves) setTimeout(() => socket.destroy(), stayMs + 10 * at).unref();
    const path = paths[at % paths.length];
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: forge\r\nAuthorization: token ${token}\r\n\r\n`.repeat(ahead),
    );
  };
  for (const at of times(count)) open(at);
  return {
    stop() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
