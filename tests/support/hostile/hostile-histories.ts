import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerProcess } from "../process/server-process.ts";
import { archivesOf, call, get, type HostileCase, pushNew, status, times } from "./hostile-cases.ts";

async function each(server: ServerProcess, paths: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) statuses.push(await get(server, path));
  return statuses;
}

/** A tree that names one empty file many times. */
function vastTree(count: number, ending: string): Buffer {
  const id = Buffer.from("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "hex");
  return Buffer.concat(
    times(count).flatMap((at) => [
      Buffer.from(`100644 f${String(at).padStart(7, "0")}${ending}\0`, "latin1"),
      id,
    ]),
  );
}

const importInto = (folder: string, commands: string): void =>
  void execFileSync("git", ["-C", folder, "fast-import", "--quiet", "--force", "--export-marks=marks"], {
    input: commands,
  });

/** A clone of a bounded part of the history, and what fetches into it then. */
async function clone(
  server: ServerProcess,
  bound: readonly string[],
  fetches: readonly (readonly string[])[] = [],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-hostile-"));
  const git = (...args: string[]) => promisify(execFile)("git", args);
  try {
    await git("clone", "-q", "--bare", ...bound, `${server.url}/root/parents.git`, folder);
    for (const fetch of fetches) await git("-C", folder, ...fetch);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What moves the border of a shallow clone: by a step, in the older protocol, and to the beginnings. */
const deepenings = [
  ["fetch", "-q", "--deepen", "1"],
  ["-c", "protocol.version=0", "fetch", "-q", "--depth", "3"],
  ["fetch", "-q", "--unshallow"],
];

/** Histories of few bytes that lead to much, and what asks for them. */
export const hostileHistories: readonly HostileCase[] = [
  {
    name: "500,000 files in one folder: their commit, its texts, a change of one file, an archive",
    prepare: (server) =>
      pushNew(server, "vast", async (git, folder) => {
        writeFileSync(join(folder, "empty"), "");
        writeFileSync(join(folder, "tree"), vastTree(500_000, ""));
        await git("hash-object", "-w", "empty");
        const tree = await git("hash-object", "-t", "tree", "-w", "tree");
        const commit = await git("commit-tree", tree.trim(), "-m", "vast");
        await git("update-ref", "refs/heads/main", commit.trim());
      }),
    send: async (server) => {
      const body = { content: "YQ==", message: "one" };
      const written = await status(call(server, "POST", "/repos/root/vast/contents/one", { body }));
      const paths = ["commits?limit=1", "git/commits/main", "git/commits/main~1.patch", "git/trees/main"];
      return [
        written,
        ...(await each(
          server,
          [...paths, ...archivesOf("main")].map((path) => `vast/${path}`),
        )),
      ];
    },
  },
  {
    name: "a wiki of 300,000 pages",
    prepare: async (server) => {
      await pushNew(server, "pages", async (git, folder) => {
        writeFileSync(join(folder, "empty"), "");
        writeFileSync(join(folder, "tree"), vastTree(300_000, ".md"));
        await git("hash-object", "-w", "empty");
        const tree = await git("hash-object", "-t", "tree", "-w", "tree");
        const commit = (await git("commit-tree", tree.trim(), "-m", "vast")).trim();
        await git("update-ref", "refs/heads/main", commit);
        const page = { title: "Home", content_base64: "YQ==" };
        await status(call(server, "POST", "/repos/root/pages/wiki/new", { body: page }));
        const address = new URL("/root/pages.wiki.git", server.url);
        [address.username, address.password] = ["root", server.token];
        await git("push", "-q", "-f", address.href, "main");
      });
    },
    send: async (server) => {
      const page = { title: "One", content_base64: "YQ==" };
      const written = await status(call(server, "POST", "/repos/root/pages/wiki/new", { body: page }));
      return [written, ...(await each(server, ["pages/wiki/pages", "pages/wiki/page/f0000001"]))];
    },
  },
  {
    name: "merges of 20,000 parents: a page of them, a comparison, clones, deeper ones",
    prepare: (server) =>
      pushNew(server, "parents", async (git, folder) => {
        const root = (at: number) =>
          `reset refs/roots\ncommit refs/roots\nmark :${at + 1}\ncommitter M <m@example.com> ${at} +0000\ndata 0\n\n`;
        importInto(folder, times(20_000).map(root).join(""));
        const marks = readFileSync(join(folder, "marks"), "latin1").trim().split("\n");
        const parents = marks.map((line) => `parent ${line.split(" ")[1]}\n`).join("");
        const tree = (await git("hash-object", "-t", "tree", "-w", "/dev/null")).trim();
        let tip = "";
        for (const at of times(20)) {
          const who = `M <m@example.com> ${1_700_000_000 + at} +0000`;
          const before = tip === "" ? "" : `parent ${tip}\n`;
          const text = `tree ${tree}\n${before}${parents}author ${who}\ncommitter ${who}\n\n${at}\n`;
          writeFileSync(join(folder, "commit"), text);
          tip = (await git("hash-object", "-t", "commit", "-w", "commit")).trim();
          if (at === 0) await git("tag", "first", tip);
        }
        await git("update-ref", "refs/heads/main", tip);
      }),
    send: async (server) => {
      const asked = ["commits?limit=50", "compare/first...main", "compare/first...main?output=patch"];
      const statuses = await each(
        server,
        asked.map((path) => `parents/${path}`),
      );
      await clone(server, []);
      await clone(server, ["--shallow-since", "2020-01-01"]);
      await clone(server, ["--depth", "2"], deepenings);
      return statuses;
    },
  },
  {
    name: "messages and names of half a megabyte: as mails, in lists, of tags",
    prepare: (server) =>
      pushNew(server, "messages", async (_git, folder) => {
        const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
        const texts = ["\n", "é", "a "].map((text) => `one\n\n${text.repeat(250_000)}two`);
        const commit = (text: string, at: number) =>
          `commit refs/heads/main\nauthor ${"é".repeat(at * 100_000)} <m@example.com> 1700000000 +0000\n` +
          `committer M <m@example.com> 1700000000 +0000\n${data(text)}M 100644 inline a\n${data(String(at))}`;
        const tag = (at: number) =>
          `tag v${at}\nfrom refs/heads/main\ntagger M <m@example.com> 1700000000 +0000\n${data("t\n".repeat(450_000))}`;
        importInto(folder, [...texts.map(commit), ...times(50).map(tag)].join(""));
      }),
    send: (server) => {
      const mails = times(3).map((at) => `git/commits/main~${at}.patch`);
      const paths = [...mails, "commits?limit=50", "tags?limit=50", "git/refs"];
      return each(
        server,
        paths.map((path) => `messages/${path}`),
      );
    },
  },
  {
    name: "a template of files in deep folders, with long paths for variables",
    prepare: async (server) => {
      await pushNew(server, "template", async (git, folder) => {
        const deep = "ab/".repeat(1_900);
        const file = (path: string, text: string) =>
          `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
        const files = times(2_000).map((at) => file(`${deep}f${at}`, ""));
        const list = file(".gitea/template", "f*\n");
        const who = "committer M <m@example.com> 1700000000 +0000";
        importInto(folder, `commit refs/heads/main\n${who}\ndata 0\n${files.join("")}${list}\n`);
        await git("rev-parse", "main");
      });
      await status(call(server, "PATCH", "/repos/root/template", { body: { template: true } }));
    },
    send: async (server) => {
      const body = { owner: "root", name: "generated", git_content: true };
      return [await status(call(server, "POST", "/repos/root/template/generate", { body }))];
    },
  },
];
